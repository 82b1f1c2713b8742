"""A root of `docgraph serve` that is one tenant's."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from annotated_types import MinLen

from docgraph.wiring.endpoint_settings import STRICT

Filled = Annotated[str, MinLen(1)]


@dataclass(frozen=True, slots=True)
class RootSettings:
    """Ingestions of this tenant's people may read below the folder, and nobody else's."""

    __pydantic_config__: ClassVar[dict[str, Any]] = STRICT
    folder: Filled
    tenant: Filled
