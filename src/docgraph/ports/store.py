"""The store: two ways in, and no read without a principal."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from docgraph.model.access import Principal
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import EVERYTHING, Scope, Wanted
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.text_reads import TextReads
from docgraph.ports.writes import Writes


class Reads(Protocol):
    """One reader's view of one scope; it does not change while it is open."""

    @property
    def scope(self) -> Scope: ...

    @property
    def embedder(self) -> EmbedderIdentity | None:
        """Whose vectors the scope holds; None when nothing is visible."""
        ...

    @property
    def search(self) -> SearchReads: ...

    @property
    def graph(self) -> GraphReads: ...

    def texts(self, plan: RetrievalPlan) -> TextReads: ...

    def counts(self) -> dict[str, int]:
        """Visible documents, nodes, chunks and edges by kind."""
        ...


class Store(Protocol):
    def reads_as(
        self, principal: Principal, wanted: Sequence[Wanted] = EVERYTHING
    ) -> AbstractContextManager[Reads]: ...

    def writes(
        self, tenant: str, repository: str, branch: str, embedder: EmbedderIdentity
    ) -> AbstractContextManager[Writes]: ...
