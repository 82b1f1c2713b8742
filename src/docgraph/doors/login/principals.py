"""The only place that makes a Principal."""

from docgraph.model.access import LOCAL, RIGHTS, Person, Principal
from docgraph.model.api_key import ApiKey
from docgraph.model.credential import by_key, by_token
from docgraph.model.ingestion import Ingestion


def local(labels: frozenset[str] = frozenset()) -> Principal:
    """The person at the keyboard of an embedded store: `local`, of group `local`."""
    return Principal(
        id=LOCAL,
        tenant=LOCAL,
        groups=frozenset({LOCAL}),
        labels=labels,
        rights=frozenset(RIGHTS),
    )


def in_the_name_of(person: Person, asker: Principal) -> Principal:
    """What this person would get. The asker holds the store, and with it all there is to see."""
    return _made(person, by=asker.id)


def of_key(person: Person, key: ApiKey) -> Principal:
    """The person whom a key stands for, with the rights that they have now."""
    return _made(person, by=by_key(key.id))


def of_token(person: Person, issuer: str) -> Principal:
    """Whom a signed token speaks of, as the issuer says, not as a store knows them."""
    return _made(person, by=by_token(issuer))


def resumed(ingestion: Ingestion) -> Principal:
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
