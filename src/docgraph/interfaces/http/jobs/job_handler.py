"""Handles an ingest job: the source is found again, and read in its owner's name."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from docgraph.engine import Engine
from docgraph.engine.ingest_jobs import NOTHING_THERE, ReadableCounts
from docgraph.ingest.progress import ReportProgress
from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.api_keys import ResumedAuthentication
from docgraph.interfaces.auth.principals import principal_of_job
from docgraph.interfaces.inputs import access_options
from docgraph.model.access import LOCAL, LOCAL_ONLY, Principal
from docgraph.model.access_policy import is_access_file
from docgraph.model.embedding_state import COMPLETE
from docgraph.model.errors import BadInput, DocgraphError, WrongSource
from docgraph.model.ingest_job import IngestJob, IngestJobRequest
from docgraph.ports.source import SourceOptions
from docgraph.ports.source_states import BranchKey
from docgraph.wiring.build import git_parent_access_rules
from docgraph.wiring.server_settings import RootSettings
from docgraph.wiring.sources import open_source, source_location

OUTSIDE = "a place outside of this server's roots"

# The folders below which ingest jobs may read, each for one tenant.


@dataclass(frozen=True, slots=True)
class IngestPath:
    """A path with every link followed, and the root that it lies below.

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
        """Below the first of the tenant's roots that has it; None for everything else alike."""
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

    def hide(self, message: str) -> str:
        """Without the folders of this machine that the roots are, or lie in."""
        for folder in sorted((str(one.folder) for one in self._roots), key=len, reverse=True):
            message = message.replace(folder, "…")
        return message

    def hide_outside(self, message: str, location: str) -> str:
        """Without a location that no root has."""
        inside = any(Path(location).is_relative_to(one.folder) for one in self._roots)
        return message if inside or not location else message.replace(location, OUTSIDE)

    def _above(self, root: Path, path: str, found: Path) -> tuple[Path, ...]:
        """Also along links."""
        named = root / path
        ways = [found.parent] if found != root else []
        ways += [one.resolve() for one in named.parents if one.is_relative_to(root)]
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
    """A tenant's folder includes everything inside."""
    for outer in roots:
        for inner in roots:
            if inner.tenant != outer.tenant and outer.folder in inner.folder.parents:
                raise BadInput(
                    f"serve.roots: the folder of tenant {inner.tenant!r} lies inside that of "
                    f"{outer.tenant!r}, who could read it"
                )


def _is_plain(path: str) -> bool:
    """Relative, and without `..`, on any system."""
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


# Parent access rules: an access.yaml holds for everything below it, also for a part of that.


HAS_PARENT_RULES = "an access.yaml above this path holds for it; ingest the folder that contains it"


def check_parent_access_rules(place: IngestPath) -> None:
    """Ingesting a subfolder or a file must not bypass the rules above it."""
    for folder in (*place.above, *_of_work_tree(place)):
        if _holds_rules(folder):
            raise BadInput(HAS_PARENT_RULES)


def check_rules_of_commit(place: IngestPath, commit: str) -> None:
    """The same for a commit, regardless of the work tree."""
    if git_parent_access_rules(place.path, commit, place.root):
        raise BadInput(HAS_PARENT_RULES)


def _of_work_tree(place: IngestPath) -> Iterator[Path]:
    """The parents within the git repository of the path, also above the root."""
    folder = place.path
    ways = (folder, *folder.parents)
    top = next((one for one in ways if os.path.lexists(one / ".git")), folder)
    yield from (one for one in folder.parents if one.is_relative_to(top))


def _holds_rules(folder: Path) -> bool:
    """Also as a broken link. A folder that cannot be read counts as one with rules."""
    try:
        return any(is_access_file(entry.name) for entry in folder.iterdir())
    except OSError:
        return True


@dataclass(frozen=True, slots=True)
class IngestJobResult:
    """What an ingest did, and who can read the result."""

    ingest: IngestResult
    readable: ReadableCounts


@dataclass(frozen=True, slots=True)
class IngestJobHandler:
    engine: Engine
    roots: IngestRoots
    authentication: ResumedAuthentication
    embed_later: Callable[[BranchKey], None]

    def __call__(self, job: IngestJob, progress: ReportProgress) -> IngestJobResult:
        """Errors name the path of the request, not where it lies on this machine."""
        principal = self.engine.jobs.begin(
            principal_of_job(job), lambda: self.authentication.authenticate(job)
        )
        place = self.roots.find(job.request.path, principal.tenant)
        if place is None:
            raise BadInput(NOTHING_THERE)
        check_parent_access_rules(place)
        try:
            return self._ingest(job.request, principal, place, progress)
        except DocgraphError as error:
            message = str(error)
            if isinstance(error, WrongSource):
                message = self.roots.hide_outside(message, error.location)
            hidden = self.roots.hide(message.replace(str(place.path), job.request.path))
            if hidden != str(error):
                raise BadInput(hidden) from error
            raise

    def _ingest(
        self,
        request: IngestJobRequest,
        principal: Principal,
        place: IngestPath,
        progress: ReportProgress,
    ) -> IngestJobResult:
        access = access_options(
            principal.tenant, request.readers or (), request.labels, request.level
        )
        rule = access.rule
        is_local = principal.id == LOCAL and principal.tenant == LOCAL
        with open_source(
            place.path,
            SourceOptions(request.repository, request.branch, request.ref, inside=place.root),
        ) as opened:
            if opened.origin.revision:
                check_rules_of_commit(place, opened.origin.revision)
            result = self.engine.content.ingest(
                principal,
                opened.source,
                repository=opened.repository,
                branch=opened.branch,
                rule_for=None if rule is None else lambda _: rule,
                restriction=access.restriction,
                otherwise=LOCAL_ONLY if is_local else None,
                without=request.without,
                origin=opened.origin,
                location=source_location(place.path, opened.origin.ref),
                progress=progress,
                embed="few",
            )
        if result.embeddings.name != COMPLETE:
            self.embed_later(BranchKey(principal.tenant, opened.repository, opened.branch))
        readable = self.engine.jobs.readable(principal, opened.repository, opened.branch)
        return IngestJobResult(result, readable)
