"""Random corpora that refer to each other in every way a miner knows, and who may read them."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from docgraph.model import access
from docgraph.model.access import EVERYONE, LOCAL, AccessRule, Person

PATHS = (
    *("a.md", "deep/c.md", "d.rst", "e.txt", "h.md", "pkg/f.py", "pkg/g.py"),
    *("adr/0001-x.md", "adr/0002-y.md", "deep/adr/0002-z.md"),
)
TITLES = ("Rocket", "Rocket Engine", "Rocket (ship)", "Landing Pad", "Fuel")
WORDS = ("thrust", "fuel", "orbit", "crew", "valve", "Rocket", "Engine")
NAMES = ("Marie Curie", "Cape Canaveral")
NUMBERS = ("ADR-1", "ADR 0002", "PEP 8")
CODE = ("launch_window", "`Valve`", "Valve.open_up", "pkg.f", "`g.py`", "pkg/f.py")
HEADERS = ("", "supersedes", "replaced_by", "requires", "related")
RELATIONS = ("explains", "supersedes", "references")

ELSEWHERE = "elsewhere"  # another tenant
NEVER_SEEN = "t"  # a repository of which no reader sees anything
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
    Person("boss", LOCAL, RED | BLUE, SECRET, 2, frozenset({access.RELATIONS})),
    Person("clerk", LOCAL, BLUE, rights=frozenset(access.RIGHTS)),
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
    *TITLES * 3,
    *NAMES * 3,
    *NUMBERS * 2,
    *CODE,
    *(f"[see](/{path})" for path in PATHS),
    *(f"[there](/{path}#Part)" for path in PATHS),
    *(f"`{path.rpartition('/')[2]}`" for path in PATHS),
)
_MODULES = (
    ("import pkg.{0} as other", "(other.Valve)", "other.launch_window()"),
    ("from pkg import {0} as other", "(other.Valve)", "other.launch_window()"),
    ("from .{0} import Valve as Base, launch_window as far", "(Base)", "far()"),
    ("import json as other", "", "other.loads(1)"),
)
Choose = Callable[[Sequence[Any]], Any]


def text(path: str, choose: Choose) -> str:
    """Some words, with links, mentions, names, numbers, headers and imports in between."""
    title = choose(TITLES)
    body = " ".join(choose(_SAID) for _ in range(choose(range(7))))
    if path.endswith(".py"):
        return _module(title, body, "g" if path.endswith("f.py") else "f", *choose(_MODULES))
    if path.endswith(".rst"):
        return f"{title}\n{'=' * len(title)}\n\n{body}\n"
    if path.endswith(".txt"):
        return f"{title}\n\n{body}\n"
    header = choose(HEADERS)
    front = f"---\n{header}: {choose((*PATHS, *NUMBERS, *TITLES))}\n---\n" if header else ""
    section = f"\n## Part\n\n{body}\n" if choose((False, True)) else ""
    return f"{front}# {title}\n\n{body}\n{section}"


def _module(title: str, body: str, other: str, line: str, base: str, call: str) -> str:
    """A module that builds on another and calls it, or does neither."""
    return (
        f'"""{title}. {body}"""\n\n{line.format(other)}\n\n\nclass Valve{base}:\n'
        f"    def open_up(self):\n        return {call}\n\n\n"
        "def launch_window():\n    return Valve().open_up()\n"
    )


@st.composite
def texts(draw: st.DrawFn, path: str) -> str:
    return text(path, lambda options: draw(st.sampled_from(options)))


@cache
def _documents() -> tuple[tuple[str, str], ...]:
    """Many, by chance but always the same, short ones first: drawing one of them is quick."""
    chance = Random(36)
    made = {(path, text(path, chance.choice)) for path in PATHS for _ in range(400)}
    return tuple(sorted(made, key=lambda file: (len(file[1]), file)))


@cache
def files(least: int, most: int) -> st.SearchStrategy[dict[str, str]]:
    """Some paths, each with a text."""
    some = st.sampled_from(_documents())
    return st.lists(some, min_size=least, max_size=most, unique_by=lambda file: file[0]).map(dict)


def nodes_of(path: str, text: str) -> tuple[str, ...]:
    """A document of repository `r` and a part of it."""
    if path.endswith(".py"):
        return (f"r:{path}", f"r:{path}::Valve", f"r:{path}::launch_window")
    return (f"r:{path}", f"r:{path}#part") if "## Part" in text else (f"r:{path}",)


FAR = ("r:a.md", "r:h.md#part", "r:pkg/g.py::Valve", "s:a.md", f"{NEVER_SEEN}:a.md", "r:absent.md")


picks = st.integers(0, 59)  # one of however many there are


def links(most: int) -> st.SearchStrategy[list[tuple[int, str, int]]]:
    """Relations between some of the nodes that there are, by number."""
    one = st.tuples(picks, st.sampled_from(RELATIONS), picks)
    return st.lists(one, min_size=1, max_size=most)
