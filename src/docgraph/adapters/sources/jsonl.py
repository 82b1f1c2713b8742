"""A corpus in JSON lines as a source: one document per row, and its imported edges."""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docgraph.model.edge import RELATIONS, Edge, EdgeEvidence, Relationship
from docgraph.model.errors import BadInput
from docgraph.model.node import document_id
from docgraph.ports.source import SourceFile, SourceProblem

IMPORTED = "imported"


class JsonlSource:
    """Rows have `_id`, which becomes the path, `title` and `text`; all are of one format."""

    def __init__(self, corpus: Path, format: str = "text") -> None:  # noqa: A002
        if not corpus.is_file():
            raise BadInput(f"{corpus}: there is no such file")
        self._corpus = corpus
        self._format = format
        self._offsets: dict[str, int] = {}

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        """Stores the offset of each row, so that reading holds one row in memory."""
        self._offsets.clear()
        for offset, number, line in _lines(self._corpus):
            where = f"{self._corpus.name}:{number}"
            row = _row(line, ("_id", "text"))
            if row is None:
                yield SourceProblem(where, "not a JSON object with `_id` and `text`")
                continue
            path = str(row["_id"])
            if not path or path in self._offsets:
                yield SourceProblem(where, f"`_id` {path!r} is empty or stands in an earlier row")
                continue
            self._offsets[path] = offset
            title = str(row.get("title") or "").strip() or None
            yield SourceFile(path, len(line), title, self._format)

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        with self._corpus.open("rb") as handle:
            handle.seek(self._offsets[file.path])
            row = _row(handle.readline(), ("_id", "text"))
        try:
            return str(row["text"] if row else "").encode()
        except UnicodeEncodeError as error:
            return SourceProblem(file.path, f"half a character at position {error.start}")


def read_edges(edges: Path, repository: str) -> tuple[Relationship, ...]:
    """Rows have `source`, `target` and `type`; both ends are `_id`s of the corpus."""
    relationships: list[Relationship] = []
    for _, number, line in _lines(edges):
        row = _row(line, ("source", "target", "type"))
        if row is None:
            raise BadInput(f"{edges}:{number}: not a JSON object with source, target and type")
        if not all(str(row[end]) for end in ("source", "target")):
            raise BadInput(f"{edges}:{number}: source and target are ids of documents, not empty")
        if not isinstance(row["type"], str) or row["type"] not in RELATIONS:
            known = ", ".join(RELATIONS)
            raise BadInput(f"{edges}:{number}: no relation is called {row['type']!r}; {known}")
        source, target = (document_id(repository, str(row[end])) for end in ("source", "target"))
        evidence = EdgeEvidence(edges.name, number, 0, 0, 0, f"{row['type']} {row['target']}")
        edge = Edge(source, str(row["type"]), target)
        relationships.append(Relationship(edge, (IMPORTED,), (evidence,)))
    return tuple(relationships)


def _lines(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """(byte offset, line number, line) of every line that is not blank."""
    offset = 0
    with file.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            if line.strip():
                yield offset, number, line
            offset += len(line)


def _row(line: bytes, needed: tuple[str, ...]) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and all(key in row for key in needed) else None


# Snapshots of repositories in JSON lines: manifests map paths to blobs, blobs hold the texts.


class ManifestSource:
    """One snapshot: the files that its manifest names."""

    def __init__(self, files: Mapping[str, str], blobs: Mapping[str, str]) -> None:
        self._files = files
        self._blobs = blobs

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        for path, blob in sorted(self._files.items()):
            if blob in self._blobs:
                yield SourceFile(path, len(self._blobs[blob]))
            else:
                yield SourceProblem(path, f"its blob {blob} is missing")

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        return self._blobs[self._files[file.path]].encode("utf-8", "replace")


def read_manifests(
    manifests: Path, blobs: Path, names: tuple[str, ...] | None = None
) -> dict[str, ManifestSource]:
    """The snapshots with these names, or all; they share their blobs."""
    where = f"{manifests} or {blobs.name}: not manifests and blobs"
    try:
        with gzip.open(blobs, "rt", encoding="utf-8") as lines:
            texts = {row["_id"]: row["text"] for row in map(json.loads, lines)}
        rows = [json.loads(line) for line in manifests.read_bytes().splitlines()]
        snapshots = {str(row["_id"]): dict(row["files"]) for row in rows}
        strings = set(texts.values()).union(*(f.keys() | f.values() for f in snapshots.values()))
    except (
        OSError,
        EOFError,
        zlib.error,
        ValueError,
        LookupError,
        TypeError,
        RecursionError,
    ) as error:
        raise BadInput(f"{where}: {error}") from error
    if not all(isinstance(string, str) for string in strings):
        raise BadInput(f"{where}: a path, a blob or a text is not a string")
    selected = snapshots if names is None else [name for name in names if name in snapshots]
    return {name: ManifestSource(snapshots[name], texts) for name in selected}
