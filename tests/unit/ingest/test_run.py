"""One ingest: all of it, only what changed, or nothing at all."""

from collections.abc import Mapping
from typing import Any

import pytest

from docgraph.ingest.result import IngestResult, Progress
from docgraph.ingest.run import ingest
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.edge import Edge
from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem
from tests.unit.ingest.fakes import HashEmbedder, MemorySource, MemoryWrites

FILES = {
    "README.md": "# Guide\n\nSee [the store](docs/store.md) and Retrieval Plans.\n",
    "docs/store.md": "# Store\n\nWords.\n\n## Snapshots\n\nMore words.\n",
    "docs/plans.rst": "Retrieval Plans\n===============\n\nA plan is data.\n",
    "src/pkg/__init__.py": "",
    "src/pkg/a.py": '"""A."""\nfrom pkg.b import f\n',
    "src/pkg/b.py": "def f(): ...\n",
    "logo.png": "x",
}


def run(
    files: Mapping[str, str | bytes | Problem],
    writes: MemoryWrites,
    embedder: HashEmbedder | None = None,
    **options: Any,
) -> IngestResult:
    settings: dict[str, Any] = {"repository": "r", "rule_for": lambda _: LOCAL_ONLY}
    return ingest(MemorySource(files), writes, embedder or HashEmbedder(), **settings | options)


def contents(writes: MemoryWrites) -> list[object]:
    documents = [writes.documents[path] for path in sorted(writes.documents)]
    vectors = [[v.tolist() for v in found.node_vectors] for found in documents]
    texts = [found.chunk_texts for found in documents]
    return [[found.document for found in documents], vectors, texts, writes.mined, writes.rules]


@pytest.mark.requirement(8)
def test_a_folder_becomes_documents_edges_and_a_snapshot() -> None:
    writes = MemoryWrites()
    found = run(FILES, writes)
    assert found.snapshot is not None
    assert (found.added, found.changed, found.removed, found.unchanged) == (6, 0, 0, 0)
    assert found.edges == (("imports", 2), ("mentions", 1), ("references", 1))
    assert found.found == (("imports", 2), ("links", 1), ("titles", 1))
    assert found.skipped == ((".png", 1),)
    assert (found.nodes, found.chunks) == (8, 6)
    assert Edge("r:README.md", "mentions", "r:docs/plans.rst") in {r.edge for r in writes.mined}


@pytest.mark.requirement(7)
def test_the_order_of_files_changes_nothing() -> None:
    one, other = MemoryWrites(), MemoryWrites()
    told = run(FILES, one)
    assert run(dict(reversed(FILES.items())), other) == told
    assert contents(one) == contents(other)


@pytest.mark.requirement(8)
def test_ingesting_again_touches_only_what_changed() -> None:
    writes, embedder = MemoryWrites(), HashEmbedder()
    run(FILES, writes)
    later = FILES | {"src/pkg/b.py": "def f(): ...\n\ndef g(): ...\n"}
    del later["docs/plans.rst"]
    found = run(later, writes, embedder)
    assert (found.added, found.changed, found.removed, found.unchanged) == (0, 1, 1, 4)
    assert all("pkg.b" in text for text in embedder.embedded)
    scratch = MemoryWrites()
    run(later, scratch)
    del writes.rules["docs/plans.rst"]
    assert contents(writes) == contents(scratch)


def test_an_old_document_mentions_a_title_that_is_new() -> None:
    writes = MemoryWrites()
    old = {"a.txt": "On\n\nthe Access Plan"}
    run(old, writes)
    found = run(old | {"b.md": "# Access Plan"}, writes)
    assert (found.unchanged, found.edges) == (1, (("mentions", 1),))


def test_nothing_changed_publishes_nothing_and_says_so() -> None:
    writes, embedder = MemoryWrites(), HashEmbedder()
    run(FILES, writes)
    found = run(FILES, writes, embedder)
    assert found.snapshot is None
    assert (found.unchanged, found.vectors) == (6, 0)
    assert embedder.embedded == []
    assert writes.published == 1


def test_another_set_of_miners_changes_the_edges_alone() -> None:
    writes = MemoryWrites()
    run(FILES, writes)
    found = run(FILES, writes, miners=frozenset({"links"}))
    assert found.snapshot is not None
    assert (found.unchanged, found.edges) == (6, (("references", 1),))


def test_an_edge_that_the_caller_does_not_keep_is_not_stored() -> None:
    writes = MemoryWrites()
    found = run(FILES, writes, keep=lambda r: r.edge.relation != "imports")
    assert found.edges == (("mentions", 1), ("references", 1))
    assert {r.edge.relation for r in writes.mined} == {"mentions", "references"}


def test_a_changed_rule_reaches_unchanged_documents() -> None:
    writes = MemoryWrites()
    run(FILES, writes)
    board = AccessRule("local", frozenset({"board"}))
    found = run(FILES, writes, rule_for=lambda path: board if "docs/" in path else LOCAL_ONLY)
    assert found.snapshot is not None
    assert writes.rules["docs/store.md"] == board
    assert writes.rules["README.md"] == LOCAL_ONLY


@pytest.mark.requirement(11)
def test_a_bad_file_is_listed_and_does_not_stop_the_rest() -> None:
    large = Problem("big.md", "100,000,000 bytes is over the limit of 10,000,000")
    found = run({"a.md": "fine", "b.md": b"\0", "big.md": large}, MemoryWrites())
    assert found.added == 1
    assert found.problems == (Problem("b.md", "binary: a NUL at byte 0"), large)


def test_a_file_that_turned_bad_is_gone() -> None:
    writes = MemoryWrites()
    run({"a.md": "fine", "b.md": "fine too"}, writes)
    found = run({"a.md": "fine", "b.md": b"\0"}, writes)
    assert (found.removed, list(writes.documents)) == (1, ["a.md"])


@pytest.mark.parametrize("files", [{}, {"a.png": "x"}, {"a.md": b"\xff"}])
def test_nothing_usable_is_refused_and_nothing_is_written(
    files: dict[str, str | bytes | Problem],
) -> None:
    writes = MemoryWrites()
    run(FILES, writes)
    before = contents(writes)
    with pytest.raises(BadInput, match="nothing to ingest"):
        run(files, writes)
    assert contents(writes) == before
    assert writes.published == 1


def test_an_unknown_miner_is_refused_before_anything_is_read() -> None:
    writes = MemoryWrites()
    with pytest.raises(BadInput, match="no miner is called x"):
        run(FILES, writes, miners=frozenset({"x"}))
    assert writes.documents == {}


def test_progress_is_told_by_files() -> None:
    told: list[Progress] = []
    run(FILES, MemoryWrites(), progress=told.append)
    assert [(p.stage, p.done, p.total) for p in told] == [("documents", 6, 6), ("relations", 6, 6)]


def test_smaller_chunks_make_other_documents() -> None:
    writes = MemoryWrites()
    run(FILES, writes)
    assert run(FILES, writes, chunk_size=20).changed == 6
