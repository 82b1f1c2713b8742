"""Snapshots of repositories in JSON lines: manifests map paths to blobs, blobs hold the texts."""

import gzip
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem, SourceFile


class ManifestSource:
    """One snapshot: the files that its manifest names."""

    def __init__(self, files: Mapping[str, str], blobs: Mapping[str, str]) -> None:
        self._files = files
        self._blobs = blobs

    def files(self) -> Iterator[SourceFile | Problem]:
        for path, blob in sorted(self._files.items()):
            if blob in self._blobs:
                yield SourceFile(path, len(self._blobs[blob]))
            else:
                yield Problem(path, f"its blob {blob} is missing")

    def read(self, file: SourceFile) -> bytes | Problem:
        return self._blobs[self._files[file.path]].encode("utf-8", "replace")


def read_manifests(
    manifests: Path, blobs: Path, names: tuple[str, ...] | None = None
) -> dict[str, ManifestSource]:
    """The named snapshots, or all; blobs are shared between them."""
    try:
        with gzip.open(blobs, "rt", encoding="utf-8") as lines:
            texts = {row["_id"]: row["text"] for row in map(json.loads, lines)}
        rows = [json.loads(line) for line in manifests.read_text(encoding="utf-8").splitlines()]
        chosen = [row for row in rows if names is None or row["_id"] in names]
        return {row["_id"]: ManifestSource(row["files"], texts) for row in chosen}
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{manifests} or {blobs.name}: not manifests and blobs: {error}") from error
