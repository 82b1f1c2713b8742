"""The ways of a question through the engine, each with the text that a stranger writes."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from docgraph.search.ranking import Mode
from docgraph.testing.small_store import SmallStore
from tests.growth.hostile_files import Repeated, repeated
from tests.support.engines import make_engine
from tests.support.fakes import LengthReranker, RecitingModel

TITLES = ("Aaaa", "Aaaa Aaaa", "Aaaa Bbbb", "a_1", "Word")
QUESTIONS: tuple[Repeated, ...] = (
    *repeated("`", "a ", "Aaaa ", "Aaaa Bbbb ", "f_\\N ", "a/b.c ", "A", "word\\N ", "[1] "),
    *repeated("<|a|> ", "é"),
    *repeated("`f_\\N` ", "PEP \\N ", "\n", "0-a"),
)  # fmt: skip


@cache
def engine() -> Engine:
    """One for all: questions only read it."""
    store = SmallStore(str(Path(mkdtemp()) / "s.db"))
    texts = {
        f"{number}.md": f"# {title}\n\n{title} [x](0.md)\n" for number, title in enumerate(TITLES)
    }
    names = "".join(f"def f_{number}():\n    pass\n" for number in range(300))
    store.ingest({**texts, "code.py": names, "long.txt": "Aaaa `f_1` <|a|> [1]\n" * 50})
    return make_engine(
        store.store, chat_models=lambda: (RecitingModel(),), rerank_model=LengthReranker
    )


def _ask(pipeline: Pipeline, question: str) -> object:
    return engine().questions.ask(QuestionRequest(local(), pipeline, question))


def _retrieve(pipeline: Pipeline, question: str) -> object:
    return engine().questions.retrieve(QuestionRequest(local(), pipeline, question))


def _with_mode(mode: str) -> Pipeline:
    return load("documents").with_options("search_nodes", mode=mode)


def _reranked() -> Pipeline:
    return load("documents").with_options("search_nodes", rerank=10)


def _why(node: str) -> Callable[[str], object]:
    """Of that node, or of one that the text names."""
    return lambda text: engine().questions.why(
        QuestionRequest(local(), load("documents"), text), node or text
    )


def _seeds(text: str) -> object:
    """Ids in place of a question, and one of a visible document."""
    ids = ("r:0.md", text, *(text[at : at + 50] for at in range(0, min(len(text), 5_000), 50)))
    return engine().questions.retrieve(QuestionRequest(local(), load("documents"), "", ids))


def _nodes(text: str) -> object:
    return engine().questions.nodes(local(), ["r:0.md", text])


PATHS: Mapping[str, Callable[[str], object]] = {
    **{
        f"ask by {name}": partial(_ask, load(name))
        for name in shipped_pipelines()
        if name != "flat"
    },
    **{f"retrieve by {name}": partial(_retrieve, load(name)) for name in shipped_pipelines()},
    **{f"search by {mode}": partial(_retrieve, _with_mode(mode)) for mode in get_args(Mode)},
    "search again by a reranker": partial(_retrieve, _reranked()),
    "why": _why("r:0.md"),
    "why an unknown node": _why(""),
    "unknown seeds": _seeds,
    "nodes": _nodes,
}
