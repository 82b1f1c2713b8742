"""One ingest: writes a source's files as a new snapshot and publishes it, or nothing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from docgraph.ingest.access_rules import AccessRules, StoredStatements, read_access_file
from docgraph.ingest.changed_files import ChangedFiles
from docgraph.ingest.chunking import CHUNK_CHARACTERS
from docgraph.ingest.discover import SourceListing, list_source, nothing_to_ingest
from docgraph.ingest.embedding import embed
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.miners.titles import mine_titles
from docgraph.ingest.parse_file import FileParser, InProcessParser
from docgraph.ingest.progress import (
    Askable,
    ReportProgress,
    SearchReport,
    no_progress,
    report_reading,
)
from docgraph.ingest.registries import SHIPPED, Registries
from docgraph.ingest.relations_file import RelationsFile, parse_relations_file, write_stated_edges
from docgraph.ingest.result import IngestResult
from docgraph.model.access import AccessChanges, AccessRule, AccessStatement, Clearance
from docgraph.model.edge import Relationship
from docgraph.model.errors import ModelError
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.ports.models import NO_VECTOR_CACHE, Embedder, VectorCache
from docgraph.ports.source import Source, SourceProblem
from docgraph.ports.writes import (
    AccessWriter,
    BuiltDocument,
    DocumentWriter,
    ReferenceWriter,
    SnapshotWriter,
    SourceRevision,
    VectorWriter,
)

# Short batches need little memory and hold locks briefly.
BATCH_FILES = 64
BATCH_CHUNKS = 512
# So few characters are embedded within a second or two, before the snapshot is published.
EMBEDDED_AT_ONCE = 64_000
MAX_UNRESOLVED = 100  # of each relation are shown; all are counted


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What was written; `vectors` counts those that were computed."""

    nodes: int
    chunks: int
    vectors: int


def write_documents(
    built: Iterable[BuiltDocument | None],
    documents: DocumentWriter,
    embeddings: VectorWriter,
    embedder: Embedder,
    *,
    cache: VectorCache = NO_VECTOR_CACHE,
    most_characters: int = EMBEDDED_AT_ONCE,
) -> WriteCounts:
    """None is a file with nothing to write. If all have no more than so many characters, they are
    embedded; else none is. If the embedder fails, the rest is left to an EmbeddingJob, which raises
    if that fails too."""
    nodes = chunks = vectors = size = 0
    batches = split_batches(built)
    first: list[list[BuiltDocument]] = []
    for batch in batches:
        first.append(batch)
        size += sum(len(text) for one in batch for text in (*one.chunk_texts, *one.node_texts))
        if size > most_characters:
            break
    for batch in chain(first, batches):
        written: Sequence[BuiltDocument] = batch
        if size <= most_characters:
            try:
                embedded = embed(batch, embeddings, embedder, cache)
                written = embedded.documents
                vectors += embedded.computed
            except ModelError:
                most_characters = -1
        documents.add(written)
        nodes += sum(len(one.document.nodes) for one in batch)
        chunks += sum(len(one.document.chunks) for one in batch)
    return WriteCounts(nodes, chunks, vectors)


def split_batches(built: Iterable[BuiltDocument | None]) -> Iterator[list[BuiltDocument]]:
    batch: list[BuiltDocument] = []
    chunks = 0
    for one in built:
        if one is None:
            continue
        batch.append(one)
        chunks += len(one.chunk_texts)
        if len(batch) >= BATCH_FILES or chunks >= BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


def ingest(
    source: Source,
    writer: SnapshotWriter,
    embedder: Embedder,
    *,
    repository: str,
    tenant: str,
    rule_for: Callable[[str], AccessRule] | None = None,
    default_rule: AccessRule | None = None,
    restriction: AccessRule | None = None,
    miners: frozenset[str] = ALL_MINERS,
    stated_edges: Iterable[Relationship] = (),
    revision: SourceRevision | None = None,
    progress: ReportProgress = no_progress,
    chunk_size: int = CHUNK_CHARACTERS,
    clearance: Clearance | None = None,
    registries: Registries = SHIPPED,
    parser: FileParser | None = None,
    may_open: bool = True,
    cache: VectorCache = NO_VECTOR_CACHE,
    most_characters: int = EMBEDDED_AT_ONCE,
) -> IngestResult:
    """Unchanged files are not parsed again, documents whose file is gone are removed. New texts of
    `most_characters` at most are embedded; more are left to an EmbeddingJob.

    Unless it `may_open` them, the rules given here open no document that is stored already.
    `clearance` limits what may be sent to an embedder on another machine. Without a `parser`, files
    are parsed in this process. A source without a usable file is an error and writes nothing;
    without a change nothing is published.
    """
    listing = list_source(source, registries.formats, progress)
    access = read_access_file(source, listing.access, tenant, writer.access.file_rules())
    stored = StoredStatements(writer.access.statements(), writer.access.default_statements())
    files = ChangedFiles(
        source,
        listing,
        writer.documents.stored(),
        repository,
        AccessRules(tenant, access.rules, rule_for, default_rule, restriction, stored, may_open),
        chunk_size,
        find_problem=partial(_find_clearance_problem, writer.access, clearance),
        miners=registries.miners,
        parser=parser or InProcessParser(lambda: registries),
    )
    counts = write_documents(
        report_reading(files.build(), [file for file, _ in listing.files], progress),
        writer.documents,
        writer.embeddings,
        embedder,
        cache=cache,
        most_characters=most_characters,
    )
    if files.is_empty:
        problems = (*registries.problems, *files.problems, *access.problems)
        raise nothing_to_ingest(problems, listing.skipped, registries.formats)
    removed = files.removed()
    writer.documents.remove(removed)
    writer.access.set_statements(files.renew_statements(), may_open=may_open)
    writer.access.set_default_statements(files.default_statements())
    writer.access.set_file_rules(access.rules)
    writer.references.set_miners(miners)
    relations = _read_relations_file(source, listing, repository)
    missing = write_stated_edges(
        writer.documents, writer.edges, (*stated_edges, *relations.relationships)
    )
    if files.added or files.changed:
        mine_titles(
            writer.documents,
            writer.references,
            SearchReport(files.sizes(), frozenset(files.unchanged), counts.chunks, progress),
        )
    published = writer.publish(revision) if writer.has_changes(revision) else None
    if published is not None:
        progress(Askable(published, writer.embeddings.state()))
    # Counted for the report alone, so nobody has to wait for it.
    has_written = published is not None and bool(files.added or files.changed)
    reference_counts = writer.references.counts() if has_written else ()
    return IngestResult(
        added=files.added,
        changed=len(files.changed),
        removed=len(removed),
        unchanged=len(files.unchanged),
        renamed=files.renamed(),
        nodes=counts.nodes,
        chunks=counts.chunks,
        vectors=counts.vectors,
        references=reference_counts,
        missing=len(missing),
        unresolved=(*missing, *_list_unresolved(writer.references, reference_counts)),
        unresolved_calls=writer.references.unresolved_calls() if has_written else 0,
        problems=tuple(
            sorted(
                (
                    *registries.problems,
                    *files.problems,
                    *access.problems,
                    *relations.problems,
                ),
                key=lambda problem: problem.path,
            )
        ),
        remarks=(*access.remarks, *files.remarks),
        skipped=listing.skipped,
        access=AccessChanges() if published is None else writer.access.changes(),
        snapshot=published,
        embeddings=writer.embeddings.state(),
    )


def find_clearance_problems(
    clearance: Clearance | None, writer: SnapshotWriter, paths: Sequence[str]
) -> list[SourceProblem]:
    """Documents of the newest snapshot that must not be sent to the embedder."""
    if clearance is None:
        return []
    statements = writer.access.statements()
    found = (
        _find_clearance_problem(writer.access, clearance, path, statements.get(path, ()))
        for path in paths
    )
    return [problem for problem in found if problem is not None]


def _find_clearance_problem(
    access: AccessWriter,
    clearance: Clearance | None,
    path: str,
    statements: tuple[AccessStatement, ...],
) -> SourceProblem | None:
    if clearance is None:
        return None
    rule = access.effective_rule(path, statements)
    reason = (
        clearance.reason_against(rule.labels, rule.level) if rule.readers else "nobody may read it"
    )
    return SourceProblem(path, f"not sent to the embedder: {reason}") if reason else None


def _read_relations_file(source: Source, listing: SourceListing, repository: str) -> RelationsFile:
    if listing.relations is None:
        return RelationsFile((), ())
    data = source.read(listing.relations)
    if isinstance(data, SourceProblem):
        return RelationsFile((), (data,))
    return parse_relations_file(data, repository)


def _list_unresolved(
    references: ReferenceWriter, counts: tuple[ReferenceCount, ...]
) -> tuple[UnresolvedReference, ...]:
    relations = sorted({count.relation for count in counts if count.unresolved})
    return tuple(one for name in relations for one in references.unresolved(name, MAX_UNRESOLVED))
