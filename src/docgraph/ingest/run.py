"""One ingest: a source goes in, a published snapshot comes out, or nothing at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from docgraph.ingest.access_rules import AccessRules, read_access_file
from docgraph.ingest.changed_files import ChangedFiles
from docgraph.ingest.chunking import CHUNK_CHARACTERS
from docgraph.ingest.discover import SourceListing, list_source, nothing_to_ingest
from docgraph.ingest.embedding import embed
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.miners.titles import mine_titles
from docgraph.ingest.relations_file import RelationsFile, curated, take_given
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import AccessRule, AccessStatement, Clearance
from docgraph.model.edge import Relationship
from docgraph.model.reference import ReferenceCount, UnresolvedReference
from docgraph.ports.models import Embedder
from docgraph.ports.source import Source, SourceProblem
from docgraph.ports.writes import (
    AccessWriter,
    BuiltDocument,
    DocumentWriter,
    EmbeddingWriter,
    ReferenceWriter,
    SnapshotWriter,
    SourceRevision,
)

# Writing documents in short batches, so that memory and locks stay small.


BATCH_FILES = 64
BATCH_CHUNKS = 512


@dataclass(frozen=True, slots=True)
class Written:
    nodes: int
    chunks: int
    vectors: int


def write(
    built: Iterable[BuiltDocument | None],
    total: int,
    documents: DocumentWriter,
    embeddings: EmbeddingWriter,
    embedder: Embedder,
    progress: Callable[[Progress], None],
) -> Written:
    """`total` files are expected; None stands for one with nothing to write."""
    files = nodes = chunks = vectors = 0
    for batch in batches(built):
        ready = embed([one for one in batch if one is not None], embeddings, embedder)
        if ready.documents:
            documents.add(ready.documents)
        files += len(batch)
        nodes += sum(len(found.document.nodes) for found in ready.documents)
        chunks += sum(len(found.document.chunks) for found in ready.documents)
        vectors += ready.computed
        progress(Progress("documents", files, total, chunks, vectors))
    return Written(nodes, chunks, vectors)


def batches(built: Iterable[BuiltDocument | None]) -> Iterator[list[BuiltDocument | None]]:
    batch: list[BuiltDocument | None] = []
    chunks = 0
    for one in built:
        batch.append(one)
        chunks += len(one.chunk_texts) if one is not None else 0
        if len(batch) >= BATCH_FILES or chunks >= BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch


MOST_UNRESOLVED = 100  # of each relation are shown; all are counted


def ingest(
    source: Source,
    writer: SnapshotWriter,
    embedder: Embedder,
    *,
    repository: str,
    tenant: str,
    rule_for: Callable[[str], AccessRule] | None = None,
    otherwise: AccessRule | None = None,
    narrowed_by: AccessRule | None = None,
    miners: frozenset[str] = ALL_MINERS,
    given: Iterable[Relationship] = (),
    origin: SourceRevision | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    chunk_size: int = CHUNK_CHARACTERS,
    ceiling: Clearance | None = None,
) -> IngestResult:
    """What is unchanged is not parsed again, what is gone is dropped.

    `ceiling` bounds what may be sent to the embedder, where that runs elsewhere.

    Nothing usable is an error and writes nothing; nothing changed publishes nothing.
    """
    found, held = list_source(source), writer.documents.stored()
    total = len(found.files)
    access = read_access_file(source, found.access, tenant)
    rulebook = AccessRules(tenant, access.rules, rule_for, otherwise, narrowed_by)
    refused = partial(_withheld, writer.access, ceiling)
    intake = ChangedFiles(source, found, held, repository, rulebook, chunk_size, refused=refused)
    written = write(intake.built(), total, writer.documents, writer.embeddings, embedder, progress)
    if intake.nothing:
        raise nothing_to_ingest((*intake.problems, *access.problems), found.skipped)
    gone = intake.gone()
    writer.documents.remove(gone)
    writer.access.set_statements(intake.told(writer.access.statements()))
    writer.access.move_manual_rules((moved.old, moved.new) for moved in intake.renamed())
    writer.access.set_file_rules(access.rules)
    writer.references.set_miners(miners)
    told = _curated(source, found, repository)
    missing = take_given(writer.documents, writer.edges, (*given, *told.relationships))
    places: tuple[ReferenceCount, ...] = ()
    if intake.added or intake.changed:
        progress(Progress("relations", total, total, written.chunks, written.vectors))
        mine_titles(writer.documents, writer.references)
        places = writer.references.counts()
    return IngestResult(
        added=intake.added,
        changed=len(intake.changed),
        removed=len(gone),
        unchanged=len(intake.unchanged),
        renamed=intake.renamed(),
        nodes=written.nodes,
        chunks=written.chunks,
        vectors=written.vectors,
        places=places,
        missing=len(missing),
        unresolved=(*missing, *_unresolved(writer.references, places)),
        opaque=writer.references.unresolved_calls(),
        problems=tuple(
            sorted(
                (*intake.problems, *access.problems, *told.problems),
                key=lambda problem: problem.path,
            )
        ),
        remarks=tuple(intake.remarks),
        skipped=found.skipped,
        snapshot=writer.publish(origin) if writer.has_changes(origin) else None,
    )


def _withheld(
    access: AccessWriter,
    ceiling: Clearance | None,
    path: str,
    told: tuple[AccessStatement, ...],
) -> SourceProblem | None:
    if ceiling is None:
        return None
    rule = access.effective_rule(path, told)
    objection = (
        ceiling.reason_against(rule.labels, rule.level) if rule.readers else "nobody may read it"
    )
    return SourceProblem(path, f"not sent to the embedder: {objection}") if objection else None


def _curated(source: Source, found: SourceListing, repository: str) -> RelationsFile:
    if found.relations is None:
        return RelationsFile((), ())
    data = source.read(found.relations)
    return (
        RelationsFile((), (data,)) if isinstance(data, SourceProblem) else curated(data, repository)
    )


def _unresolved(
    references: ReferenceWriter, places: tuple[ReferenceCount, ...]
) -> tuple[UnresolvedReference, ...]:
    wanting = sorted({found.relation for found in places if found.unmet})
    return tuple(one for name in wanting for one in references.unresolved(name, MOST_UNRESOLVED))
