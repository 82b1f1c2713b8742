"""Which elements of an HTML page stand open, which part of it is left out, which is the main."""

from collections import Counter
from collections.abc import Mapping

from docgraph.ingest.parse.html_writer import Span

LISTS = frozenset({"dir", "menu", "ol", "ul"})
# Elements whose ends count even where inner ones were left open.
CONTAINERS = LISTS | frozenset(
    {"article", "aside", "blockquote", "center", "details", "div", "dl", "fieldset", "figure"}
    | {"footer", "form", "header", "main", "nav", "pre", "section", "table"}
)
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source"}
    | {"track", "wbr"}
)
_SKIPPED = frozenset(
    {"audio", "button", "canvas", "datalist", "iframe", "nav", "noscript", "object", "select"}
    | {"svg", "template", "textarea", "video"}
)
_SKIPPED_ROLES = frozenset({"contentinfo", "menubar", "navigation", "search", "toolbar"})
_SKIPPED_CLASSES = frozenset({"linenodiv", "linenos", "mw-editsection"})


class OpenElements:
    """A stack of containers and no tree: depth costs nothing, and no end is looked for twice."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._counts: Counter[str] = Counter()
        self._skipped = 0  # the depth of what is left out; 0 for nothing
        self._open_regions: list[tuple[int, Span]] = []
        self.regions: dict[str, list[Span]] = {"main": [], "article": []}

    @property
    def skipping(self) -> bool:
        return self._skipped > 0

    def inside(self, names: frozenset[str]) -> int:
        """How many of these stand open."""
        return sum(self._counts[name] for name in names)

    def opened(self, name: str, told: Mapping[str, str], at: int) -> None:
        """`at` is the length of the text so far."""
        skip = not self._skipped and self._is_boilerplate(name, told)
        if name in VOID or not (skip or name in CONTAINERS or name == self._skipped_name()):
            return
        self._names.append(name)
        self._counts[name] += 1
        if skip:
            self._skipped = len(self._names)
        elif not self._skipped and (kind := _region(name, told)):
            self._open_region(kind, at)

    def closed(self, name: str, at: int) -> None:
        """An end that nothing awaits is ignored; an awaited one ends all that is inside."""
        if not self._counts[name]:
            return
        ended = ""
        while ended != name:
            ended = self._names.pop()
            self._counts[ended] -= 1
        depth = len(self._names)
        if depth < self._skipped:
            self._skipped = 0
        while self._open_regions and depth < self._open_regions[-1][0]:
            self._open_regions.pop()[1].end = at

    def ended(self, at: int) -> None:
        for _, region in self._open_regions:
            region.end = at

    def _skipped_name(self) -> str:
        return self._names[self._skipped - 1] if self._skipped else ""

    def _open_region(self, kind: str, at: int) -> None:
        """Only the outermost of each kind counts."""
        known = self.regions[kind]
        if not known or known[-1].end >= 0:
            known.append(span := Span(at))
            self._open_regions.append((len(self._names), span))

    def _is_boilerplate(self, name: str, told: Mapping[str, str]) -> bool:
        """What readers of a page pass over: navigation, controls, pictures, line numbers."""
        if name in _SKIPPED or (name == "footer" and not self._open_regions):
            return True
        if not told:
            return False
        return (
            told.get("role") in _SKIPPED_ROLES
            or told.get("aria-hidden") == "true"
            or not _SKIPPED_CLASSES.isdisjoint(told.get("class", "").split())
        )


def _region(name: str, told: Mapping[str, str]) -> str:
    if name == "main" or told.get("role") == "main":
        return "main"
    return "article" if name == "article" else ""
