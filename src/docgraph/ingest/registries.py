"""What an ingest reads files with: formats and miners, shipped and installed."""

from dataclasses import dataclass

from docgraph.ingest.formats.registry import SHIPPED_FORMATS, FormatRegistry
from docgraph.ingest.miners.registry import SHIPPED_MINERS, MinerRegistry
from docgraph.ports.source import SourceProblem


@dataclass(frozen=True, slots=True)
class Registries:
    """What files are read with; `problems` are plug-ins that could not be loaded."""

    formats: FormatRegistry = SHIPPED_FORMATS
    miners: MinerRegistry = SHIPPED_MINERS
    problems: tuple[SourceProblem, ...] = ()


SHIPPED = Registries()
