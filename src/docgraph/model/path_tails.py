"""Path tails: the names by which a question that quotes a file's path may mean one of ours.

A traceback or a link writes the path as it is on another machine: its ends are what we share.
"""

import re
from collections.abc import Iterator

from docgraph.model.names import normalised

DEEPEST = 12  # folders of a quoted path that may be ours
_PATH = re.compile(r"(?<![\w.~+@:/\\-])[\w.~+@:-]*(?:[/\\]+[\w.~+@:-]+)+")
_BETWEEN = re.compile(r"[/\\]+")
_FILE = re.compile(r"(?P<stem>[^:]*[^.:])\.(?P<suffix>[A-Za-z]\w*)(?::.*|\.+)?")


def path_tails(question: str) -> tuple[str, ...]:
    """Normalised, in order of appearance, longest first, each once, none of one name alone.

    `/lib/pkg/m.py` may be `lib/pkg/m.py` or `pkg/m.py`, and the module `lib.pkg.m` or `pkg.m`.
    A path counts when it ends in a file with a suffix; a line number or an anchor is left off.
    """
    found = (normalised(tail) for match in _PATH.finditer(question) for tail in _tails(match[0]))
    return tuple(dict.fromkeys(found))


def _tails(path: str) -> Iterator[str]:
    *folders, last = _BETWEEN.split(path)
    file = _FILE.fullmatch(last)
    if file is None:
        return
    ours = [folder for folder in folders if folder.strip(".")][-DEEPEST:]
    for start in range(len(ours)):
        above = ours[start:]
        yield "/".join((*above, f"{file['stem']}.{file['suffix']}"))
        yield ".".join((*above, file["stem"]))
