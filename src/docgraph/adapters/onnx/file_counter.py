"""Counts tokens with any tokenizer file, as a model that runs elsewhere would."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.adapters.onnx.tokenizer import load_tokenizer, readable
from docgraph.model.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class FileTokenCounter:
    """Of a `tokenizer.json`, or of a folder that holds one; read when first asked."""

    def __init__(self, path: Path) -> None:
        self._path = path / "tokenizer.json" if path.is_dir() else path

    @property
    def name(self) -> str:
        return str(self._path)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(readable(text), add_special_tokens=False))

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        try:
            text = self._path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise ModelError(f"{self._path}: cannot be read: {error}") from error
        return load_tokenizer(str(self._path), text)
