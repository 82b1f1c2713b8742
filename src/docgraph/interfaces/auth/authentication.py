"""Authentication by the Authorization header."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from docgraph.interfaces.auth.api_keys import (
    MARK,
    ApiKeyAuthentication,
    FindPerson,
    ResumedAuthentication,
)
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.auth.tokens import TokenAuthentication
from docgraph.interfaces.server.worker_pool import WorkerPool
from docgraph.model.access import Principal
from docgraph.model.errors import NotAuthenticated
from docgraph.ports.auth import LONGEST_TOKEN
from docgraph.wiring.backends import open_stores
from docgraph.wiring.build import open_token_issuer

if TYPE_CHECKING:
    from docgraph.model.access import Person
    from docgraph.ports.store import Store
    from docgraph.wiring.settings import Settings


class Authentication:
    """Safe for threads. NotAuthenticated says why, for the operator's log alone."""

    def __init__(
        self, keys: ApiKeyAuthentication | None = None, tokens: TokenAuthentication | None = None
    ) -> None:
        self._keys = keys
        self._tokens = tokens

    @property
    def open_to_local(self) -> bool:
        """No login is configured: every caller is the person at the keyboard.

        A server then listens on loopback addresses alone.
        """
        return self._keys is None and self._tokens is None

    @property
    def issuers(self) -> tuple[str, ...]:
        return () if self._tokens is None else self._tokens.issuers

    def issuer_of(self, authorization: str | None) -> str | None:
        """The issuer whose keys are needed to authenticate; None where nothing is fetched."""
        if self._tokens is None or authorization is None or len(authorization) > LONGEST_TOKEN:
            return None
        credential = authorization.partition(" ")[2].strip(" ")
        return None if credential.startswith(MARK) else self._tokens.issuer_of(credential)

    def authenticate(self, authorization: str | None) -> Principal:
        if self.open_to_local:
            return local()
        if authorization is None:
            raise NotAuthenticated("no Authorization header")
        if len(authorization) > LONGEST_TOKEN:
            raise NotAuthenticated(
                f"an Authorization header of more than {LONGEST_TOKEN:,} characters"
            )
        scheme, _, credential = authorization.partition(" ")
        if scheme.lower() != "bearer" or not credential.strip(" "):
            raise NotAuthenticated("the Authorization header is not `Bearer`, with a credential")
        return self._authenticate(credential.strip(" "))

    def _authenticate(self, credential: str) -> Principal:
        if credential.startswith(MARK):
            if self._keys is None:
                raise NotAuthenticated("an API key was shown, and none is taken here")
            return self._keys.authenticate(credential)
        if self._tokens is None:
            raise NotAuthenticated("a token was shown, and none is taken here")
        return self._tokens.authenticate(credential)


# Building from settings.


def build_authentication(settings: "Settings") -> Authentication:
    """Nothing is fetched yet: an issuer's keys are read with the first token."""
    tokens = None
    if settings.login.tokens:
        tokens = TokenAuthentication(
            [(open_token_issuer(one), one) for one in settings.login.tokens]
        )
    return Authentication(_key_authentication(settings), tokens)


def build_resumed_authentication(settings: "Settings") -> ResumedAuthentication:
    issuers = frozenset(one.issuer for one in settings.login.tokens)
    return ResumedAuthentication(_key_authentication(settings), issuers, _now)


def _key_authentication(settings: "Settings") -> ApiKeyAuthentication | None:
    if not settings.login.keys:
        return None
    stores = open_stores(settings)
    return ApiKeyAuthentication(stores.api_keys, _people(stores.store), now=_now)


def _now() -> datetime:
    return datetime.now(UTC)


def _people(store: "Store") -> FindPerson:
    def find_person(tenant: str, name: str) -> "Person | None":
        with store.access_policy(tenant) as policy:
            return policy.person(name)

    return find_person


# Authentication in threads of its own: a slow issuer delays no authenticated request, no API key,
# and no token of another issuer.


THREADS, WAITING = 8, 512


class AuthBackend(Protocol):
    """What a server needs of Authentication."""

    @property
    def open_to_local(self) -> bool: ...

    @property
    def issuers(self) -> tuple[str, ...]: ...

    def issuer_of(self, authorization: str | None) -> str | None: ...

    def authenticate(self, authorization: str | None) -> Principal: ...


class Authenticator:
    """Without a login there is nothing to wait for. A full queue raises Overloaded."""

    def __init__(self, login: AuthBackend, threads: int = THREADS, waiting: int = WAITING) -> None:
        self._login = login
        sources: tuple[str | None, ...] = () if login.open_to_local else (None, *login.issuers)
        self._workers = {one: WorkerPool("login", threads, waiting) for one in sources}

    async def authenticate(self, headers: Sequence[str]) -> Principal:
        """By the only Authorization header: of two, a proxy may have checked the other."""
        if len(headers) > 1:
            raise NotAuthenticated("more than one Authorization header")
        credential = headers[0] if headers else None
        if not self._workers:
            return self._login.authenticate(credential)
        workers = self._workers[self._login.issuer_of(credential)]
        submitted = workers.submit(lambda: self._login.authenticate(credential), None)
        return await asyncio.wrap_future(submitted)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """To be entered while requests are served."""
        try:
            yield
        finally:
            for workers in self._workers.values():
                workers.close(0)
