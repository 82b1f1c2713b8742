"""Roots: the folders below which ingestions may read, each for one tenant. What lies elsewhere is
not there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from docgraph.model.errors import BadInput
from docgraph.wiring.root_settings import RootSettings


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads, with every link followed, and the root that it lies below.

    `above` are the folders on the way there from the outermost root, itself not among them.
    """

    path: Path
    root: Path
    above: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Root:
    folder: Path
    tenant: str


class Roots:
    """A folder that is named without a tenant is that of `only_tenant`, the one there is."""

    def __init__(self, written: Sequence[str | RootSettings], *, only_tenant: str | None) -> None:
        self._roots = tuple(_root(one, only_tenant) for one in written)
        _check_apart(self._roots)

    def __bool__(self) -> bool:
        return bool(self._roots)

    def find(self, path: str, tenant: str) -> Place | None:
        """Below the first of the tenant's roots that has it; None for whatever else, in the same
        words."""
        if not _is_plain(path):
            return None
        for root in (one.folder for one in self._roots if one.tenant == tenant):
            try:
                found = (root / path).resolve(strict=True)
            except (OSError, RuntimeError, ValueError):
                continue
            if found.is_relative_to(root) and _is_shown(found.relative_to(root)):
                return Place(found, root, self._above(root, path, found))
        return None

    def _above(self, root: Path, path: str, found: Path) -> tuple[Path, ...]:
        """Also on the ways that links lead."""
        asked = root / path
        ways = [found.parent] if found != root else []
        ways += [one.resolve() for one in asked.parents if one.is_relative_to(root)]
        tops = [one.folder for one in self._roots]
        above = {folder for way in ways for folder in _inside(way, tops)} - {found}
        return tuple(sorted(above))


def _inside(folder: Path, tops: Sequence[Path]) -> Iterator[Path]:
    for one in (folder, *folder.parents):
        if any(one.is_relative_to(top) for top in tops):
            yield one


def _root(written: str | RootSettings, only_tenant: str | None) -> Root:
    if isinstance(written, str):
        folder, tenant = written, only_tenant
    else:
        folder, tenant = written.folder, written.tenant
    if not Path(folder).is_dir():
        raise BadInput(f"serve.roots: there is no folder {folder}")
    if tenant is None:
        raise BadInput(
            f"serve.roots: whose is {folder}? People of several tenants may come in; "
            f"write in docgraph.yaml: {{folder: {folder}, tenant: …}}"
        )
    return Root(Path(folder).resolve(), tenant)


def _check_apart(roots: Sequence[Root]) -> None:
    """Whoever reads a folder reads what is inside."""
    for outer in roots:
        for inner in roots:
            if inner.tenant != outer.tenant and outer.folder in inner.folder.parents:
                raise BadInput(
                    f"serve.roots: the folder of tenant {inner.tenant!r} lies inside that of "
                    f"{outer.tenant!r}, who could read it"
                )


def _is_plain(path: str) -> bool:
    """No way up, no way to the top, on any system."""
    windows = PureWindowsPath(path)
    return (
        path.isprintable()
        and not windows.drive
        and not windows.root
        and ".." not in windows.parts
        and _is_shown(PurePosixPath(path))
    )


def _is_shown(path: PurePosixPath | Path) -> bool:
    """Hidden folders are hidden from ingests, too."""
    return not any(part.startswith(".") for part in path.parts)
