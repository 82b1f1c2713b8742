"""Names of groups, labels, people and tenants: what looks like another name is refused."""

from collections.abc import Sequence

from docgraph.model.access import EVERYONE
from docgraph.model.errors import BadInput

LONGEST_NAME = 200


def check_names(names: Sequence[str]) -> None:
    for name in names:
        if name != " ".join(name.split()) or not name.isprintable() or len(name) > LONGEST_NAME:
            raise BadInput(f"{name!r} cannot be a name: no blanks around it, one at most within")
        if not name:
            raise BadInput("a name is empty")
        if name != EVERYONE and (name.casefold() == EVERYONE or not name.strip("*")):
            raise BadInput(f"{name!r}: write `{EVERYONE}`")
