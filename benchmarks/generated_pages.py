"""Generated pages as a source: each is generated when it is read, so that they take no memory."""

from collections.abc import Iterator

from benchmarks.generated_texts import page
from docgraph.model.access import LOCAL, AccessRule
from docgraph.ports.source import SourceFile

CLASSES = 20
SECTIONS, WORDS = 9, 105  # about ten chunks in each page


def rule_for(path: str) -> AccessRule:
    """The local reader may read every second class."""
    team = int(path.removesuffix(".md")) % CLASSES
    ours = {LOCAL} if team % 2 else set()
    return AccessRule(LOCAL, frozenset({f"team-{team}", *ours}))


class GeneratedPages:
    """The pages of `linked_pages`, one at a time."""

    def __init__(self, documents: int) -> None:
        self._documents = documents

    def files(self) -> Iterator[SourceFile]:
        """The size is not known before a page is generated."""
        for number in range(self._documents):
            yield SourceFile(f"{number}.md", 0)

    def read(self, file: SourceFile) -> bytes:
        number = int(file.path.removesuffix(".md"))
        return page(number, self._documents, SECTIONS, WORDS).encode()
