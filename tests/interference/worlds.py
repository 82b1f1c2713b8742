"""Random corpora that refer to each other in every way a miner knows, and who may read them."""

from hypothesis import strategies as st

from docgraph.model.access import ADMIN, EVERYONE, LOCAL, AccessRule, Person
from docgraph.model.edge import Edge

PATHS = (
    *("a.md", "deep/c.md", "d.rst", "e.txt", "h.md", "pkg/f.py", "pkg/g.py"),
    *("adr/0001-x.md", "adr/0002-y.md", "deep/adr/0002-z.md"),
)
TITLES = ("Rocket", "Rocket Engine", "Rocket (ship)", "Landing Pad", "Fuel", "Launch Plan")
WORDS = ("thrust", "fuel", "orbit", "crew", "valve", "Rocket", "Engine")
NAMES = ("Marie Curie", "Cape Canaveral")
NUMBERS = ("ADR-1", "ADR 0002", "PEP 8")
CODE = ("launch_window", "`Valve`", "Valve.open_up", "pkg.f", "`g.py`", "pkg/f.py")
HEADERS = ("", "supersedes", "replaced_by", "requires", "related")
RELATIONS = ("explains", "supersedes", "references")

ELSEWHERE = "elsewhere"  # another tenant
SECRET = frozenset({"secret"})
RED, BLUE = frozenset({"red"}), frozenset({"blue"})
RULES = (
    AccessRule(LOCAL, frozenset({EVERYONE})),
    AccessRule(LOCAL, RED),
    AccessRule(LOCAL, RED | BLUE),
    AccessRule(LOCAL, BLUE),
    AccessRule(LOCAL),
    AccessRule(LOCAL, RED, SECRET),
    AccessRule(LOCAL, frozenset({EVERYONE}), SECRET),
    AccessRule(LOCAL, frozenset({EVERYONE}), level=1),
    AccessRule(LOCAL, RED | BLUE, SECRET, 2),
    AccessRule(ELSEWHERE, frozenset({EVERYONE})),
)
PEOPLE = (
    Person("rosa", LOCAL, RED),
    Person("nemo", LOCAL),
    Person("rory", LOCAL, RED, SECRET),
    Person("clare", LOCAL, BLUE, clearance=1),
    Person("boss", LOCAL, RED | BLUE, SECRET, 2, frozenset({ADMIN})),
    Person("clerk", LOCAL, BLUE, rights=frozenset({ADMIN})),
)
STRANGER = Person("stranger", ELSEWHERE, RED | BLUE, SECRET, 2)

# The same for the person at the keyboard, whose only group is `local`.
VISIBLE = (
    AccessRule(LOCAL, frozenset({LOCAL})),
    AccessRule(LOCAL, frozenset({EVERYONE})),
    AccessRule(LOCAL, frozenset({LOCAL, "others"})),
)
HIDDEN = (
    AccessRule(LOCAL),
    AccessRule(LOCAL, frozenset({"others"})),
    AccessRule(LOCAL, frozenset({LOCAL}), SECRET),
    AccessRule(LOCAL, frozenset({EVERYONE}), level=1),
    AccessRule(ELSEWHERE, frozenset({EVERYONE})),
)

_SAID = (
    *WORDS,
    *TITLES,
    *NAMES * 3,
    *NUMBERS * 2,
    *CODE,
    *(f"[see](/{path})" for path in PATHS),
    *(f"[there](/{path}#Part)" for path in PATHS),
    *(f"`{path.rpartition('/')[2]}`" for path in PATHS),
)
_bodies = st.lists(st.sampled_from(_SAID), max_size=6).map(" ".join)
_titles = st.sampled_from(TITLES)
_headers = st.sampled_from(HEADERS)
_others = st.sampled_from((*PATHS, *NUMBERS, *TITLES))
_modules = st.sampled_from(
    (
        ("import pkg.{0} as other", "(other.Valve)", "other.launch_window()"),
        ("from pkg import {0} as other", "(other.Valve)", "other.launch_window()"),
        ("from .{0} import Valve as Base, launch_window as far", "(Base)", "far()"),
        ("import json as other", "", "other.loads(1)"),
    )
)


@st.composite
def texts(draw: st.DrawFn, path: str) -> str:
    """Some words, with links, mentions, names, numbers, headers and imports in between."""
    title, body = draw(_titles), draw(_bodies)
    if path.endswith(".py"):
        return _module(title, body, "g" if path.endswith("f.py") else "f", *draw(_modules))
    if path.endswith(".rst"):
        return f"{title}\n{'=' * len(title)}\n\n{body}\n"
    if path.endswith(".txt"):
        return f"{title}\n\n{body}\n"
    header = draw(_headers)
    front = f"---\n{header}: {draw(_others)}\n---\n" if header else ""
    section = f"\n## Part\n\n{body}\n" if draw(st.booleans()) else ""
    return f"{front}# {title}\n\n{body}\n{section}"


def _module(title: str, body: str, other: str, line: str, base: str, call: str) -> str:
    """A module that builds on another and calls it, or does neither."""
    return (
        f'"""{title}. {body}"""\n\n{line.format(other)}\n\n\nclass Valve{base}:\n'
        f"    def open_up(self):\n        return {call}\n\n\n"
        "def launch_window():\n    return Valve().open_up()\n"
    )


@st.composite
def files(draw: st.DrawFn, least: int, most: int) -> dict[str, str]:
    """Some paths, each with a text."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=least, max_size=most, unique=True))
    return {path: draw(texts(path)) for path in paths}


ids = st.sampled_from(
    (
        *(f"r:{path}" for path in PATHS),
        *("r:a.md#part", "r:h.md#part", "r:pkg/f.py::Valve", "r:pkg/g.py::Valve.open_up"),
        *("s:a.md", "t:a.md", "r:absent.md", "absent:a.md"),
    )
)
edges = st.builds(Edge, ids, st.sampled_from(RELATIONS), ids)
