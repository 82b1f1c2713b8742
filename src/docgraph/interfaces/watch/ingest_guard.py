"""The deadline of a watcher's ingest, which is not published if git switches branches."""

from collections.abc import Callable

from docgraph.model.errors import SourceChanged
from docgraph.ports.cancellation import RepeatedDeadline


class IngestGuard(RepeatedDeadline):
    """`is_same` says whether git has written nothing since the ingest began."""

    def __init__(self, is_same: Callable[[], bool]) -> None:
        super().__init__()
        self._is_same = is_same

    def begin_commit(self) -> None:
        if not self._is_same():
            raise SourceChanged("git wrote files during the ingest; nothing was published")
        super().begin_commit()
