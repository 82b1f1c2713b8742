"""Distributions with entry points, as pip would leave them, in a folder for sys.path."""

from collections.abc import Mapping
from pathlib import Path

Entries = Mapping[str, Mapping[str, str]]


def write_distribution(
    folder: Path, name: str, code: str, entries: Entries, version: str = "1.0"
) -> str:
    """One module, named like the distribution; an entry point leads to an object of that name.

    Returns the module's name.
    """
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{module}-{version}.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    lines = []
    for group, names in entries.items():
        lines += [f"[{group}]", *(f"{key} = {module}:{value}" for key, value in names.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return module
