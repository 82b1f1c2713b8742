"""The backend can be changed with no change to a pipeline: two stores, one plan, one context."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.doors.login import local
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.claim import Offer
from docgraph.model.context import Context
from docgraph.model.digest import canonical
from docgraph.model.document import Document
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.tokens import TokenCounter
from docgraph.pipeline.load import load, shipped
from docgraph.pipeline.run import run
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.reranker import Reranked, Reranker
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.store import Reads
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import EmbeddedDocument, text_key
from tests.support.made_documents import (
    EAST,
    EMBEDDER,
    NORTH,
    Held,
    Part,
    Said,
    ask,
    document,
    edge,
    towards,
)
from tests.support.memory_world import World, world
from tests.support.small_world import granted
from tests.support.stand_ins import CountsWords

HIDDEN = AccessRule("local", frozenset({"others"}))
PLACE = world(
    document("r:a.md", Said("north wind blows", NORTH), Said("east wind", EAST)),
    document("r:b.md", "calm sea", meaning=towards(0.9)),
    document(
        "r:c.md",
        "weather of the north",
        meaning=towards(0.7),
        parts=(Part("#storm", (Said("storm and wind", towards(0.8)),), towards(0.8)),),
    ),
    document(
        "r:d.py",
        "import wind",
        meaning=towards(0.3),
        parts=(Part("::blow_wind", (Said("def blow_wind", NORTH),), NORTH),),
    ),
    document("r:e.md", "wind wind wind north", meaning=NORTH),
    edges=(
        edge("r:a.md", "r:b.md"),
        edge("r:a.md", "r:e.md"),
        edge("r:b.md", "r:c.md", at=3),
        edge("r:d.py::blow_wind", "r:c.md", "calls", at=1),
    ),
    names=(("blow_wind", "r:d.py::blow_wind"), ("blow_wind", "r:e.md")),
    hidden=("r:e.md",),
)


class NoReranker:
    name = "none"

    def rerank(self, question: str, ids: tuple[str, ...]) -> Reranked:
        raise AssertionError("no shipped pipeline reranks")


def stored(place: World, held: Held) -> Document:
    """The same document as a store takes it in."""
    return Document(
        path=held.nodes[0].source.path,
        text=held.text,
        nodes=held.nodes,
        chunks=held.chunks,
        offers=tuple(
            Offer(f"doc:{n}", node) for n, node in place.names if node.startswith(held.id)
        ),
        claims=(),
        told=granted(HIDDEN if held.id in place.hidden else LOCAL_ONLY),
        fingerprint=held.id,
    )


def in_sqlite(place: World, path: Path) -> SqliteStore:
    store = SqliteStore(path, now=lambda: "now")
    with store.writes("local", "r", "main", EMBEDDER) as writes:
        for held in place.documents:
            texts = [chunk.text for chunk in held.chunks]
            keys = tuple(map(text_key, texts))
            writes.remember(dict(zip(keys, held.chunk_vectors, strict=True)))
            found = stored(place, held)
            writes.put([EmbeddedDocument(found, tuple(texts), keys, held.node_vectors)])
        writes.replace_given(place.edges)
        writes.publish()
    return store


def walked(reads: Reads | World, name: str, question: Question) -> tuple[RetrievalPlan, Context]:
    windows: Mapping[type, Callable[[Mapping[type, Any]], Any]] = {
        SearchReads: lambda _: reads.search,
        GraphReads: lambda _: reads.graph,
        TextReads: lambda values: reads.texts(values[RetrievalPlan]),
        TokenCounter: lambda _: CountsWords(),
        Reranker: lambda _: NoReranker(),
    }
    done = run(load(name), {Question: question}, windows, time.perf_counter)
    return done.get(RetrievalPlan), done.get(Context)


@pytest.mark.requirement(42)
@pytest.mark.parametrize("name", sorted(shipped()))
@pytest.mark.parametrize("question", ["north wind", "what does blow_wind do?", "nothing known"])
def test_a_pipeline_gives_the_same_bytes_on_either_backend(
    tmp_path: Path, name: str, question: str
) -> None:
    asked = ask(question)
    with in_sqlite(PLACE, tmp_path / "s.db").reads_as(local()) as reads:
        on_disk = walked(reads, name, asked)
    in_memory = walked(PLACE, name, asked)
    assert canonical(on_disk[0]) == canonical(in_memory[0])
    assert on_disk[0].order
    assert [item.text for item in on_disk[1].items] == [item.text for item in in_memory[1].items]
    assert on_disk[1].text == in_memory[1].text
