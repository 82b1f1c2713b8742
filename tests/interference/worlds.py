"""Random corpora that refer to each other in every way a miner knows, with random rules."""

from dataclasses import dataclass

from hypothesis import strategies as st

from docgraph.model.access import EVERYONE, LOCAL, AccessRule
from docgraph.model.edge import Edge

PATHS = ("a.md", "b.md", "deep/c.md", "d.rst", "e.txt", "pkg/f.py", "pkg/g.py", "h.md")
TITLES = ("Rocket", "Rocket Engine", "Rocket (ship)", "Landing Pad", "Fuel", "Launch Plan")
MOST = 6  # so that some paths are always left to hide something under
WORDS = ("thrust", "fuel", "orbit", "pad", "crew", "valve", "Rocket", "Engine", "launch_window")
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


@st.composite
def texts(draw: st.DrawFn, path: str) -> str:
    """Some words, with links, mentions, headers and imports in between."""
    said = st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(TITLES),
        st.sampled_from(PATHS).map(lambda target: f"[see](/{target})"),
        st.sampled_from(PATHS).map(lambda target: f"`{target.rpartition('/')[2]}`"),
    )
    body = " ".join(draw(st.lists(said, max_size=8)))
    title = draw(st.sampled_from(TITLES))
    if path.endswith(".py"):
        target = draw(st.sampled_from(("pkg.f", "pkg.g", "json")))
        return f'"""{title}. {body}"""\n\nimport {target}\n\n\ndef launch_window():\n    return 1\n'
    if path.endswith(".rst"):
        return f"{title}\n{'=' * len(title)}\n\n{body}\n"
    if path.endswith(".txt"):
        return f"{title}\n\n{body}\n"
    header = draw(st.sampled_from(("", "supersedes", "requires")))
    front = f"---\n{header}: {draw(st.sampled_from(PATHS))}\n---\n" if header else ""
    section = draw(st.sampled_from(("", f"\n## Part\n\n{body}\n")))
    return f"{front}# {title}\n\n{body}\n{section}"


def worlds(paths: tuple[str, ...], rules: tuple[AccessRule, ...]) -> st.SearchStrategy[World]:
    """Any of these paths, each with a text and one of these rules."""

    def file(path: str) -> st.SearchStrategy[File]:
        return st.builds(File, texts(path), st.sampled_from(rules))

    return st.sets(st.sampled_from(paths), max_size=MOST).flatmap(
        lambda chosen: st.fixed_dictionaries({path: file(path) for path in sorted(chosen)})
    )


def edges() -> st.SearchStrategy[list[Edge]]:
    """Hand-made edges between any two files, there or not, hidden or not."""
    ends = st.sampled_from([f"r:{path}" for path in PATHS])
    edge = st.builds(Edge, ends, st.sampled_from(RELATIONS), ends)
    return st.lists(edge, max_size=4)
