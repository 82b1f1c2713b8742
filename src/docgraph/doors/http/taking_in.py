"""Taking in what was asked for: the source is found again, and read in the asker's name."""

from collections.abc import Callable
from dataclasses import dataclass

from docgraph.doors.http.roots import Place, Roots
from docgraph.doors.http.rules_above import check_rules_above, check_rules_of_commit
from docgraph.doors.login.asked_before import AskedBefore
from docgraph.doors.login.principals import resumed
from docgraph.doors.readers import told_readers
from docgraph.engine import Engine
from docgraph.ingest.result import IngestResult, Progress
from docgraph.model.access import LOCAL, LOCAL_ONLY, Principal
from docgraph.model.errors import BadInput, DocgraphError
from docgraph.model.ingestion import Ingestion, IngestionRequest
from docgraph.requested import NOTHING_THERE, Readable, RequestedIngestions
from docgraph.wiring.sources import open_source


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What an ingestion did, and who can read what came of it."""

    ingest: IngestResult
    readable: Readable


@dataclass(frozen=True, slots=True)
class TakingIn:
    engine: Engine
    ingestions: RequestedIngestions
    roots: Roots
    asked_before: AskedBefore

    def __call__(self, asked: Ingestion, progress: Callable[[Progress], None]) -> TakenIn:
        """Errors speak of the path as it was asked for, not of where that lies."""
        principal = self.ingestions.begin(resumed(asked), lambda: self.asked_before.who(asked))
        place = self.roots.find(asked.request.path, principal.tenant)
        if place is None:
            raise BadInput(NOTHING_THERE)
        check_rules_above(place)
        try:
            return self._taken_in(asked.request, principal, place, progress)
        except DocgraphError as error:
            told = str(error)
            hidden = told.replace(str(place.path), asked.request.path).replace(str(place.root), "…")
            if hidden != told:
                raise BadInput(hidden) from error
            raise

    def _taken_in(
        self,
        request: IngestionRequest,
        principal: Principal,
        place: Place,
        progress: Callable[[Progress], None],
    ) -> TakenIn:
        told = told_readers(principal.tenant, request.readers or (), request.labels, request.level)
        rule = told.rule
        is_local = principal.id == LOCAL and principal.tenant == LOCAL
        with open_source(
            place.path,
            repository=request.repository,
            branch=request.branch,
            ref=request.ref,
            inside=place.root,
        ) as opened:
            if opened.origin.revision:
                check_rules_of_commit(place, opened.origin.revision)
            result = self.engine.ingest(
                principal,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                narrowed_by=told.narrowed_by,
                otherwise=LOCAL_ONLY if is_local else None,
                without=request.without,
                origin=opened.origin,
                progress=progress,
            )
        readable = self.ingestions.readable(principal, opened.repository, opened.branch)
        return TakenIn(result, readable)
