"""Chunks of made pages, with the vectors they have in a store: what anyone else searches.

Texts and vectors are those that an ingest of the same pages embeds and indexes, row by row; they
are made once and kept as files.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.cheap_engine import ScatteredEmbedder
from benchmarks.generated_pages import GeneratedPages
from docgraph.ingest.build_document import build_nodes, chunk_text_to_embed
from docgraph.ingest.chunking import split_chunks
from docgraph.ingest.formats.markdown import parse_markdown
from docgraph.ingest.parsed_file import ParsedFile

Rows = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GeneratedChunks:
    """`documents` names the page of each text; `summaries` has one row for each page."""

    texts: tuple[str, ...]
    documents: tuple[str, ...]
    vectors: Rows
    summaries: Rows


def generated_chunks(folder: Path, documents: int) -> GeneratedChunks:
    cached = folder / f"chunks-{documents}"
    if not cached.exists():
        half = folder / f"chunks-{documents}.half"
        half.mkdir(parents=True, exist_ok=True)
        _write(half, documents)
        half.rename(cached)
    with (cached / "texts.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return GeneratedChunks(
        texts=tuple(text for _, text in rows),
        documents=tuple(page for page, _ in rows),
        vectors=np.load(cached / "vectors.npy"),
        summaries=np.load(cached / "summaries.npy"),
    )


def _write(folder: Path, documents: int) -> None:
    embedder, vectors, summaries = ScatteredEmbedder(), [], []
    with (folder / "texts.jsonl").open("w", encoding="utf-8") as file:
        for path, texts in _texts(documents):
            found = embedder.embed(texts)
            vectors += found
            summaries.append(np.mean(found, axis=0))
            file.writelines(f"{json.dumps([path, text])}\n" for text in texts)
    np.save(folder / "vectors.npy", _unit(vectors))
    np.save(folder / "summaries.npy", _unit(summaries))


def _texts(documents: int) -> Iterator[tuple[str, list[str]]]:
    pages = GeneratedPages(documents)
    for file in pages.files():
        parsed = parse_markdown(file.path, pages.read(file).decode())
        assert isinstance(parsed, ParsedFile)
        ids = [node.id for node in build_nodes("r", file.path, parsed)]
        found = split_chunks(file.path, parsed, ids[0], ids[1:])
        yield file.path, [chunk_text_to_embed(parsed.title, chunk) for chunk in found]


def _unit(rows: Sequence[npt.NDArray[Any]]) -> Rows:
    whole = np.array(rows, dtype=np.float32)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    return whole
