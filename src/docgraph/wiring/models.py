"""The models of an installation: which embedder, reranker and token counter settings ask for.

Imports next to nothing, so that a model can begin to load before the engine's own modules do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from docgraph.model.access import Clearance
    from docgraph.model.context import TokenCounter
    from docgraph.ports.models import ChatModel, Embedder, ModelSettings, RerankModel
    from docgraph.wiring.model_settings import ChatEndpoint, Endpoint
    from docgraph.wiring.settings import Settings

_loading: dict[str, Future[Embedder]] = {}


def open_embedder(settings: Settings) -> Embedder:
    name, block = _embedder_choice(settings)
    embedder: Embedder = _factory(settings, name, "embedder")(block)
    return embedder


def _embedder_choice(settings: Settings) -> tuple[str, ModelSettings]:
    """The provider and its settings; without any it is the model that comes with docgraph."""
    from docgraph.ports.models import ModelSettings

    chosen = settings.execution_providers
    if settings.embedder_folder:
        folder = settings.embedder_folder
        return "onnx", ModelSettings(folder=folder, execution_providers=chosen)
    if settings.embedder_endpoint:
        block = _block(settings.embedder_endpoint)
        return settings.embedder_endpoint.provider, replace(block, execution_providers=chosen)
    return "granite", ModelSettings(execution_providers=chosen)


def _block(endpoint: Endpoint) -> ModelSettings:
    from docgraph.ports.models import ModelSettings

    return ModelSettings(
        url=endpoint.url,
        model=endpoint.model,
        key=endpoint.key,
        clearance=endpoint.clearance,
        options=endpoint.options,
        dimensions=endpoint.dimensions,
        concurrency=endpoint.concurrency,
        requests_per_minute=endpoint.requests_per_minute,
    )


def _factory(settings: Settings, name: str, kind: str) -> Callable[[ModelSettings], Any]:
    from docgraph.model.errors import BadInput
    from docgraph.wiring.plugins import MODELS, load_plugin

    provider = load_plugin(MODELS, name, settings.plugins)
    if provider is None:
        raise BadInput(f"no model provider is called {name!r}; `docgraph doctor` lists those found")
    factory: Callable[[ModelSettings], Any] | None = getattr(provider, kind)
    if factory is None:
        raise BadInput(f"the model provider {name!r} has no {kind}")
    return factory


def preload_embedder(settings: Settings) -> Callable[[], Embedder]:
    """Begins to load the embedder beside all else that has to be loaded; the answer waits for it.

    Opening a model is mostly work outside the interpreter: both together take as long as one.
    """
    endpoint = settings.embedder_endpoint
    own = (settings.embedder_folder, settings.execution_providers)
    chosen = repr((*own, endpoint, endpoint and endpoint.key))
    if chosen not in _loading:
        from concurrent.futures import ThreadPoolExecutor

        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")
        _loading[chosen] = worker.submit(_loaded_embedder, settings)
        worker.shutdown(wait=False)
    return _loading[chosen].result


def preload_question_embedder(settings: Settings) -> Callable[[], Embedder] | None:
    """None where nothing is embedded that a question could be compared with."""
    from docgraph.wiring.backends import backend_for

    has_vectors = backend_for(settings.store, settings.plugins).may_have_vectors(settings.store)
    return preload_embedder(settings) if has_vectors else None


def _loaded_embedder(settings: Settings) -> Embedder:
    embedder = open_embedder(settings)
    from docgraph.adapters.onnx.granite import GraniteEmbedder

    if isinstance(embedder, GraniteEmbedder):
        embedder.runner()
    return embedder


def embedder_clearance(settings: Settings) -> Clearance | None:
    """What may be sent to the embedder; None if it runs in this process, and nothing is sent."""
    endpoint = settings.embedder_endpoint
    if settings.embedder_folder or endpoint is None or endpoint.provider == "granite":
        return None
    return endpoint.clearance


def open_tokens() -> TokenCounter:
    from docgraph.adapters.onnx.granite import GraniteTokenCounter

    return GraniteTokenCounter()


def open_chat_models(settings: Settings) -> tuple[ChatModel, ...]:
    """In the order in which they are tried; none is asked for anything yet."""
    return tuple(_chat_model(settings, endpoint) for endpoint in settings.answer_endpoints)


def _chat_model(settings: Settings, endpoint: ChatEndpoint) -> ChatModel:
    from docgraph.ports.models import ModelSettings

    block = ModelSettings(
        url=endpoint.url,
        model=endpoint.model,
        key=endpoint.key,
        clearance=endpoint.clearance,
        context_window=endpoint.context_window,
        tokenizer=endpoint.tokenizer,
        options=endpoint.options,
    )
    model: ChatModel = _factory(settings, endpoint.provider, "chat")(block)
    return model


def open_reranker(settings: Settings) -> RerankModel | None:
    from docgraph.ports.models import ModelSettings

    endpoint = settings.reranker_endpoint
    if settings.reranker_folder:
        name, block = "onnx", ModelSettings(folder=settings.reranker_folder)
    elif endpoint is not None:
        name, block = endpoint.provider, _block(endpoint)
    else:
        return None
    model: RerankModel = _factory(settings, name, "reranker")(block)
    return model
