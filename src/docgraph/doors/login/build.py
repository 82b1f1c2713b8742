"""Building the login that settings ask for."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from docgraph.doors.login.asked_before import AskedBefore
from docgraph.doors.login.key_login import FindPerson, KeyLogin
from docgraph.doors.login.login import Login
from docgraph.doors.login.token_login import TokenLogin
from docgraph.wiring.build import open_keys, open_store, open_token_issuer

if TYPE_CHECKING:
    from docgraph.model.access import Person
    from docgraph.ports.store import Store
    from docgraph.wiring.settings import Settings


def build_login(settings: "Settings") -> Login:
    """Nobody is asked for anything yet: an issuer's keys are read with the first token."""
    tokens = None
    if settings.login.tokens:
        tokens = TokenLogin([(open_token_issuer(one), one) for one in settings.login.tokens])
    return Login(_key_login(settings), tokens)


def build_asked_before(settings: "Settings") -> AskedBefore:
    issuers = frozenset(one.issuer for one in settings.login.tokens)
    return AskedBefore(_key_login(settings), issuers, _now)


def _key_login(settings: "Settings") -> KeyLogin | None:
    if not settings.login.keys:
        return None
    return KeyLogin(open_keys(settings), _people(open_store(settings)), now=_now)


def _now() -> datetime:
    return datetime.now(UTC)


def _people(store: "Store") -> FindPerson:
    def find_person(tenant: str, name: str) -> "Person | None":
        with store.access_book(tenant) as book:
            return book.person(name)

    return find_person
