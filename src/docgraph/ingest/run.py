"""One ingest: a source goes in, a published snapshot comes out, or nothing at all."""

from collections.abc import Callable, Iterable
from functools import partial

from docgraph.ingest.chunks import SIZE
from docgraph.ingest.curated import Curated, curated
from docgraph.ingest.given import take_given
from docgraph.ingest.intake import Intake
from docgraph.ingest.mine.mine import ALL_MINERS
from docgraph.ingest.mine.titles import mine_titles
from docgraph.ingest.result import IngestResult, Progress
from docgraph.ingest.rulebook import Rulebook, read_access
from docgraph.ingest.survey import Survey, nothing_usable, survey
from docgraph.ingest.write import write
from docgraph.model.access import AccessRule, Spoken
from docgraph.model.edge import Relationship
from docgraph.model.egress import Ceiling
from docgraph.model.places import PlaceCount, Unresolved
from docgraph.ports.embedder import Embedder
from docgraph.ports.source import Problem, Source
from docgraph.ports.writes import Origin, Writes

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
