"""LightRAG in its mode `mix`, up to the context it would give to a language model.

Pages are its entities and links its relations, so that no language model has to find any; the
question stands for the keywords that one would have chosen. Its storages are those it comes with.
"""

import asyncio
import atexit
import tempfile

import numpy as np
from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer

from benchmarks.cheap_engine import DIMENSIONS
from benchmarks.generated_chunks import Rows
from benchmarks.peers.peer_input import TOP, Ask, PeerInput
from benchmarks.questions import BenchmarkQuestion


class Words:
    """Its own tokenizer is fetched from the network; this one counts words."""

    def encode(self, content: str) -> list[int]:
        return list(range(len(content.split())))

    def decode(self, tokens: list[int]) -> str:
        return " ".join(map(str, tokens))


async def no_model(*_: object, **__: object) -> str:
    raise AssertionError("retrieval asked for a language model")


def ask_lightrag(given: PeerInput) -> Ask:
    loop = asyncio.new_event_loop()
    folder = tempfile.TemporaryDirectory()
    rag = loop.run_until_complete(_open(given, folder.name))
    atexit.register(_close, loop, folder)

    def ask(asked: BenchmarkQuestion) -> list[str]:
        options = QueryParam(
            mode="mix",
            top_k=TOP,
            chunk_top_k=TOP,
            hl_keywords=[asked.text],
            ll_keywords=[asked.text],
            enable_rerank=False,
        )
        found = loop.run_until_complete(rag.aquery_data(asked.text, options))
        return [chunk["content"] for chunk in found["data"]["chunks"]]

    return ask


async def _open(given: PeerInput, folder: str) -> LightRAG:
    async def look_up(texts: list[str]) -> Rows:
        return np.array([given.vector(text) for text in texts], dtype=np.float32)

    rag = LightRAG(
        working_dir=folder,
        embedding_func=EmbeddingFunc(DIMENSIONS, look_up),
        llm_model_func=no_model,
        tokenizer=Tokenizer("words", Words()),
        enable_llm_cache=False,
        vector_db_storage_cls_kwargs={"cosine_better_than_threshold": -1.0},
    )
    await rag.initialize_storages()
    await rag.ainsert_custom_kg(_graph(given))
    return rag


def _close(loop: asyncio.AbstractEventLoop, folder: "tempfile.TemporaryDirectory[str]") -> None:
    """Ends its workers, which wait for more work."""
    waiting = asyncio.all_tasks(loop)
    for task in waiting:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*waiting, return_exceptions=True))
    loop.close()
    folder.cleanup()


def _graph(given: PeerInput) -> dict[str, list[dict[str, object]]]:
    chunks: list[dict[str, object]] = []
    first: dict[str, str] = {}
    for page, text in zip(given.chunks.documents, given.chunks.texts, strict=True):
        source = str(len(chunks))
        first.setdefault(page, source)
        chunks.append({"content": text, "source_id": source, "file_path": page})
    return {
        "chunks": chunks,
        "entities": [
            {"entity_name": page, "description": page, "source_id": source}
            for page, source in first.items()
        ],
        "relationships": [
            {
                "src_id": page,
                "tgt_id": end,
                "description": f"{page} links to {end}",
                "keywords": "link",
                "source_id": first[page],
            }
            for page, ends in given.links().items()
            for end in ends
        ],
    }
