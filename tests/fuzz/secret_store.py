"""A small store with something to hide, and a plan and a receipt of it."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from tests.support.engines import make_engine
from tests.support.small_world import IDENTITY, document, write

SECRET = "xylophone"
HIDDEN = AccessRule("local", frozenset({"others"}))
QUESTION = "are apples red?"


@cache
def secret_store() -> Engine:
    """One for all cases: they only read it."""
    store = SqliteStore(Path(mkdtemp()) / "s.db", now=lambda: "now")
    with store.open_writer("local", "r", "main", IDENTITY) as writes:
        write(
            writes,
            [
                document("a.md", "apples are red", "pears are green", sections=True),
                document("b.md", "apples and pears"),
                document("h.md", f"apples {SECRET}", rule=HIDDEN),
            ],
        )
        writes.publish()
    return make_engine(store)


@cache
def retrieval() -> Retrieval:
    return secret_store().questions.retrieve(QuestionRequest(local(), load("documents"), QUESTION))


@cache
def plan_text() -> str:
    return retrieval().to_saved_plan().to_json()


@cache
def receipt_text() -> str:
    return receipt_of(retrieval()).to_json()
