"""Login: the only place that makes a Principal."""

from docgraph.model.access import LOCAL, RIGHTS, Person, Principal


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
    return Principal(
        id=person.id,
        tenant=person.tenant,
        groups=person.groups,
        labels=person.labels,
        clearance=person.clearance,
        rights=person.rights,
        by=asker.id,
    )
