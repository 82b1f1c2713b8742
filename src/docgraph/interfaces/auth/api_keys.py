"""API keys: a valid key authenticates its person, with the rights that the store has now."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from docgraph.interfaces.auth.principals import principal_of_job, principal_of_key
from docgraph.model.access import ApiKey, Person, Principal, credential_issuer, credential_key_id
from docgraph.model.errors import NotAuthenticated
from docgraph.model.ingest_job import IngestJob
from docgraph.ports.auth import ApiKeyStore

# Secrets of API keys: their form, and the hash that is stored.


# Of the public key id, and of the secret part.
ID_BYTES, SECRET_BYTES = 6, 32
MARK = "dg_"
_SECRET = re.compile(r"dg_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


def new_secret() -> tuple[str, str]:
    """An id, and a secret that contains it."""
    key_id = secrets.token_hex(ID_BYTES)
    return key_id, f"{MARK}{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"


def key_id_in(secret: str) -> str | None:
    """The key's id; None if this is no secret of an API key."""
    found = _SECRET.fullmatch(secret)
    return found[1] if found else None


def hash_secret(secret: str) -> bytes:
    """SHA-256 suffices: 256 random bits cannot be guessed, so a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).digest()


FindPerson = Callable[[str, str], Person | None]  # by tenant and name
_NO_HASH = bytes(32)


class ApiKeyAuthentication:
    def __init__(
        self, keys: ApiKeyStore, find_person: FindPerson, *, now: Callable[[], datetime]
    ) -> None:
        self._keys = keys
        self._find_person = find_person
        self._now = now

    def authenticate(self, secret: str) -> Principal:
        """An unknown id takes as long as a wrong secret."""
        key_id = key_id_in(secret)
        if key_id is None:
            raise NotAuthenticated("what was shown is no API key")
        found = self._keys.find(key_id)
        same = hmac.compare_digest(hash_secret(secret), _NO_HASH if found is None else found[1])
        if found is None or not same:
            raise NotAuthenticated(f"API key {key_id}: unknown, or another secret")
        return self._authenticate(found[0])

    def principal_of(self, key_id: str) -> Principal:
        """The person of a key that was presented before, if it is still valid."""
        found = self._keys.find(key_id)
        if found is None:
            raise NotAuthenticated(f"API key {key_id} was taken back")
        return self._authenticate(found[0])

    def _authenticate(self, key: ApiKey) -> Principal:
        if key.expires is not None and datetime.fromisoformat(key.expires) <= self._now():
            raise NotAuthenticated(f"API key {key.id} has expired")
        person = self._find_person(key.tenant, key.principal)
        if person is None:
            raise NotAuthenticated(
                f"API key {key.id} stands for {key.principal!r}, who is not known any more"
            )
        return principal_of_key(person, key)


# Authenticating the owner of a job again, when it runs.


LONGEST_WAIT = timedelta(days=1)  # for which a token's statements still count


@dataclass(frozen=True, slots=True)
class ResumedAuthentication:
    """A key and its person are looked up again. A token's statements count for a day, as long as
    its issuer is trusted."""

    keys: ApiKeyAuthentication | None
    issuers: frozenset[str]
    now: Callable[[], datetime]

    def authenticate(self, job: IngestJob) -> Principal:
        """With today's rights; NotAuthenticated says why not, for the operator's log alone."""
        key_id, issuer = (
            credential_key_id(job.authenticated_by),
            credential_issuer(job.authenticated_by),
        )
        if key_id is not None:
            return self._of_key(job, key_id)
        if issuer is not None:
            self._check_token(job, issuer)
        return principal_of_job(job)

    def _of_key(self, job: IngestJob, key_id: str) -> Principal:
        if self.keys is None:
            raise NotAuthenticated("asked for by an API key, and none is taken here any more")
        found = self.keys.principal_of(key_id)
        if (found.tenant, found.id) != (job.tenant, job.requester.id):
            raise NotAuthenticated(f"API key {key_id} stands for somebody else than who asked")
        return found

    def _check_token(self, job: IngestJob, issuer: str) -> None:
        if issuer not in self.issuers:
            raise NotAuthenticated(
                f"asked for by a token of {issuer}, which is not trusted any more"
            )
        if self.now() - datetime.fromisoformat(job.created) > LONGEST_WAIT:
            raise NotAuthenticated(f"asked for by a token, more than {LONGEST_WAIT} ago")
