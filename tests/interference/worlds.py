"""Random corpora that refer to each other in every way a miner knows, with random rules."""

from dataclasses import dataclass

from hypothesis import strategies as st

from docgraph.model.access import EVERYONE, LOCAL, AccessRule
from docgraph.model.edge import Edge

PATHS = (
    *("a.md", "deep/c.md", "d.rst", "e.txt", "h.md", "pkg/f.py", "pkg/g.py"),
    *("adr/0001-x.md", "adr/0002-y.md", "deep/adr/0002-z.md"),
)
MOST = 6  # so that some paths are always left to hide something under
TITLES = ("Rocket", "Rocket Engine", "Rocket (ship)", "Landing Pad", "Fuel", "Launch Plan")
WORDS = ("thrust", "fuel", "orbit", "crew", "valve", "Rocket", "Engine")
NAMES = ("Marie Curie", "Cape Canaveral")
NUMBERS = ("ADR-1", "ADR 0002", "PEP 8")
CODE = ("launch_window", "`Valve`", "Valve.open_up", "pkg.f", "`g.py`", "pkg/f.py")
HEADERS = ("", "supersedes", "replaced_by", "requires", "related")
RELATIONS = ("explains", "supersedes", "references")

VISIBLE = (
    AccessRule(LOCAL, frozenset({LOCAL})),
    AccessRule(LOCAL, frozenset({EVERYONE})),
    AccessRule(LOCAL, frozenset({LOCAL, "others"})),
)
HIDDEN = (
    AccessRule(LOCAL),
    AccessRule(LOCAL, frozenset({"others"})),
    AccessRule(LOCAL, frozenset({LOCAL}), frozenset({"secret"})),
    AccessRule(LOCAL, frozenset({EVERYONE}), level=1),
    AccessRule("elsewhere", frozenset({EVERYONE})),
)


@dataclass(frozen=True, slots=True)
class File:
    text: str
    rule: AccessRule


World = dict[str, File]

_said = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(TITLES),
    st.sampled_from(NAMES),
    st.sampled_from(NUMBERS),
    st.sampled_from(CODE),
    st.sampled_from(PATHS).map(lambda target: f"[see](/{target})"),
    st.sampled_from(PATHS).map(lambda target: f"[there](/{target}#Part)"),
    st.sampled_from(PATHS).map(lambda target: f"`{target.rpartition('/')[2]}`"),
)
_bodies = st.lists(_said, max_size=8).map(" ".join)
_titles = st.sampled_from(TITLES)


@st.composite
def texts(draw: st.DrawFn, path: str) -> str:
    """Some words, with links, mentions, names, numbers, headers and imports in between."""
    title, body = draw(_titles), draw(_bodies)
    if path.endswith(".py"):
        return draw(_modules(title, body, "g" if path.endswith("f.py") else "f"))
    if path.endswith(".rst"):
        return f"{title}\n{'=' * len(title)}\n\n{body}\n"
    if path.endswith(".txt"):
        return f"{title}\n\n{body}\n"
    header = draw(st.sampled_from(HEADERS))
    other = draw(st.sampled_from((*PATHS, *NUMBERS, *TITLES)))
    front = f"---\n{header}: {other}\n---\n" if header else ""
    section = draw(st.sampled_from(("", f"\n## Part\n\n{body}\n")))
    return f"{front}# {title}\n\n{body}\n{section}"


@st.composite
def _modules(draw: st.DrawFn, title: str, body: str, other: str) -> str:
    """A module that builds on another and calls it, or does neither."""
    line, base, call = draw(
        st.sampled_from(
            (
                (f"import pkg.{other} as other", "(other.Valve)", "other.launch_window()"),
                (f"from pkg import {other} as other", "(other.Valve)", "other.launch_window()"),
                (f"from .{other} import Valve as Base, launch_window as far", "(Base)", "far()"),
                ("import json as other", "", "other.loads(1)"),
            )
        )
    )
    return (
        f'"""{title}. {body}"""\n\n{line}\n\n\nclass Valve{base}:\n    def open_up(self):\n'
        f"        return {call}\n\n\ndef launch_window():\n    return Valve().open_up()\n"
    )


def worlds(paths: tuple[str, ...], rules: tuple[AccessRule, ...]) -> st.SearchStrategy[World]:
    """Any of these paths, each with a text and one of these rules."""

    def file(path: str) -> st.SearchStrategy[File]:
        return st.builds(File, texts(path), st.sampled_from(rules))

    some = st.sampled_from(paths)
    many = min(4, len(paths))
    return st.one_of(
        st.sets(some, max_size=2), st.sets(some, min_size=many, max_size=MOST)
    ).flatmap(lambda chosen: st.fixed_dictionaries({path: file(path) for path in sorted(chosen)}))


def edges() -> st.SearchStrategy[list[Edge]]:
    """Hand-made edges between any two files, there or not, hidden or not."""
    ends = st.sampled_from([f"r:{path}" for path in PATHS])
    edge = st.builds(Edge, ends, st.sampled_from(RELATIONS), ends)
    return st.lists(edge, max_size=4)
