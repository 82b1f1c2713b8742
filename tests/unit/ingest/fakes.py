"""Stand-ins for the ports that ingestion uses: a store in memory, a cheap embedder, a source."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from docgraph.ingest.build_document import build_document
from docgraph.ingest.formats.registry import Format, format_for, read
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.ingest.result import IngestResult
from docgraph.ingest.run import ingest
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule, AccessStatement, intersect_rules
from docgraph.model.access_policy import AccessFileRules
from docgraph.model.document import Document
from docgraph.model.edge import SHARES_ENTITY, Edge, EdgeEvidence, Relationship
from docgraph.model.link import merge_edges
from docgraph.model.question import EmbedderIdentity
from docgraph.model.reference import Reference, ReferenceCount, UnresolvedReference
from docgraph.model.snapshot import SnapshotName
from docgraph.model.vector import IntVector, to_integers
from docgraph.plan.ambiguity import resolve_ambiguity
from docgraph.ports.source import SourceFile, SourceProblem
from docgraph.ports.writes import (
    CurrentText,
    EmbeddedDocument,
    SourceRevision,
    StoredDocument,
    text_key,
)
from tests.support.joined import counted, is_answered, joined, nodes_of, offers_by_key
from tests.support.small_world import granted


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
    """Files by path, listed in the order given; a Problem in place of bytes is passed on.

    `named` gives every file a `content_id`, as a source does that knows its files' bytes by name.
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


class MemoryWrites:
    """One branch in memory: what was put is held after it is published.

    `searched` counts how often texts were asked for: those written now, and those held before.
    """

    def __init__(self) -> None:
        self.embedded: dict[str, EmbeddedDocument] = {}
        self.told: dict[str, tuple[AccessStatement, ...]] = {}
        self.lines: AccessFileRules | None = None
        self.moved: list[tuple[str, str]] = []
        self.given: tuple[Relationship, ...] = ()
        self.miners: frozenset[str] = frozenset()
        self.origin = SourceRevision()
        self.stored: dict[str, IntVector] = {}
        self.batches: list[int] = []
        self.searched: Counter[str] = Counter()
        self.published = 0
        self._newest: dict[str, EmbeddedDocument] = {}
        self._touched = False

    @property
    def documents(self) -> dict[str, Document]:
        return {path: self.embedded[path].document for path in sorted(self.embedded)}

    def edges(self) -> tuple[Relationship, ...]:
        """Every edge of the new snapshot, before anyone settles them."""
        return merge_edges((*joined(self.documents.values(), self.miners), *self.given))

    def held(self) -> dict[str, StoredDocument]:
        return {
            path: StoredDocument(path, found.fingerprint, text_key(found.text), self.told[path])
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
            assert all(key in self.stored for key in found.chunk_keys)
            self.embedded[found.document.path] = found
            self.told[found.document.path] = found.document.statements

    def drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._touched = True
            del self.embedded[path]

    def set_told(self, told: Mapping[str, tuple[AccessStatement, ...]]) -> None:
        self._touched = self._touched or any(self.told[p] != said for p, said in told.items())
        self.told.update(told)

    def remembered(self) -> dict[str, tuple[AccessStatement, ...]]:
        return dict(self.told)

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        self.moved = list(renamed)

    def rule(self, path: str, told: tuple[AccessStatement, ...]) -> AccessRule:
        return intersect_rules(LOCAL, told)

    def use_access_lines(self, lines: AccessFileRules | None) -> None:
        self._touched = self._touched or lines != self.lines
        self.lines = lines

    def texts(self, *, fresh: bool) -> Iterator[CurrentText]:
        self.searched["fresh" if fresh else "old"] += 1
        for path, found in self.documents.items():
            if self._is_fresh(path) == fresh:
                root = found.nodes[0]
                yield CurrentText(
                    path, root.id, root.kind, root.title, found.text, found.source_lines
                )

    def titles(self) -> dict[str, bool]:
        known = _titles(self._newest.values())
        return {title: title in known for title in sorted(_titles(self.embedded.values()))}

    def add_claims(self, claims: Mapping[str, Sequence[Reference]]) -> None:
        """A held version takes them in too, so it stays the version that was held."""
        for path, further in claims.items():
            old = self.embedded[path]
            known = dict.fromkeys((*old.document.references, *further))
            new = replace(old, document=replace(old.document, references=tuple(known)))
            self.embedded[path] = new
            if self._newest.get(path) is old:
                self._newest[path] = new

    def places(self) -> tuple[ReferenceCount, ...]:
        met: Counter[tuple[str, str]] = Counter()
        unmet: Counter[tuple[str, str]] = Counter()
        for claims in self._places():
            name = (min(claim.miner for claim in claims), claims[0].relation)
            met[name] += self._is_met(claims)
            unmet[name] += self._is_unmet(claims)
        return tuple(ReferenceCount(*name, met[name], unmet[name]) for name in sorted(met + unmet))

    def unresolved(self, relation: str, most: int) -> tuple[UnresolvedReference, ...]:
        unmet = [
            UnresolvedReference(
                path, claims[0].line, f"{relation} {min(claim.text for claim in claims)}"
            )
            for path, claims in self._places_by_path()
            if claims[0].relation == relation and self._is_unmet(claims)
        ]
        return tuple(unmet[:most])

    def opaque(self) -> int:
        return sum(
            found.unresolved_calls for path, found in self.documents.items() if self._is_fresh(path)
        )

    def holds(self, nodes: Iterable[str]) -> frozenset[str]:
        return nodes_of(self.documents.values()).intersection(nodes)

    def replace_given(self, relationships: Iterable[Relationship]) -> None:
        found = tuple(relationships)
        self._touched = self._touched or found != self.given
        self.given = found

    def use_miners(self, miners: frozenset[str]) -> None:
        self._touched = self._touched or miners != self.miners
        self.miners = miners

    def add_by_hand(self, relationships: Sequence[Relationship]) -> None:
        raise AssertionError("an ingest does nothing by hand")

    def remove_by_hand(self, edges: Sequence[Edge]) -> int:
        raise AssertionError("an ingest does nothing by hand")

    def changed(self, origin: SourceRevision | None = None) -> bool:
        return self._touched or not self.published or origin not in (None, self.origin)

    def publish(self, origin: SourceRevision | None = None) -> SnapshotName:
        self.origin = origin or self.origin
        self.published += 1
        self._touched = False
        self._newest = dict(self.embedded)
        return SnapshotName("r", "main", self.published)

    def _is_fresh(self, path: str) -> bool:
        return self.embedded[path] is not self._newest.get(path)

    def _places(self) -> Iterator[list[Reference]]:
        return (claims for _, claims in self._places_by_path())

    def _places_by_path(self) -> Iterator[tuple[str, list[Reference]]]:
        """Claims on the same characters, by path and place."""
        for path, found in self.documents.items():
            if self._is_fresh(path):
                places: dict[tuple[int, int, int, str], list[Reference]] = {}
                for claim in counted(found, self.miners):
                    if claim.relation != SHARES_ENTITY:
                        place = (claim.line, claim.start, claim.end, claim.relation)
                        places.setdefault(place, []).append(claim)
                yield from ((path, places[place]) for place in sorted(places))

    def _is_met(self, claims: Sequence[Reference]) -> bool:
        documents = self.documents.values()
        offered, held = offers_by_key(documents), nodes_of(documents)
        return any(is_answered(claim, offered, held) for claim in claims)

    def _is_unmet(self, claims: Sequence[Reference]) -> bool:
        return any(claim.target.reported for claim in claims) and not self._is_met(claims)


def _titles(documents: Iterable[EmbeddedDocument]) -> frozenset[str]:
    keys = (offer.key for found in documents for offer in found.document.definitions)
    return frozenset(key.removeprefix("title:") for key in keys if key.startswith("title:"))


def parsed(path: str, text: str, title: str | None = None) -> ParsedFile:
    file = SourceFile(path, len(text), title)
    known = format_for(file)
    assert known is not None
    found = read(file, text.encode(), known)
    assert isinstance(found, ParsedFile)
    return found


def parses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of files that ingestion parses from now on, as it does."""
    paths: list[str] = []

    def counted_read(file: SourceFile, data: bytes, known: Format) -> ParsedFile | SourceProblem:
        paths.append(file.path)
        return read(file, data, known)

    monkeypatch.setattr("docgraph.ingest.changed_files.read", counted_read)
    return paths


def built(path: str, text: str | ParsedFile) -> Document:
    """The document of repository `r` that ingestion makes of one file."""
    found = parsed(path, text) if isinstance(text, str) else text
    return build_document("r", path, found, granted(LOCAL_ONLY), "m").document


def ingested(
    files: Mapping[str, str], miners: frozenset[str] = ALL_MINERS
) -> tuple[MemoryWrites, IngestResult]:
    """What one ingest of these files wrote into repository `r`, and its result."""
    writes = MemoryWrites()
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
    return ingested(files, frozenset(miners) or ALL_MINERS)[0].edges()


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
