"""Services with cached vectors of questions: each question is embedded once for all pipelines."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.services import Services, make_services
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.models import Embedder
from docgraph.ports.store import Store
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings


class CachedQuestionEmbedder:
    """Other texts are embedded by the model."""

    def __init__(
        self,
        identity: EmbedderIdentity,
        vectors: Mapping[str, IntVector],
        others: Callable[[Sequence[str]], list[IntVector]],
    ) -> None:
        self.identity = identity
        self._vectors = vectors
        self._others = others

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        if all(text in self._vectors for text in texts):
            return [self._vectors[text] for text in texts]
        return self._others(texts)


def services_on(store: Store, embedder: Embedder, audit: Path) -> Services:
    """The audit log is written to another path, because this store is reused."""
    return make_services(store, open_stores(Settings(store=str(audit))).audit, embedder)
