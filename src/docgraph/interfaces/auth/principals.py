"""The only place that makes a Principal."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from docgraph.model.access import (
    LOCAL,
    RIGHTS,
    ApiKey,
    Person,
    Principal,
    key_credential,
    token_credential,
)
from docgraph.model.errors import BadInput
from docgraph.model.ingest_job import IngestJob

if TYPE_CHECKING:
    from docgraph.engine.administration import Administration


def local(labels: frozenset[str] = frozenset()) -> Principal:
    """The person at the keyboard of an embedded store: `local`, of group `local`."""
    return Principal(
        id=LOCAL,
        tenant=LOCAL,
        groups=frozenset({LOCAL}),
        labels=labels,
        rights=frozenset(RIGHTS),
    )


def impersonated(person: Person, asker: Principal) -> Principal:
    """What this person would get. The asker holds the store, and with it all there is to see."""
    return _made(person, by=asker.id)


def of_key(person: Person, key: ApiKey) -> Principal:
    """The person whom a key stands for, with the rights that they have now."""
    return _made(person, by=key_credential(key.id))


def of_token(person: Person, issuer: str) -> Principal:
    """Whom a signed token speaks of, as the issuer says, not as a store knows them."""
    return _made(person, by=token_credential(issuer))


def resumed(ingestion: IngestJob) -> Principal:
    """Whoever asked for an ingestion, with the rights of then. Whether these still count is for
    `asked_before` to say."""
    return _made(ingestion.asked_by, by=ingestion.by)


def _made(person: Person, by: str) -> Principal:
    return Principal(
        id=person.id,
        tenant=person.tenant,
        groups=person.groups,
        labels=person.labels,
        clearance=person.clearance,
        rights=person.rights,
        by=by,
    )


# Asking in somebody's name, where whoever asks holds the store itself.


ReaderLike = str | Person | None


def principal_for(who: ReaderLike, administration: "Callable[[], Administration]") -> Principal:
    """None is the person at the keyboard, a name is someone whom the store knows.

    A Person was verified by the program around us, and counts as it stands: that program holds
    the store, and with it all there is to see. The audit names who asked in whose name.
    """
    me = local()
    if who is None:
        return me
    if isinstance(who, Person):
        return impersonated(who, me)
    if not who.strip():
        raise BadInput("to ask in somebody's name, name them")
    return impersonated(administration().person(me, who), me)
