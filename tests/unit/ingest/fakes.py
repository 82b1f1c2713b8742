"""Test doubles of the ports that an ingest uses, and short functions for tests."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pytest

from docgraph.ingest.build_document import build_document
from docgraph.ingest.formats.registry import SHIPPED_FORMATS, Format, read_file
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.result import IngestResult
from docgraph.ingest.run import ingest
from docgraph.model.access import LOCAL, LOCAL_ONLY
from docgraph.model.document import Document
from docgraph.model.edge import EdgeEvidence, Relationship
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector, to_integers
from docgraph.plan.ambiguity import resolve_ambiguity
from docgraph.ports.source import SourceFile, SourceProblem
from tests.support.small_world import statements_of
from tests.unit.ingest.memory_writer import MemoryWriter


class HashEmbedder:
    """A text's vector is a function of its hash; it lists the embedded texts."""

    identity = EmbedderIdentity("hash", "0", 16)

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> IntVector:
        seed = hashlib.sha512(text.encode()).digest()[:16]
        return to_integers(np.frombuffer(seed, dtype=np.uint8).astype(np.float64) - 127.5)


class MemorySource:
    """Files by path, listed in the order given; a problem is passed on instead of bytes.

    `named` gives every file a `content_id`, as a source does that knows digests of its files.
    `reads` lists the paths that were read.
    """

    def __init__(
        self,
        files: Mapping[str, str | bytes | SourceProblem],
        titles: Mapping[str, str] | None = None,
        *,
        named: bool = False,
    ) -> None:
        self._files = {
            path: data.encode() if isinstance(data, str) else data for path, data in files.items()
        }
        self._titles = titles or {}
        self._named = named
        self.reads: list[str] = []

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        for path, data in self._files.items():
            name = None
            if self._named and isinstance(data, bytes):
                name = hashlib.sha256(data).hexdigest()
            yield SourceFile(path, 0, self._titles.get(path), content_id=name)

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        self.reads.append(file.path)
        return self._files[file.path]


def parsed(path: str, text: str, title: str | None = None) -> ParsedFile:
    file = SourceFile(path, len(text), title)
    file_format = SHIPPED_FORMATS.find(file)
    assert file_format is not None
    found = read_file(file, text.encode(), file_format)
    assert isinstance(found, ParsedFile)
    return found


def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of files that ingestion parses from now on, as it does."""
    paths: list[str] = []

    def counted_read(
        file: SourceFile, data: bytes, file_format: Format
    ) -> ParsedFile | SourceProblem:
        paths.append(file.path)
        return read_file(file, data, file_format)

    monkeypatch.setattr("docgraph.ingest.parse_file.read_file", counted_read)
    return paths


def built(path: str, text: str | ParsedFile) -> Document:
    """The document of repository `r` that ingestion makes of one file."""
    found = parsed(path, text) if isinstance(text, str) else text
    return build_document("r", path, found, statements_of(LOCAL_ONLY), "m").document


def ingested(
    files: Mapping[str, str], miners: frozenset[str] = ALL_MINERS
) -> tuple[MemoryWriter, IngestResult]:
    """What one ingest of these files wrote into repository `r`, and its result."""
    writes = MemoryWriter()
    result = ingest(
        MemorySource(files),
        writes,
        HashEmbedder(),
        repository="r",
        tenant=LOCAL,
        rule_for=lambda _: LOCAL_ONLY,
        miners=miners,
    )
    return writes, result


def candidates(files: Mapping[str, str], *miners: str) -> tuple[Relationship, ...]:
    """The edges between these files that the miners find, before ambiguities are resolved."""
    return ingested(files, frozenset(miners) or ALL_MINERS)[0].relationships()


def edges(files: Mapping[str, str], *miners: str) -> list[tuple[str, str, str]]:
    """(source, relation, target) without the repository, of the resolved edges, in order."""
    return short(resolve_ambiguity(candidates(files, *miners)))


def short(relationships: Iterable[Relationship]) -> list[tuple[str, str, str]]:
    return [
        (found.edge.source[2:], found.edge.relation, found.edge.target[2:])
        for found in relationships
    ]


def ranked(files: Mapping[str, str], *miners: str) -> list[str]:
    """Targets of all candidates without the repository, the best first."""

    def best(found: Relationship) -> tuple[int, str]:
        return min(one.rank for one in found.evidence), found.edge.target

    return [found.edge.target[2:] for found in sorted(candidates(files, *miners), key=best)]


def evidence_of(files: Mapping[str, str], *miners: str) -> list[EdgeEvidence]:
    return [one for found in candidates(files, *miners) for one in found.evidence]


def unresolved(files: Mapping[str, str], *miners: str) -> list[tuple[str, int, str]]:
    """(path, line, what) of every reference that should resolve and does not."""
    _, result = ingested(files, frozenset(miners) or ALL_MINERS)
    return [(found.path, found.line, found.what) for found in result.unresolved]
