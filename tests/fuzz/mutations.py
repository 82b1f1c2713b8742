"""Mutations of valid values and texts."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

Path = tuple[str | int, ...]
MUTATIONS = ("replace", "remove", "double", "swap")
HOSTILE = (
    "",
    "\0",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "é" * 300,
    "a" * 5_000,
    "../../etc/passwd",
    "'; DROP TABLE documents; --",
    '" OR 1=1 --',
    "%00%2e%2e%2f",
    "$(id)",
    "{{7*7}}",
    "<script>",
    "😀",
    "\U0001d518\U0001d52b\U0001d526",
    "-1",
    "NaN",
    "null",
    "r:h.md",
    "r:h.md@0",
    "r:a.md#s0",
)
numbers = st.sampled_from((0, 1, -1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**400)) | st.integers()
scalars = (
    st.none()
    | st.booleans()
    | numbers
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(HOSTILE)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)


@st.composite
def mutated_trees(draw: st.DrawFn, tree: Any) -> Any:
    """The same JSON, with one to three values replaced, removed, doubled or swapped."""
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from(list(paths_in(tree))))
        tree = _mutate(
            tree, place, draw(st.sampled_from(["replace", "remove", "double", "swap"])), draw
        )
    return tree


def paths_in(tree: Any, front: Path = ()) -> Iterator[Path]:
    """The way to every value, the whole tree first. Of long lists the first few."""
    yield front
    match tree:
        case dict():
            for key, value in tree.items():
                yield from paths_in(value, (*front, key))
        case list():
            for at, value in enumerate(tree[:6]):
                yield from paths_in(value, (*front, at))
        case _:
            pass


def _mutate(tree: Any, place: Path, how: str, draw: st.DrawFn) -> Any:
    if not place:
        return draw(trees) if how == "replace" else tree
    head, *rest = place
    copy: Any = dict(tree) if isinstance(tree, dict) else list(tree)
    if rest:
        copy[head] = _mutate(copy[head], tuple(rest), how, draw)
    elif how == "remove":
        del copy[head]
    elif how == "double" and isinstance(copy, list):
        copy.insert(int(head), copy[int(head)])
    elif how == "swap":
        other = draw(st.sampled_from(sorted(copy) if isinstance(copy, dict) else range(len(copy))))
        copy[head], copy[other] = copy[other], copy[head]
    else:
        copy[head] = draw(trees)
    return copy


@st.composite
def mutated_texts(draw: st.DrawFn, texts: Sequence[str], words: Sequence[str]) -> str:
    """One of the texts, cut and mixed with words that mean something to its reader."""
    text = draw(st.sampled_from(list(texts)))
    for _ in range(draw(st.integers(1, 5))):
        at, to = sorted(draw(st.integers(0, len(text))) for _ in range(2))
        put = draw(st.sampled_from(list(words)) | st.sampled_from(HOSTILE) | st.just(text[at:to]))
        text = text[:at] + put + text[draw(st.sampled_from((at, to))) :]
    return text
