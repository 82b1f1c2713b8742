"""Embedders of many dimensions, over real HTTP: ingest, contexts and replays on both stores."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.answer import Answer
from docgraph.model.errors import ModelError, WrongEmbedder
from docgraph.model.tokenize import tokenize
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from docgraph.wiring.build import build_engine
from docgraph.wiring.doctor import diagnose
from docgraph.wiring.model_settings import Endpoint
from docgraph.wiring.settings import Settings
from tests.support.memory_source import MemorySource
from tests.support.postgres_server import PostgresServer
from tests.support.scripted_server import Answer as Reply
from tests.support.scripted_server import Body, Server, serve_script

FILES = {
    "fuel.md": "# Fuel\n\nKerosene burns, see the [pump](pump.md).\n\n## Tank\n\nIt is cold.\n",
    "pump.md": "# Pump\n\nIt draws kerosene out of the tank.\n",
    "crew.md": "# Crew\n\nThree people and their food.\n",
    **{f"part{n}.md": f"# Part {n}\n\nA part with number {n}.\n" for n in range(20)},
}
QUESTION = "Which fuel burns?"
DOCUMENTS = load("documents").before(Answer)
FLAT = load("flat").before(Answer)
NATIVE = 1536  # of a request that asks for no width


def embed(body: Body) -> Reply:
    """Like models whose vectors may be cut: as wide as requested."""
    width = body.get("dimensions", NATIVE)
    rows = [{"index": n, "embedding": vector(text, width)} for n, text in enumerate(body["input"])]
    return 200, {"data": rows}, {}


def vector(text: str, width: int) -> list[float]:
    total = np.full(width, 1e-3)
    for word in tokenize(text):
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        total += np.random.default_rng(seed).standard_normal(width)
    return [round(number, 6) for number in total.tolist()]


@pytest.fixture
def server() -> Iterator[Server]:
    with serve_script(embed) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
        return
    with database(request.getfixturevalue("postgres")) as dsn:
        yield dsn


@contextmanager
def database(postgres: PostgresServer) -> Iterator[str]:
    dsn = postgres.fresh_database()
    yield dsn
    postgres.drop(dsn)


def settings(
    address: str, server: Server, width: int | None = None, index: str | None = None
) -> Settings:
    endpoint = Endpoint(server.base, "wide", dimensions=width)
    return Settings(store=address, embedder_endpoint=endpoint, index=index)


def filled(own: Settings, files: dict[str, str] = FILES, repository: str = "r") -> Engine:
    engine = build_engine(own)
    engine.content.ingest(
        local(),
        MemorySource(files),
        repository=repository,
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    return engine


def asked(engine: Engine) -> Retrieval:
    return engine.questions.retrieve(QuestionRequest(local(), DOCUMENTS, QUESTION))


def contexts(own: Settings) -> list[str]:
    engine = build_engine(own)
    return [
        engine.questions.retrieve(QuestionRequest(local(), pipeline, question)).context.digest
        for pipeline in (DOCUMENTS, FLAT)
        for question in (QUESTION, "people and food", "part 7")
    ]


@pytest.mark.parametrize("width", [None, 1536, 3072, 8192])
def test_a_wide_embedder_gives_contexts_that_can_be_replayed(
    address: str, server: Server, width: int | None
) -> None:
    own = settings(address, server, width)
    found = asked(filled(own))
    assert [body.get("dimensions") for _, _, body in server.asked] == [width] * len(server.asked)
    assert found.seeds.ids[0] == "r:fuel.md"
    receipt = receipt_of(found)
    assert len(receipt.plan.query_vector) == receipt.plan.embedder.dimensions == (width or NATIVE)
    filled(own, {**FILES, "new.md": "# New fuel\n\nIt burns.\n"})
    replayed = build_engine(own).questions.replay(local(), receipt)
    assert (replayed.same, replayed.difference, replayed.notes) == (True, None, ())
    assert replayed.again is not None
    assert receipt_of(replayed.again).to_json() == receipt.to_json()


def test_both_stores_and_every_exact_index_give_the_same_bytes(
    postgres: PostgresServer, tmp_path: Path, server: Server
) -> None:
    with database(postgres) as dsn:
        for width in (1536, 3072, 8192):
            here = settings(str(tmp_path / f"{width}.db"), server, width)
            there = [settings(dsn, server, width, index) for index in ("packed", "pgvector")]
            filled(here)
            filled(there[0])
            expected = contexts(here)
            assert len(set(expected)) > 1
            assert [contexts(own) for own in there] == [expected, expected]


@pytest.mark.parametrize(("width", "exact"), [(2000, False), (3072, False), (4001, True)])
def test_an_index_that_hnsw_cannot_hold_is_an_exact_scan(
    postgres: PostgresServer, server: Server, width: int, exact: bool
) -> None:
    with database(postgres) as dsn:
        own = settings(dsn, server, width, "pgvector-hnsw")
        found = asked(filled(own))
        assert found.seeds.exact is exact
        assert found.seeds.ids[0] == "r:fuel.md"
        assert (
            found.context.digest == asked(build_engine(settings(dsn, server, width))).context.digest
        )
        (store,) = (one for one in diagnose(own, local()) if one.part == "store")
        assert store.good
        said = f"{width} dimensions are too many for HNSW: exact scan"
        assert (said in store.detail) is exact


def test_another_width_is_another_embedder(address: str, server: Server) -> None:
    filled(settings(address, server, 1536))
    with pytest.raises(WrongEmbedder, match=r"1536 dimensions\), the question .* 256 dimensions\)"):
        asked(build_engine(settings(address, server, 256)))
    again = filled(settings(address, server, 256))
    assert receipt_of(asked(again)).plan.embedder.dimensions == 256


def test_of_a_server_that_gives_another_width_nothing_is_stored(
    tmp_path: Path, server: Server
) -> None:
    server.answer = lambda body: embed({**body, "dimensions": NATIVE})
    own = settings(str(tmp_path / "store.db"), server, 512)
    with pytest.raises(ModelError, match="1536 dimensions, where 512 were requested"):
        filled(own)
    assert [one.embeddings for one in build_engine(own).content.snapshots(local())] == ["none"]
    right = filled(settings(str(tmp_path / "store.db"), server))
    assert [one.embeddings for one in right.content.snapshots(local())] == ["none", "complete"]
    assert asked(right).context.text
