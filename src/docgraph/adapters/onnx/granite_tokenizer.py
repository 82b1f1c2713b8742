"""The granite tokenizer, parsed once for the embedder and the counter alike."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from docgraph.adapters.onnx.granite_pack import NAME, read_tokenizer
from docgraph.adapters.onnx.tokenizer import load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_parsed: dict[Path, Tokenizer] = {}
_lock = Lock()


def granite_tokenizer(pack: Path) -> Tokenizer:
    """Parsing takes as long as opening the model; its digest is pinned, so it stays the same."""
    with _lock:
        if pack not in _parsed:
            _parsed[pack] = load_tokenizer(NAME, read_tokenizer(pack))
        return _parsed[pack]
