"""The models of an installation: which embedder, reranker and token counter settings ask for.

Imports next to nothing, so that a model can begin to load before the engine's own modules do.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future

    from docgraph.model.access import Clearance
    from docgraph.model.context import TokenCounter
    from docgraph.ports.models import ChatModel, Embedder, RerankModel
    from docgraph.wiring.model_settings import ChatEndpoint, Endpoint
    from docgraph.wiring.settings import Settings

_loading: dict[tuple[str | None, Endpoint | None], Future[Embedder]] = {}


def open_embedder(settings: Settings) -> Embedder:
    if settings.embedder_folder:
        from docgraph.adapters.onnx.embedder import OnnxEmbedder

        return OnnxEmbedder(Path(settings.embedder_folder))
    if settings.embedder_endpoint:
        from docgraph.adapters.endpoint.embedder import EndpointEmbedder

        endpoint = settings.embedder_endpoint
        return EndpointEmbedder(endpoint.url, endpoint.model, api_key=endpoint.key)
    from docgraph.adapters.onnx.granite import GraniteEmbedder

    return GraniteEmbedder()


def preload_embedder(settings: Settings) -> Callable[[], Embedder]:
    """Begins to load the embedder beside all else that has to be loaded; the answer waits for it.

    Opening a model is mostly work outside the interpreter: both together take as long as one.
    """
    chosen = (settings.embedder_folder, settings.embedder_endpoint)
    if chosen not in _loading:
        from concurrent.futures import ThreadPoolExecutor

        worker = ThreadPoolExecutor(max_workers=2, thread_name_prefix="embedder")
        _loading[chosen] = worker.submit(_loaded_embedder, settings, worker)
    return _loading[chosen].result


def _loaded_embedder(settings: Settings, worker: Executor) -> Embedder:
    embedder = open_embedder(settings)
    from docgraph.adapters.onnx.granite import GraniteEmbedder

    if isinstance(embedder, GraniteEmbedder):
        worker.submit(embedder.tokenizer)
        embedder.runner()
    worker.shutdown(wait=False)
    return embedder


def embedder_clearance(settings: Settings) -> Clearance | None:
    """What may be sent to the embedder; None if it runs in this process, and nothing is sent."""
    if settings.embedder_folder or settings.embedder_endpoint is None:
        return None
    return settings.embedder_endpoint.clearance


def open_tokens() -> TokenCounter:
    from docgraph.adapters.onnx.granite import GraniteTokenCounter

    return GraniteTokenCounter()


def open_chat_models(settings: Settings) -> tuple[ChatModel, ...]:
    """In the order in which they are tried; none is asked for anything yet."""
    return tuple(_chat_model(endpoint) for endpoint in settings.answer_endpoints)


def _chat_model(endpoint: ChatEndpoint) -> ChatModel:
    from docgraph.adapters.endpoint.chat import EndpointChat

    counter = open_tokens()
    if endpoint.tokenizer:
        from docgraph.adapters.onnx.tokenizer import FileTokenCounter

        counter = FileTokenCounter(Path(endpoint.tokenizer))
    return EndpointChat(
        endpoint.url,
        endpoint.model,
        context_window=endpoint.context_window,
        counter=counter,
        exact=endpoint.tokenizer is not None,
        api_key=endpoint.key,
        clearance=endpoint.clearance,
    )


def open_reranker(settings: Settings) -> RerankModel | None:
    if settings.reranker_folder:
        from docgraph.adapters.onnx.cross_encoder import OnnxCrossEncoder

        return OnnxCrossEncoder(Path(settings.reranker_folder))
    if settings.reranker_endpoint is None:
        return None
    from docgraph.adapters.endpoint.reranker import EndpointReranker

    endpoint = settings.reranker_endpoint
    return EndpointReranker(
        endpoint.url, endpoint.model, api_key=endpoint.key, clearance=endpoint.clearance
    )
