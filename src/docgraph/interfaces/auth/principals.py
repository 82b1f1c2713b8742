"""The only module that creates a Principal."""

from collections.abc import Callable
from dataclasses import replace
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


def owner_of(tenant: str) -> Principal:
    """Who owns the process of a server, and what its settings say, within one tenant."""
    return replace(local(), tenant=tenant)


def impersonated(person: Person, caller: Principal) -> Principal:
    """The person, as `caller` asks for them; the caller holds the whole store anyway."""
    return _principal(person, by=caller.id)


def principal_of_key(person: Person, key: ApiKey) -> Principal:
    """The person of a key, with the rights that they have now."""
    return _principal(person, by=key_credential(key.id))


def principal_of_token(person: Person, issuer: str) -> Principal:
    """The person of a signed token, as its issuer describes them."""
    return _principal(person, by=token_credential(issuer))


def principal_of_job(job: IngestJob) -> Principal:
    """The owner of a job with the rights of then; ResumedAuthentication checks them again."""
    return _principal(job.requester, by=job.authenticated_by)


def _principal(person: Person, by: str) -> Principal:
    return Principal(
        id=person.id,
        tenant=person.tenant,
        groups=person.groups,
        labels=person.labels,
        clearance=person.clearance,
        rights=person.rights,
        by=by,
    )


# Impersonation, for a caller who holds the store itself.


ReaderLike = str | Person | None


def principal_for(who: ReaderLike, administration: "Callable[[], Administration]") -> Principal:
    """None is the person at the keyboard, a name is a person that the store knows.

    A Person was verified by the calling program and counts as given: that program holds the
    whole store anyway. The audit log names both.
    """
    me = local()
    if who is None:
        return me
    if isinstance(who, Person):
        return impersonated(who, me)
    if not who.strip():
        raise BadInput("to ask in somebody's name, name them")
    return impersonated(administration().person(me, who), me)
