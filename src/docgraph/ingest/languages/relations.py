"""The relations that are found in code, and the miner that each belongs to."""

from types import MappingProxyType

MINER_OF = MappingProxyType(
    {
        "imports": "imports",
        "calls": "calls",
        "inherits": "types",
        "implements": "types",
        "reads": "tables",
        "writes": "tables",
        "references": "tables",
    }
)
