"""Uses: the names in a file that mean something defined here or elsewhere."""

from collections.abc import Iterator

from docgraph.ingest.parse.code.chains import LONGEST
from docgraph.ingest.parse.code.language import Language, whole
from docgraph.ingest.parse.code.meaning import Chain
from docgraph.ingest.parse.code.source import Source

_ROLES = ("base", "implements", "imports", "inherits", "new", "reads", "references", "writes")
_NEW: Chain = ("",)
_QUOTES = b"'\"`"


# A relation, a span, and the names that tell what is used; None where none do.
Use = tuple[str, int, int, Chain | None]


class Reader:
    """Reads names off the text; the same text is read once."""

    def __init__(self, language: Language, source: Source) -> None:
        self._language, self._source = language, source
        self._known: dict[str, Chain | None] = {}

    def chain(self, start: int, end: int) -> Chain | None:
        if end - start > LONGEST:
            return None
        text = self._source.said(start, end)
        found = self._known.get(text, _NEW)
        if found is _NEW:
            found = self._known[text] = self._language.chain(text)
        return found

    def uses(self) -> list[Use]:
        found = list(self._calls())
        for role in _ROLES:
            relation = "calls" if role == "new" else role
            spans = (whole(node) for node in self._source.nodes(role))
            found.extend((relation, *span, self.chain(*span)) for span in spans)
        return found

    def _calls(self) -> Iterator[Use]:
        """What is called on a literal is the language's own."""
        read, callee, data = self.chain, self._language.callee, self._source.data
        apart = self._language.calls_apart
        for match in self._source.matches("call"):
            start, end = callee(match["call"][0])
            chain = read(start, end)
            if chain is not None:
                yield "calls", start, end, (*chain[:-1], f"{chain[-1]}()") if apart else chain
            elif data[start] not in _QUOTES:
                yield "calls", start, end, None
