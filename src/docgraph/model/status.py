"""What a reader can ask."""

from collections.abc import Mapping
from dataclasses import dataclass

from docgraph.model.question import EmbedderIdentity
from docgraph.model.scope import Scope


@dataclass(frozen=True, slots=True)
class Status:
    """What a reader can see: snapshots, counts, and whose vectors they are."""

    scope: Scope
    counts: Mapping[str, int]
    embedder: EmbedderIdentity | None
