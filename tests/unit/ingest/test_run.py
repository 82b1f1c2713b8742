"""One ingest: all of it, only what changed, or nothing at all."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.progress import Progress, ProgressEvent
from docgraph.ingest.result import IngestResult, Renamed
from docgraph.ingest.run import MAX_UNRESOLVED, ingest
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.document import Document
from docgraph.model.edge import Edge, EdgeEvidence, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import SourceRevision
from tests.support.small_world import statements_of
from tests.unit.ingest.fakes import HashEmbedder, MemorySource, parses
from tests.unit.ingest.memory_writer import MemoryWriter

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
    files: Mapping[str, str | bytes | SourceProblem],
    writer: MemoryWriter,
    embedder: HashEmbedder | None = None,
    **options: Any,
) -> IngestResult:
    settings: dict[str, Any] = {
        "repository": "r",
        "tenant": "local",
        "rule_for": lambda _: LOCAL_ONLY,
    }
    source = options.pop("source", None) or MemorySource(files)
    return ingest(source, writer, embedder or HashEmbedder(), **settings | options)


def contents(writer: MemoryWriter) -> list[object]:
    """The snapshot; a reference to a title that no document has any more is no edge."""
    documents = [writer.branch.built[path] for path in sorted(writer.branch.built)]
    vectors = [[v.tolist() for v in found.node_vectors] for found in documents]
    texts = [found.chunk_texts for found in documents]
    own = [without_titles(found) for found in writer.documents.by_path().values()]
    return [own, vectors, texts, writer.relationships(), writer.access.by_path]


def without_titles(document: Document) -> Document:
    references = (one for one in document.references if one.miner != "titles")
    return replace(document, references=tuple(references))


def related(writer: MemoryWriter) -> set[tuple[str, str, str]]:
    edges = (found.edge for found in writer.relationships())
    return {(edge.source[2:], edge.relation, edge.target[2:]) for edge in edges}


def counts_of(found: IngestResult, miner: str) -> list[ReferenceCount]:
    return [count for count in found.references if count.miner == miner]


@pytest.mark.requirement(8)
def test_a_folder_becomes_documents_edges_and_a_snapshot() -> None:
    writer = MemoryWriter()
    found = run(FILES, writer)
    assert found.snapshot is not None
    assert (found.added, found.changed, found.removed, found.unchanged) == (6, 0, 0, 0)
    assert counts_of(found, "links") == [ReferenceCount("links", "references", 1, 0)]
    assert counts_of(found, "titles") == [ReferenceCount("titles", "mentions", 1, 0)]
    assert found.skipped == ((".png", 1),)
    assert (found.nodes, found.chunks) == (8, 6)
    assert ("README.md", "mentions", "docs/plans.rst") in related(writer)


@pytest.mark.requirement(3)
def test_imports_become_edges() -> None:
    writer = MemoryWriter()
    found = run(FILES, writer)
    (imports,) = counts_of(found, "imports")
    assert (imports.resolved > 0, imports.unresolved) == (True, 0)
    assert {
        ("src/pkg/a.py", "imports", "src/pkg/b.py"),
        ("src/pkg/a.py", "imports", "src/pkg/b.py::f"),
    } <= related(writer)


@pytest.mark.requirement(7)
def test_the_order_of_files_changes_nothing() -> None:
    one, other = MemoryWriter(), MemoryWriter()
    result = run(FILES, one)
    assert run(dict(reversed(FILES.items())), other) == result
    assert contents(one) == contents(other)


@pytest.mark.requirement(8)
def test_ingesting_again_touches_only_what_changed() -> None:
    writer, embedder = MemoryWriter(), HashEmbedder()
    run(FILES, writer)
    later = FILES | {"src/pkg/b.py": "def f(): ...\n\ndef g(): ...\n"}
    del later["docs/plans.rst"]
    found = run(later, writer, embedder)
    assert (found.added, found.changed, found.removed, found.unchanged) == (0, 1, 1, 4)
    assert all("pkg.b" in text for text in embedder.embedded)
    scratch = MemoryWriter()
    run(later, scratch)
    del writer.access.by_path["docs/plans.rst"]
    assert contents(writer) == contents(scratch)


@pytest.mark.requirement(8)
def test_an_unchanged_file_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    parsed = parses(monkeypatch)
    run(FILES | {"docs/store.md": "# Store\n\nOther words.\n"}, writer)
    assert parsed == ["docs/store.md"]


def test_a_file_whose_content_is_stored_is_not_read() -> None:
    writer = MemoryWriter()
    run({}, writer, source=MemorySource(FILES, named=True))
    again = MemorySource(FILES, named=True)
    assert run({}, writer, source=again).unchanged == 6
    assert again.reads == []


@pytest.mark.requirement(8)
def test_a_renamed_file_is_listed() -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    later = {"moved/" + path if "store" in path else path: text for path, text in FILES.items()}
    found = run(later, writer)
    assert found.renamed == (Renamed("docs/store.md", "moved/docs/store.md"),)
    # Its summaries; vectors of chunks are stored.
    assert (found.added, found.removed, found.vectors) == (1, 1, 2)


def test_an_old_document_mentions_a_title_that_is_new() -> None:
    writer = MemoryWriter()
    old = {"a.txt": "On\n\nthe access plan"}
    run(old, writer)
    found = run(old | {"b.md": "# access plan"}, writer)
    assert (found.unchanged, related(writer)) == (1, {("a.txt", "mentions", "b.md")})


def test_a_changed_file_whose_title_stays_searches_no_old_documents_again() -> None:
    writer = MemoryWriter()
    old = {"a.txt": "On\n\nthe access plan", "b.md": "# access plan"}
    run(old, writer)
    writer.documents.searched.clear()
    found = run(old | {"b.md": "# access plan\n\nmore"}, writer)
    assert (found.changed, writer.documents.searched) == (1, {"new": 1})
    assert related(writer) == {("a.txt", "mentions", "b.md")}


@pytest.mark.parametrize("later", [{"a.txt": "On\n\nx"}, {"a.txt": "On\n\nx", "b.md": "# Plan"}])
def test_where_nothing_is_new_no_text_is_searched(later: dict[str, str]) -> None:
    writer = MemoryWriter()
    run({"a.txt": "On\n\nx", "b.md": "# Plan"}, writer)
    writer.documents.searched.clear()
    found = run(later, writer)
    assert (found.added, found.changed, writer.documents.searched) == (0, 0, {})
    assert found.references == ()


def test_nothing_changed_publishes_nothing() -> None:
    writer, embedder = MemoryWriter(), HashEmbedder()
    run(FILES, writer)
    found = run(FILES, writer, embedder)
    assert found.snapshot is None
    assert (found.unchanged, found.vectors) == (6, 0)
    assert embedder.embedded == []
    assert writer.published == 1


@pytest.mark.requirement(10)
def test_another_commit_of_the_same_files_is_a_snapshot() -> None:
    writer = MemoryWriter()
    run(FILES, writer, revision=SourceRevision("main", "1"))
    assert run(FILES, writer, revision=SourceRevision("main", "1")).snapshot is None
    assert run(FILES, writer).snapshot is None
    assert run(FILES, writer, revision=SourceRevision("main", "2")).snapshot is not None
    assert writer.revision == SourceRevision("main", "2")


def test_switching_a_miner_off_or_on_changes_the_edges_and_writes_no_document() -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    whole = related(writer)
    batches = list(writer.documents.batches)
    found = run(FILES, writer, miners=ALL_MINERS - {"titles"})
    assert found.snapshot is not None
    assert (found.unchanged, found.nodes, writer.documents.batches) == (6, 0, batches)
    assert whole - related(writer) == {("README.md", "mentions", "docs/plans.rst")}
    assert run(FILES, writer).snapshot is not None
    assert (related(writer), writer.documents.batches) == (whole, batches)


def test_nothing_is_reported_of_a_miner_that_is_off() -> None:
    files = {"a.md": "[b](gone.md), ADR-1", "adr/0001-a.md": "# Some Title\n"}
    found = run(files, MemoryWriter(), miners=ALL_MINERS - {"links"})
    assert counts_of(found, "links") == []
    assert counts_of(found, "identifiers") == [ReferenceCount("identifiers", "references", 1, 0)]
    assert found.unresolved == ()


def test_a_title_that_came_while_its_miner_was_off_is_mentioned_when_it_is_on() -> None:
    writer = MemoryWriter()
    old = {"a.txt": "On\n\nthe access plan"}
    run(old, writer)
    new = old | {"b.md": "# access plan"}
    run(new, writer, miners=ALL_MINERS - {"titles"})
    assert related(writer) == set()
    run(new, writer)
    assert related(writer) == {("a.txt", "mentions", "b.md")}


@pytest.mark.requirement(4)
def test_unresolved_references_are_listed_by_relation_path_and_line() -> None:
    files = {
        "b.md": "---\nrequires: ADR-9\n---\n\n[x](gone.md)\n",
        "a.md": "one\n[y](gone.md)\n[z](b.md)\n",
    }
    found = run(files, MemoryWriter())
    assert found.unresolved == (
        UnresolvedReference("a.md", 2, "references gone.md"),
        UnresolvedReference("b.md", 5, "references gone.md"),
        UnresolvedReference("b.md", 2, "requires ADR-9"),
    )
    assert ReferenceCount("links", "references", 1, 2) in found.references


def test_many_unresolved_references_are_counted_and_some_are_shown() -> None:
    text = "".join(f"[x]({n}.gone.md)\n" for n in range(MAX_UNRESOLVED + 7))
    found = run({"a.md": text}, MemoryWriter())
    assert len(found.unresolved) == MAX_UNRESOLVED
    assert ReferenceCount("links", "references", 0, MAX_UNRESOLVED + 7) in found.references


def test_stated_edges_are_merged_with_mined_ones() -> None:
    evidence = EdgeEvidence("edges.jsonl", 1, 0, 0, 0, "references")
    edge = Edge("r:a.md", "references", "r:b.md")
    files = {"a.md": "[b](b.md)", "b.md": ""}
    writer = MemoryWriter()
    found = run(
        files,
        writer,
        stated_edges=[Relationship(edge, ("imported",), (evidence,))],
        miners=frozenset({"links"}),
    )
    assert found.unresolved == ()
    (both,) = writer.relationships()
    assert both.origins == ("imported", "links")
    assert [one.path for one in both.evidence] == ["a.md", "edges.jsonl"]


@pytest.mark.requirement(4)
def test_a_stated_edge_with_a_missing_end_is_unresolved_until_the_end_is_there() -> None:
    evidence = EdgeEvidence("edges.jsonl", 7, 0, 0, 0, "requires")
    stated = Relationship(Edge("r:a.md", "requires", "r:b.md"), ("imported",), (evidence,))
    writer = MemoryWriter()
    found = run({"a.md": "x"}, writer, stated_edges=[stated])
    assert found.unresolved == (UnresolvedReference("edges.jsonl", 7, "r:b.md"),)
    assert related(writer) == set()
    found = run({"a.md": "x", "b.md": "y"}, writer, stated_edges=[stated])
    assert (found.unresolved, related(writer)) == ((), {("a.md", "requires", "b.md")})


def test_a_changed_rule_reaches_unchanged_documents() -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    board = AccessRule("local", frozenset({"board"}))
    found = run(FILES, writer, rule_for=lambda path: board if "docs/" in path else LOCAL_ONLY)
    assert found.snapshot is not None
    assert writer.access.by_path["docs/store.md"] == statements_of(board)
    assert writer.access.by_path["README.md"] == statements_of(LOCAL_ONLY)


@pytest.mark.requirement(11)
def test_a_bad_file_is_listed_and_does_not_stop_the_rest() -> None:
    large = SourceProblem("big.md", "100,000,000 bytes is over the limit of 10,000,000")
    found = run({"a.md": "fine", "b.md": b"\0", "big.md": large}, MemoryWriter())
    assert found.added == 1
    assert found.problems == (SourceProblem("b.md", "binary: a NUL at byte 0"), large)


def test_a_file_that_turned_bad_is_removed() -> None:
    writer = MemoryWriter()
    run({"a.md": "fine", "b.md": "fine too"}, writer)
    found = run({"a.md": "fine", "b.md": b"\0"}, writer)
    assert (found.removed, list(writer.documents.by_path())) == (1, ["a.md"])


@pytest.mark.parametrize("files", [{}, {"a.png": "x"}, {"a.md": b"\xff"}])
def test_nothing_usable_is_refused_and_nothing_is_written(
    files: dict[str, str | bytes | SourceProblem],
) -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    before = contents(writer)
    with pytest.raises(BadInput, match="nothing to ingest"):
        run(files, writer)
    assert contents(writer) == before
    assert writer.published == 1


@pytest.mark.requirement(11)
def test_progress_is_reported_before_the_first_file_and_after_each() -> None:
    progress: list[ProgressEvent] = []
    run(FILES, MemoryWriter(), progress=progress.append)
    reported = [(p.phase, p.done, p.total) for p in progress if isinstance(p, Progress)]
    assert reported[:2] == [("listing", 0, 0), ("listing", 7, 7)]
    assert reported[2:9] == [("reading", done, 6) for done in range(7)]
    assert reported[9:16] == [("relations", done, 6) for done in range(7)]


def test_smaller_chunks_make_other_documents() -> None:
    writer = MemoryWriter()
    run(FILES, writer)
    assert run(FILES, writer, chunk_size=20).changed == 6
