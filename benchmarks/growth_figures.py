"""What one size of corpus cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GrowthFigures:
    """Medians in seconds, and megabytes at their most."""

    documents: int
    search: float
    execute: float
    megabytes: float
