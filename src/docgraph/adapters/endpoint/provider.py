"""Models behind a server of the OpenAI dialect."""

from pathlib import Path
from typing import TYPE_CHECKING

from docgraph.ports.models import ModelProvider, ModelSettings

if TYPE_CHECKING:
    from docgraph.adapters.endpoint.chat import EndpointChat
    from docgraph.adapters.endpoint.embedder import EndpointEmbedder
    from docgraph.adapters.endpoint.reranker import EndpointReranker
    from docgraph.model.context import TokenCounter


def _embedder(settings: ModelSettings) -> "EndpointEmbedder":
    from docgraph.adapters.endpoint.embedder import EndpointEmbedder

    return EndpointEmbedder(settings.url, settings.model, api_key=settings.key)


def _reranker(settings: ModelSettings) -> "EndpointReranker":
    from docgraph.adapters.endpoint.reranker import EndpointReranker

    return EndpointReranker(
        settings.url, settings.model, api_key=settings.key, clearance=settings.clearance
    )


def _chat(settings: ModelSettings) -> "EndpointChat":
    from docgraph.adapters.endpoint.chat import EndpointChat

    return EndpointChat(
        settings.url,
        settings.model,
        context_window=settings.context_window,
        counter=_counter(settings.tokenizer),
        exact=settings.tokenizer is not None,
        api_key=settings.key,
        clearance=settings.clearance,
    )


def _counter(tokenizer: str | None) -> "TokenCounter":
    """Without the model's own tokenizer its tokens are estimated with the shipped one."""
    if tokenizer:
        from docgraph.adapters.onnx.tokenizer import FileTokenCounter

        return FileTokenCounter(Path(tokenizer))
    from docgraph.adapters.onnx.granite import GraniteTokenCounter

    return GraniteTokenCounter()


ENDPOINT = ModelProvider("endpoint", embedder=_embedder, reranker=_reranker, chat=_chat)
