"""The names that a file of code uses: what it calls, inherits from, reads and writes."""

from collections.abc import Iterator

from docgraph.ingest.languages.bindings import MAX_CHAIN_BYTES, Chain
from docgraph.ingest.languages.language import Language, span_of
from docgraph.ingest.languages.source import SourceCode

_ROLES = (
    *("base", "element", "implements", "imports", "inherits", "new"),
    *("reads", "references", "writes"),
)
_CALL_ROLES = frozenset({"element", "new"})
_NOT_CACHED: Chain = ("",)
_QUOTES = b"'\"`"
# A relation, a span, and the chain of names that is used; None where it is no chain.
Use = tuple[str, int, int, Chain | None]


class UseReader:
    """Reads chains of names from the text; the same text is parsed once."""

    def __init__(self, language: Language, source: SourceCode) -> None:
        self._language, self._source = language, source
        self._cache: dict[str, Chain | None] = {}

    def read_chain(self, start: int, end: int) -> Chain | None:
        if end - start > MAX_CHAIN_BYTES:
            return None
        text = self._source.text_at(start, end)
        chain = self._cache.get(text, _NOT_CACHED)
        if chain is _NOT_CACHED:
            chain = self._cache[text] = self._language.parse_chain(text)
        return chain

    def read_uses(self) -> list[Use]:
        uses = list(self._read_calls())
        if self._language.separate_call_names:
            uses = [self._mark_call(*use) for use in uses]
        for role in _ROLES:
            relation = "calls" if role in _CALL_ROLES else role
            uses.extend((relation, *one) for one in self._read_role(role))
        written = {use[1] for use in uses if use[0] == "writes"}
        return [use for use in uses if use[0] != "reads" or use[1] not in written]

    def _mark_call(self, relation: str, start: int, end: int, chain: Chain | None) -> Use:
        if chain is None:
            return relation, start, end, None
        marked = (*chain[:-1], f"{chain[-1]}()")
        return relation, start, self._end_of_name(start, end), marked

    def _read_role(self, role: str) -> Iterator[tuple[int, int, Chain | None]]:
        """`imports` counts each name once; an element without a capital is an HTML tag."""
        seen: set[Chain | None] = {None} if role == "imports" else set()
        for node in self._source.nodes(role):
            start, end = span_of(node)
            chain = self.read_chain(start, end)
            if chain not in seen and (role != "element" or chain is None or chain[0][0].isupper()):
                yield start, self._end_of_name(start, end), chain
            if role == "imports":
                seen.add(chain)

    def _end_of_name(self, start: int, end: int) -> int:
        """Without type arguments: `List<T>` is called `List`."""
        data = self._source.data
        at = data.find(b"<", start, end) if data.endswith(b">", start, end) else -1
        return at if at > start else end

    def _read_calls(self) -> Iterator[Use]:
        """A method of a literal is the language's own, and no use."""
        read, callee, data = self.read_chain, self._language.callee, self._source.data
        for match in self._source.matches("call"):
            (node,) = match["call"]
            start, end = callee(node) if callee else (node.start_byte, node.end_byte)
            chain = read(start, end)
            if chain is not None or data[start : start + 1] not in _QUOTES:
                yield "calls", start, end, chain
