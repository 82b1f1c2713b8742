"""Stand-ins for the ports that ingestion uses: a store in memory, a cheap embedder, a source."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from docgraph.ingest.build import nodes_of
from docgraph.ingest.mine.claims import Claim, Finding, Unresolved
from docgraph.ingest.mine.corpus import Corpus, Sketch, sketched
from docgraph.ingest.names import names
from docgraph.ingest.parsed import Parsed
from docgraph.ingest.readers import format_for, read
from docgraph.model.access import AccessRule
from docgraph.model.edge import Edge, Relationship
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import SnapshotName
from docgraph.model.vector import IntVector, to_integers
from docgraph.ports.source import Problem, SourceFile
from docgraph.ports.writes import EmbeddedDocument, HeldDocument, text_key


class HashEmbedder:
    """A text's vector is a function of its hash; it counts what it was asked for."""

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
    """Files by path, listed in the order given; a Problem in place of bytes is passed on."""

    def __init__(
        self, files: Mapping[str, str | bytes | Problem], titles: Mapping[str, str] | None = None
    ) -> None:
        self._files = {
            path: data.encode() if isinstance(data, str) else data for path, data in files.items()
        }
        self._titles = titles or {}

    def files(self) -> Iterator[SourceFile | Problem]:
        for path in self._files:
            yield SourceFile(path, 0, self._titles.get(path))

    def read(self, file: SourceFile) -> bytes | Problem:
        return self._files[file.path]


class MemoryWrites:
    """One branch in memory: what was put is held after it is published."""

    def __init__(self) -> None:
        self.documents: dict[str, EmbeddedDocument] = {}
        self.rules: dict[str, AccessRule] = {}
        self.mined: tuple[Relationship, ...] = ()
        self.stored: dict[str, IntVector] = {}
        self.batches: list[int] = []
        self.published = 0
        self._touched = False

    def held(self) -> dict[str, HeldDocument]:
        return {
            path: HeldDocument(path, found.document.fingerprint)
            for path, found in self.documents.items()
        }

    def vectors(self, keys: Sequence[str]) -> dict[str, IntVector]:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def remember(self, vectors: Mapping[str, IntVector]) -> None:
        self.stored.update(vectors)

    def put(self, documents: Sequence[EmbeddedDocument]) -> None:
        self._touched = True
        self.batches.append(len(documents))
        for found in documents:
            assert all(text_key(text) in self.stored for text in found.chunk_texts)
            self.documents[found.document.path] = found
            self.rules[found.document.path] = found.document.rule

    def drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._touched = True
            del self.documents[path]

    def set_rules(self, rules: Mapping[str, AccessRule]) -> None:
        self._touched = self._touched or any(self.rules[p] != r for p, r in rules.items())
        self.rules.update(rules)

    def texts(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self.documents):
            yield path, self.documents[path].document.text

    def replace_mined(self, relationships: Iterable[Relationship]) -> None:
        found = tuple(relationships)
        self._touched = self._touched or found != self.mined
        self.mined = found

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        raise AssertionError("an ingest does nothing by hand")

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        raise AssertionError("an ingest does nothing by hand")

    @property
    def changed(self) -> bool:
        return self._touched

    def publish(self) -> SnapshotName:
        self.published += 1
        self._touched = False
        return SnapshotName("r", "main", self.published)


def parsed(path: str, text: str, title: str | None = None) -> Parsed:
    file = SourceFile(path, len(text), title)
    known = format_for(file)
    assert known is not None
    found = read(file, text.encode(), known)
    assert isinstance(found, Parsed)
    return found


def corpus(files: Mapping[str, str]) -> Corpus:
    """A corpus of repository `r` as ingestion would sketch it."""
    return Corpus(
        [sketch(path, text) for path, text in files.items()], lambda: iter(sorted(files.items()))
    )


def sketch(path: str, text: str) -> Sketch:
    found = parsed(path, text)
    nodes = nodes_of("r", path, found)
    return sketched(path, found, nodes, names(path, found, nodes))


def claims(findings: Iterable[Finding]) -> list[tuple[str, str, str]]:
    """(source, relation, target) of every claim, without the repository, in order."""
    return [
        (found.edge.source[2:], found.edge.relation, found.edge.target[2:])
        for found in findings
        if isinstance(found, Claim)
    ]


def unresolved(findings: Iterable[Finding]) -> list[tuple[str, int, str]]:
    return [(f.path, f.line, f.what) for f in findings if isinstance(f, Unresolved)]
