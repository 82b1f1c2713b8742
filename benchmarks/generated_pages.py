"""Made pages as a source: each is written when it is read, so that any number takes no memory."""

from collections.abc import Iterator

from benchmarks.generated_texts import page
from docgraph.model.access import LOCAL, AccessRule
from docgraph.ports.source import SourceFile

CLASSES = 20
SECTIONS, WORDS = 9, 105  # about ten chunks in each page


def rule_for(path: str) -> AccessRule:
    """Of every second class the local reader is a member."""
    team = int(path.removesuffix(".md")) % CLASSES
    ours = {LOCAL} if team % 2 else set()
    return AccessRule(LOCAL, frozenset({f"team-{team}", *ours}))


class GeneratedPages:
    """The pages of `linked_pages`, one at a time."""

    def __init__(self, documents: int) -> None:
        self._documents = documents

    def files(self) -> Iterator[SourceFile]:
        """Nobody asks how large a made page is before it is read."""
        for number in range(self._documents):
            yield SourceFile(f"{number}.md", 0)

    def read(self, file: SourceFile) -> bytes:
        number = int(file.path.removesuffix(".md"))
        return page(number, self._documents, SECTIONS, WORDS).encode()
