"""A source that lives in memory: paths and texts."""

from collections.abc import Iterator, Mapping

from docgraph.ports.source import SourceFile, SourceProblem


class MemorySource:
    def __init__(self, texts: Mapping[str, str] | Mapping[str, bytes]) -> None:
        self._texts = {
            path: text.encode() if isinstance(text, str) else text for path, text in texts.items()
        }

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        for path, data in self._texts.items():
            yield SourceFile(path, len(data))

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        return self._texts[file.path]
