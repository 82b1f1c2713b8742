"""API keys: whoever shows one is the person it stands for, as the store knows them now."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from docgraph.interfaces.auth.principals import of_key, resumed
from docgraph.model.access import ApiKey, Person, Principal, credential_issuer, credential_key_id
from docgraph.model.errors import NotKnown
from docgraph.model.ingest_job import IngestJob
from docgraph.ports.auth import ApiKeyStore

# Secrets of API keys: how they look, and the hash that is kept of them.


# Of the key's id, which is public, and of what only its holder knows.
ID_BYTES, SECRET_BYTES = 6, 32
MARK = "dg_"
_SECRET = re.compile(r"dg_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


def new_secret() -> tuple[str, str]:
    """An id, and the secret that begins with it."""
    key_id = secrets.token_hex(ID_BYTES)
    return key_id, f"{MARK}{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"


def id_in(secret: str) -> str | None:
    """The id of the key that is meant; None if this is no secret of ours."""
    found = _SECRET.fullmatch(secret)
    return found[1] if found else None


def hashed(secret: str) -> bytes:
    """SHA-256 is enough: nobody tries 256 random bits out, so a slow hash would slow us alone."""
    return hashlib.sha256(secret.encode()).digest()


FindPerson = Callable[[str, str], Person | None]  # by tenant and name
_NOBODYS = bytes(32)


class ApiKeyAuthentication:
    def __init__(
        self, keys: ApiKeyStore, find_person: FindPerson, *, now: Callable[[], datetime]
    ) -> None:
        self._keys = keys
        self._find_person = find_person
        self._now = now

    def authenticate(self, secret: str) -> Principal:
        """An id that nobody has costs what a wrong secret costs."""
        key_id = id_in(secret)
        if key_id is None:
            raise NotKnown("what was shown is no API key")
        found = self._keys.find(key_id)
        same = hmac.compare_digest(hashed(secret), _NOBODYS if found is None else found[1])
        if found is None or not same:
            raise NotKnown(f"API key {key_id}: unknown, or another secret")
        return self._standing_for(found[0])

    def who_has(self, key_id: str) -> Principal:
        """Whom a key stands for that was shown before, if it would still let them in."""
        found = self._keys.find(key_id)
        if found is None:
            raise NotKnown(f"API key {key_id} was taken back")
        return self._standing_for(found[0])

    def _standing_for(self, key: ApiKey) -> Principal:
        if key.expires is not None and datetime.fromisoformat(key.expires) <= self._now():
            raise NotKnown(f"API key {key.id} has expired")
        person = self._find_person(key.tenant, key.person)
        if person is None:
            raise NotKnown(f"API key {key.id} stands for {key.person!r}, who is not known any more")
        return of_key(person, key)


# Whoever asked for something that is done later: may they still?


LONGEST_WAIT = timedelta(days=1)  # for which what a token said of somebody still counts


@dataclass(frozen=True, slots=True)
class ResumedAuthentication:
    """A key and its person are looked up anew. A token cannot be: what it said then counts, for a
    day, and as long as its issuer is trusted."""

    keys: ApiKeyAuthentication | None
    issuers: frozenset[str]
    now: Callable[[], datetime]

    def authenticate(self, asked: IngestJob) -> Principal:
        """As they are now, or NotKnown with why, for the operator's log alone."""
        key_id, issuer = credential_key_id(asked.by), credential_issuer(asked.by)
        if key_id is not None:
            return self._of_key(asked, key_id)
        if issuer is not None:
            self._check_token(asked, issuer)
        return resumed(asked)

    def _of_key(self, asked: IngestJob, key_id: str) -> Principal:
        if self.keys is None:
            raise NotKnown("asked for by an API key, and none is taken here any more")
        found = self.keys.who_has(key_id)
        if (found.tenant, found.id) != (asked.tenant, asked.asked_by.id):
            raise NotKnown(f"API key {key_id} stands for somebody else than who asked")
        return found

    def _check_token(self, asked: IngestJob, issuer: str) -> None:
        if issuer not in self.issuers:
            raise NotKnown(f"asked for by a token of {issuer}, which is not trusted any more")
        if self.now() - datetime.fromisoformat(asked.created) > LONGEST_WAIT:
            raise NotKnown(f"asked for by a token, more than {LONGEST_WAIT} ago")
