"""Uses: the names in a file that mean something defined here or elsewhere."""

from collections.abc import Iterator

from docgraph.ingest.languages.bindings import LONGEST, Chain
from docgraph.ingest.languages.language import Language, whole
from docgraph.ingest.languages.source import Source

_ROLES = (
    *("base", "element", "implements", "imports", "inherits", "new"),
    *("reads", "references", "writes"),
)
_CALLING = frozenset({"element", "new"})
_CLOSE = b">"
_NEW: Chain = ("",)
_QUOTES = b"'\"`"


# A relation, a span, and the names that tell what is used; None where none do.
Use = tuple[str, int, int, Chain | None]


class UseReader:
    """Reads names off the text; the same text is read once."""

    def __init__(self, language: Language, source: Source) -> None:
        self._language, self._source = language, source
        self._known: dict[str, Chain | None] = {}

    def chain(self, start: int, end: int) -> Chain | None:
        if end - start > LONGEST:
            return None
        text = self._source.text_at(start, end)
        found = self._known.get(text, _NEW)
        if found is _NEW:
            found = self._known[text] = self._language.chain(text)
        return found

    def uses(self) -> list[Use]:
        found = list(self._calls())
        if self._language.calls_apart:
            found = [self._apart(*use) for use in found]
        for role in _ROLES:
            relation = "calls" if role in _CALLING else role
            found.extend((relation, *one) for one in self._named(role))
        written = {use[1] for use in found if use[0] == "writes"}
        return [use for use in found if use[0] != "reads" or use[1] not in written]

    def _apart(self, relation: str, start: int, end: int, chain: Chain | None) -> Use:
        if chain is None:
            return relation, start, end, None
        named = (*chain[:-1], f"{chain[-1]}()")
        return relation, start, self._without_arguments(start, end), named

    def _named(self, role: str) -> Iterator[tuple[int, int, Chain | None]]:
        """What `imports` names counts once; an element is no page's own tag if it has a capital."""
        seen: set[Chain | None] = {None} if role == "imports" else set()
        for node in self._source.nodes(role):
            start, end = whole(node)
            chain = self.chain(start, end)
            if chain not in seen and (role != "element" or chain is None or chain[0][0].isupper()):
                yield start, self._without_arguments(start, end), chain
            if role == "imports":
                seen.add(chain)

    def _without_arguments(self, start: int, end: int) -> int:
        """`List<T>` is called `List`."""
        at = (
            self._source.data.find(b"<", start, end)
            if self._source.data.endswith(_CLOSE, start, end)
            else -1
        )
        return at if at > start else end

    def _calls(self) -> Iterator[Use]:
        """What is called on a literal is the language's own."""
        read, callee, data = self.chain, self._language.callee, self._source.data
        for match in self._source.matches("call"):
            (node,) = match["call"]
            start, end = callee(node) if callee else (node.start_byte, node.end_byte)
            chain = read(start, end)
            if chain is not None or data[start : start + 1] not in _QUOTES:
                yield "calls", start, end, chain
