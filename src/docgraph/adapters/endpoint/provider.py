"""The provider of models behind an OpenAI-compatible endpoint; each is imported when opened."""

from pathlib import Path

from docgraph.model.context import TokenCounter
from docgraph.ports.models import ChatModel, Embedder, ModelProvider, ModelSettings, RerankModel


def _embedder(settings: ModelSettings) -> Embedder:
    from docgraph.adapters.endpoint.embedder import DEFAULT_CONCURRENCY, EndpointEmbedder

    return EndpointEmbedder(
        settings.url,
        settings.model,
        api_key=settings.key,
        dimensions=settings.dimensions,
        concurrency=settings.concurrency or DEFAULT_CONCURRENCY,
        requests_per_minute=settings.requests_per_minute,
    )


def _reranker(settings: ModelSettings) -> RerankModel:
    from docgraph.adapters.endpoint.reranker import EndpointReranker

    return EndpointReranker(
        settings.url, settings.model, api_key=settings.key, clearance=settings.clearance
    )


def _chat(settings: ModelSettings) -> ChatModel:
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


def _counter(tokenizer: str | None) -> TokenCounter:
    """Without the model's own tokenizer its tokens are estimated with the shipped one."""
    if tokenizer:
        from docgraph.adapters.onnx.tokenizer import FileTokenCounter

        return FileTokenCounter(Path(tokenizer))
    from docgraph.adapters.onnx.granite import GraniteTokenCounter

    return GraniteTokenCounter()


ENDPOINT = ModelProvider("endpoint", embedder=_embedder, reranker=_reranker, chat=_chat)
