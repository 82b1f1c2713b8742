"""Taking in what was asked for: the source is found again, and read in the asker's name."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from docgraph.engine import Engine
from docgraph.engine.ingest_jobs import NOTHING_THERE, ReadableCounts
from docgraph.ingest.result import IngestResult, Progress
from docgraph.interfaces.auth.api_keys import ResumedAuthentication
from docgraph.interfaces.auth.principals import resumed
from docgraph.interfaces.inputs import access_options
from docgraph.model.access import LOCAL, LOCAL_ONLY, Principal
from docgraph.model.access_policy import is_access_file
from docgraph.model.errors import BadInput, DocgraphError
from docgraph.model.ingest_job import IngestJob, IngestJobRequest
from docgraph.wiring.build import git_parent_access_rules
from docgraph.wiring.server_settings import RootSettings
from docgraph.wiring.sources import open_source

# Roots: the folders below which ingestions may read, each for one tenant. What lies elsewhere
# is not there.


@dataclass(frozen=True, slots=True)
class IngestPath:
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


class IngestRoots:
    """A folder that is named without a tenant is that of `only_tenant`, the one there is."""

    def __init__(self, written: Sequence[str | RootSettings], *, only_tenant: str | None) -> None:
        self._roots = tuple(_root(one, only_tenant) for one in written)
        _check_apart(self._roots)

    def __bool__(self) -> bool:
        return bool(self._roots)

    def find(self, path: str, tenant: str) -> IngestPath | None:
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
                return IngestPath(found, root, self._above(root, path, found))
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


# Rules above: an access.yaml speaks for all that lies below it, also for who asks for a part.


SPOKEN_FOR = "an access.yaml above this path speaks for it; ingest the folder that holds it"


def check_parent_access_rules(place: IngestPath) -> None:
    """Whoever may ingest must not read past the rules by asking for a subfolder, or a file."""
    for folder in (*place.above, *_of_work_tree(place)):
        if _holds_rules(folder):
            raise BadInput(SPOKEN_FOR)


def check_rules_of_commit(place: IngestPath, commit: str) -> None:
    """The same for what a commit holds, whatever lies in the work tree."""
    if git_parent_access_rules(place.path, commit, place.root):
        raise BadInput(SPOKEN_FOR)


def _of_work_tree(place: IngestPath) -> Iterator[Path]:
    """Of the repository that the path lies in, also where that begins above the root."""
    folder = place.path
    ways = (folder, *folder.parents)
    top = next((one for one in ways if os.path.lexists(one / ".git")), folder)
    yield from (one for one in folder.parents if one.is_relative_to(top))


def _holds_rules(folder: Path) -> bool:
    """Also as a link that leads nowhere. What cannot be looked at is not taken for absent."""
    try:
        return any(is_access_file(entry.name) for entry in folder.iterdir())
    except OSError:
        return True


@dataclass(frozen=True, slots=True)
class IngestJobResult:
    """What an ingestion did, and who can read what came of it."""

    ingest: IngestResult
    readable: ReadableCounts


@dataclass(frozen=True, slots=True)
class IngestJobHandler:
    engine: Engine
    roots: IngestRoots
    asked_before: ResumedAuthentication

    def __call__(self, asked: IngestJob, progress: Callable[[Progress], None]) -> IngestJobResult:
        """Errors speak of the path as it was asked for, not of where that lies."""
        principal = self.engine.jobs.begin(
            resumed(asked), lambda: self.asked_before.authenticate(asked)
        )
        place = self.roots.find(asked.request.path, principal.tenant)
        if place is None:
            raise BadInput(NOTHING_THERE)
        check_parent_access_rules(place)
        try:
            return self._taken_in(asked.request, principal, place, progress)
        except DocgraphError as error:
            told = str(error)
            hidden = told.replace(str(place.path), asked.request.path).replace(str(place.root), "…")
            if hidden != told:
                raise BadInput(hidden) from error
            raise

    def _taken_in(
        self,
        request: IngestJobRequest,
        principal: Principal,
        place: IngestPath,
        progress: Callable[[Progress], None],
    ) -> IngestJobResult:
        told = access_options(
            principal.tenant, request.readers or (), request.labels, request.level
        )
        rule = told.rule
        is_local = principal.id == LOCAL and principal.tenant == LOCAL
        with open_source(
            place.path,
            repository=request.repository,
            branch=request.branch,
            ref=request.ref,
            inside=place.root,
        ) as opened:
            if opened.origin.revision:
                check_rules_of_commit(place, opened.origin.revision)
            result = self.engine.content.ingest(
                principal,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                narrowed_by=told.narrowed_by,
                otherwise=LOCAL_ONLY if is_local else None,
                without=request.without,
                origin=opened.origin,
                progress=progress,
            )
        readable = self.engine.jobs.readable(principal, opened.repository, opened.branch)
        return IngestJobResult(result, readable)
