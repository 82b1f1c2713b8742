"""A folder that holds a model: reads its files and records the digest of each one it reads."""

import json
import re
from pathlib import Path, PurePosixPath

from docgraph.model.digest import digest, digest_bytes
from docgraph.model.errors import ModelError

# The reference of a tensor to another file: key "location", a byte of length, the name.
LOCATION = re.compile(rb"\n\x08location\x12([\x01-\x7f])", re.DOTALL)


class ModelFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._used: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self.path.resolve().name

    @property
    def digest(self) -> str:
        """Of the names and contents of every file read so far."""
        return digest(self._used)

    def has(self, file: str) -> bool:
        return (self.path / file).is_file()

    def read(self, file: str) -> bytes:
        try:
            data = (self.path / file).read_bytes()
        except OSError as error:
            raise ModelError(f"{self.path / file}: cannot be read: {error.strerror}") from error
        self._used[file] = digest_bytes(data)
        return data

    def settings(self, file: str) -> dict[str, object]:
        """A JSON object; an absent file is an empty one."""
        value = self._json(file) if self.has(file) else {}
        if not isinstance(value, dict):
            raise ModelError(f"{self.path / file}: holds no JSON object")
        return value

    def array(self, file: str) -> list[object]:
        """A JSON array; an absent file is an empty one."""
        value = self._json(file) if self.has(file) else []
        if not isinstance(value, list):
            raise ModelError(f"{self.path / file}: holds no JSON array")
        return value

    def tensors_of(self, file: str, model: bytes) -> dict[str, bytes]:
        """The files that hold a model's large tensors, by the names the model uses."""
        ends = ((match.end(), match[1][0]) for match in LOCATION.finditer(model))
        names = sorted({model[end : end + length].decode("latin-1") for end, length in ends})
        folder = PurePosixPath(file).parent
        for name in names:
            if PurePosixPath(name).name != name:
                raise ModelError(f"{self.path / file}: tensors must lie beside it, not {name!r}")
        return {name: self.read(str(folder / name)) for name in names}

    def _json(self, file: str) -> object:
        try:
            return json.loads(self.read(file))
        except ValueError as error:
            raise ModelError(f"{self.path / file}: is not JSON: {error}") from error
