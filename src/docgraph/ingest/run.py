"""One ingest: a source goes in, a published snapshot comes out, or nothing at all."""

from collections import Counter
from collections.abc import Callable, Iterable

from docgraph.ingest.chunks import SIZE
from docgraph.ingest.intake import Intake
from docgraph.ingest.mine.corpus import Corpus
from docgraph.ingest.mine.mine import ALL_MINERS, known_miners, mine
from docgraph.ingest.result import IngestResult, Progress
from docgraph.ingest.survey import nothing_usable, survey
from docgraph.ingest.write import write
from docgraph.model.access import AccessRule
from docgraph.model.edge import Relationship
from docgraph.ports.embedder import Embedder
from docgraph.ports.source import Source
from docgraph.ports.writes import Writes


def ingest(
    source: Source,
    writes: Writes,
    embedder: Embedder,
    *,
    repository: str,
    rule_for: Callable[[str], AccessRule],
    miners: frozenset[str] = ALL_MINERS,
    given: Iterable[Relationship] = (),
    keep: Callable[[Relationship], bool] = lambda _: True,
    progress: Callable[[Progress], None] = lambda _: None,
    chunk_size: int = SIZE,
) -> IngestResult:
    """What is unchanged is not embedded again, what is gone is dropped, edges are mined anew.

    Nothing usable is an error and writes nothing; nothing changed publishes nothing. `keep`
    decides which mined and given edges stay.
    """
    known_miners(miners)
    found, held = survey(source), writes.held()
    total = len(found.files)
    intake = Intake(source, found, held, repository, rule_for, chunk_size)
    written = write(intake.built(), total, writes, embedder, progress)
    if not intake.sketches:
        raise nothing_usable(tuple(intake.problems), found.skipped)
    gone = sorted(held.keys() - {sketch.path for sketch in intake.sketches})
    writes.drop(gone)
    writes.set_rules({path: rule_for(path) for path in intake.unchanged})
    progress(Progress("relations", total, total, written.chunks, written.vectors))
    mined = mine(Corpus(intake.sketches, writes.texts), miners, given)
    kept = tuple(filter(keep, mined.relationships))
    writes.replace_mined(kept)
    edges = Counter(relationship.edge.relation for relationship in kept)
    return IngestResult(
        snapshot=writes.publish() if writes.changed else None,
        added=intake.added,
        changed=intake.changed,
        removed=len(gone),
        unchanged=len(intake.unchanged),
        nodes=written.nodes,
        chunks=written.chunks,
        vectors=written.vectors,
        edges=tuple(sorted(edges.items())),
        found=mined.found,
        unresolved=mined.unresolved,
        problems=tuple(sorted(intake.problems, key=lambda problem: problem.path)),
        remarks=tuple(intake.remarks),
        skipped=found.skipped,
    )
