"""Whoever asked for something that is done later: may they still?"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from docgraph.doors.login.key_login import KeyLogin
from docgraph.doors.login.principals import resumed
from docgraph.model.access import Principal
from docgraph.model.credential import issuer_in, key_in
from docgraph.model.errors import NotKnown
from docgraph.model.ingestion import Ingestion

LONGEST_WAIT = timedelta(days=1)  # for which what a token said of somebody still counts


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """A key and its person are looked up anew. A token cannot be: what it said then counts, for a
    day, and as long as its issuer is trusted."""

    keys: KeyLogin | None
    issuers: frozenset[str]
    now: Callable[[], datetime]

    def who(self, asked: Ingestion) -> Principal:
        """As they are now, or NotKnown with why, for the operator's log alone."""
        key_id, issuer = key_in(asked.by), issuer_in(asked.by)
        if key_id is not None:
            return self._of_key(asked, key_id)
        if issuer is not None:
            self._check_token(asked, issuer)
        return resumed(asked)

    def _of_key(self, asked: Ingestion, key_id: str) -> Principal:
        if self.keys is None:
            raise NotKnown("asked for by an API key, and none is taken here any more")
        found = self.keys.who_has(key_id)
        if (found.tenant, found.id) != (asked.tenant, asked.asked_by.id):
            raise NotKnown(f"API key {key_id} stands for somebody else than who asked")
        return found

    def _check_token(self, asked: Ingestion, issuer: str) -> None:
        if issuer not in self.issuers:
            raise NotKnown(f"asked for by a token of {issuer}, which is not trusted any more")
        if self.now() - datetime.fromisoformat(asked.created) > LONGEST_WAIT:
            raise NotKnown(f"asked for by a token, more than {LONGEST_WAIT} ago")
