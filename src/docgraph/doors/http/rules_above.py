"""Rules above: an access.yaml speaks for all that lies below it, also for who asks for a part."""

import os
from collections.abc import Iterator
from pathlib import Path

from docgraph.doors.http.roots import Place
from docgraph.model.access_lines import is_meant
from docgraph.model.errors import BadInput
from docgraph.wiring.build import git_rules_above

SPOKEN_FOR = "an access.yaml above this path speaks for it; ingest the folder that holds it"


def check_rules_above(place: Place) -> None:
    """Whoever may ingest must not read past the rules by asking for a subfolder, or a file."""
    for folder in (*place.above, *_of_work_tree(place)):
        if _holds_rules(folder):
            raise BadInput(SPOKEN_FOR)


def check_rules_of_commit(place: Place, commit: str) -> None:
    """The same for what a commit holds, whatever lies in the work tree."""
    if git_rules_above(place.path, commit, place.root):
        raise BadInput(SPOKEN_FOR)


def _of_work_tree(place: Place) -> Iterator[Path]:
    """Of the repository that the path lies in, also where that begins above the root."""
    folder = place.path
    ways = (folder, *folder.parents)
    top = next((one for one in ways if os.path.lexists(one / ".git")), folder)
    yield from (one for one in folder.parents if one.is_relative_to(top))


def _holds_rules(folder: Path) -> bool:
    """Also as a link that leads nowhere. What cannot be looked at is not taken for absent."""
    try:
        return any(is_meant(entry.name) for entry in folder.iterdir())
    except OSError:
        return True
