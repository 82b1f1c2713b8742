"""One ingest: a source goes in, a published snapshot comes out, or nothing at all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from docgraph.ingest.access_rules import Rulebook, read_access
from docgraph.ingest.build_document import Built
from docgraph.ingest.changed_files import Intake
from docgraph.ingest.chunking import SIZE
from docgraph.ingest.discover import Survey, nothing_usable, survey
from docgraph.ingest.embedding import embed
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.miners.titles import mine_titles
from docgraph.ingest.relations_file import Curated, curated, take_given
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import AccessRule, Ceiling, Spoken
from docgraph.model.edge import Relationship
from docgraph.model.reference import PlaceCount, Unresolved
from docgraph.ports.models import Embedder
from docgraph.ports.source import Problem, Source
from docgraph.ports.writes import Origin, Writes

# Writing documents in short batches, so that memory and locks stay small.


BATCH_FILES = 64
BATCH_CHUNKS = 512


@dataclass(frozen=True, slots=True)
class Written:
    nodes: int
    chunks: int
    vectors: int


def write(
    built: Iterable[Built | None],
    total: int,
    writes: Writes,
    embedder: Embedder,
    progress: Callable[[Progress], None],
) -> Written:
    """`total` files are expected; None stands for one with nothing to write."""
    files = nodes = chunks = vectors = 0
    for batch in batches(built):
        ready = embed([one for one in batch if one is not None], writes, embedder)
        if ready.documents:
            writes.put(ready.documents)
        files += len(batch)
        nodes += sum(len(found.document.nodes) for found in ready.documents)
        chunks += sum(len(found.document.chunks) for found in ready.documents)
        vectors += ready.computed
        progress(Progress("documents", files, total, chunks, vectors))
    return Written(nodes, chunks, vectors)


def batches(built: Iterable[Built | None]) -> Iterator[list[Built | None]]:
    batch: list[Built | None] = []
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
    writes: Writes,
    embedder: Embedder,
    *,
    repository: str,
    tenant: str,
    rule_for: Callable[[str], AccessRule] | None = None,
    otherwise: AccessRule | None = None,
    narrowed_by: AccessRule | None = None,
    miners: frozenset[str] = ALL_MINERS,
    given: Iterable[Relationship] = (),
    origin: Origin | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    chunk_size: int = SIZE,
    ceiling: Ceiling | None = None,
) -> IngestResult:
    """What is unchanged is not parsed again, what is gone is dropped.

    `ceiling` bounds what may be sent to the embedder, where that runs elsewhere.

    Nothing usable is an error and writes nothing; nothing changed publishes nothing.
    """
    found, held = survey(source), writes.held()
    total = len(found.files)
    access = read_access(source, found.access, tenant)
    rulebook = Rulebook(tenant, access.lines, rule_for, otherwise, narrowed_by)
    refused = partial(_withheld, writes, ceiling)
    intake = Intake(source, found, held, repository, rulebook, chunk_size, refused=refused)
    written = write(intake.built(), total, writes, embedder, progress)
    if intake.nothing:
        raise nothing_usable((*intake.problems, *access.problems), found.skipped)
    gone = intake.gone()
    writes.drop(gone)
    writes.set_told(intake.told(writes.remembered()))
    writes.follow((moved.old, moved.new) for moved in intake.renamed())
    writes.use_access_lines(access.lines)
    writes.use_miners(miners)
    told = _curated(source, found, repository)
    missing = take_given(writes, (*given, *told.relationships))
    places: tuple[PlaceCount, ...] = ()
    if intake.added or intake.changed:
        progress(Progress("relations", total, total, written.chunks, written.vectors))
        mine_titles(writes)
        places = writes.places()
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
        unresolved=(*missing, *_unresolved(writes, places)),
        opaque=writes.opaque(),
        problems=tuple(
            sorted(
                (*intake.problems, *access.problems, *told.problems),
                key=lambda problem: problem.path,
            )
        ),
        remarks=tuple(intake.remarks),
        skipped=found.skipped,
        snapshot=writes.publish(origin) if writes.changed(origin) else None,
    )


def _withheld(
    writes: Writes, ceiling: Ceiling | None, path: str, told: tuple[Spoken, ...]
) -> Problem | None:
    if ceiling is None:
        return None
    rule = writes.rule(path, told)
    objection = ceiling.objection(rule.labels, rule.level) if rule.readers else "nobody may read it"
    return Problem(path, f"not sent to the embedder: {objection}") if objection else None


def _curated(source: Source, found: Survey, repository: str) -> Curated:
    if found.relations is None:
        return Curated((), ())
    data = source.read(found.relations)
    return Curated((), (data,)) if isinstance(data, Problem) else curated(data, repository)


def _unresolved(writes: Writes, places: tuple[PlaceCount, ...]) -> tuple[Unresolved, ...]:
    wanting = sorted({found.relation for found in places if found.unmet})
    return tuple(one for name in wanting for one in writes.unresolved(name, MOST_UNRESOLVED))
