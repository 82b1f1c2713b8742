"""Login: the only place that makes a Principal."""

from docgraph.model.access import LOCAL, Principal


def local(labels: frozenset[str] = frozenset()) -> Principal:
    """The person at the keyboard of an embedded store: `local`, of group `local`."""
    return Principal(id=LOCAL, tenant=LOCAL, groups=frozenset({LOCAL}), labels=labels)
