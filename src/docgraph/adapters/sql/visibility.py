"""What a reader may see: `visible = alive[snapshot] & allowed[class[document]]`, in one place."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from docgraph.adapters.sql.version_table import Branch, VersionTable
from docgraph.model.access import Principal
from docgraph.model.access_policy import DEFAULT_BRANCHES
from docgraph.model.errors import WrongEmbedder
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import Scope, SnapshotName, SnapshotSelector, nothing_visible
from docgraph.ports.indexes import ReadFilter


@dataclass(frozen=True, slots=True, eq=False)
class Visibility:
    """One reader's view: which ordinals, in which snapshots.

    Of the visible ones, `embedded` are those that are completely embedded, `summarized` those of
    which the summary alone is.
    """

    rows: VersionTable
    mask: npt.NDArray[np.bool_]
    embedded: npt.NDArray[np.bool_]
    summarized: npt.NDArray[np.bool_]
    scope: Scope
    reads: ReadFilter
    principal: Principal

    @property
    def snapshots(self) -> dict[int, int]:
        """By branch."""
        return dict(self.reads.snapshots)

    def read_reason(self, ordinal: int) -> str:
        return self.principal.read_reason(self.rows.rule_of(ordinal))


def resolve_visibility(
    rows: VersionTable, principal: Principal, selectors: Sequence[SnapshotSelector]
) -> Visibility:
    """Resolves the classes once, then the scope over what they let through."""
    classes = classes_of(principal, rows)
    chosen = _chosen(rows, rows.readable(classes), principal.tenant, selectors)
    names = [SnapshotName(b.repository, b.name, snapshot) for b, snapshot in chosen.values()]
    snapshots = tuple(sorted((branch.id, snapshot) for branch, snapshot in chosen.values()))
    reads = ReadFilter(principal.tenant, classes, snapshots, rows.counted.changes)
    mask = rows.mask(reads)
    scope = Scope(tuple(sorted(names)))
    return Visibility(rows, mask, *rows.embedded(mask, reads), scope, reads, principal)


def classes_of(principal: Principal, rows: VersionTable) -> frozenset[int]:
    """Those that the reader may read."""
    return frozenset(number for number, rule in rows.rules.items() if principal.may_read(rule))


def _chosen(
    rows: VersionTable,
    readable: npt.NDArray[np.bool_],
    tenant: str,
    selectors: Sequence[SnapshotSelector],
) -> dict[str, tuple[Branch, int]]:
    """One branch and snapshot per repository; absent and forbidden read alike."""
    chosen: dict[str, tuple[Branch, int]] = {}
    for selector in selectors:
        found = {
            name: pick
            for name in sorted({b.repository for b in rows.branches if b.tenant == tenant})
            if selector.repository in (None, name)
            and (pick := _pick(rows, readable, tenant, name, selector)) is not None
        }
        if not found and (selector.repository, selector.branch) != (None, None):
            raise nothing_visible(selector, _newest_names(rows, readable, tenant))
        chosen.update(found)
    return chosen


def _newest_names(
    rows: VersionTable, readable: npt.NDArray[np.bool_], tenant: str
) -> list[SnapshotName]:
    """Sorted; the newest of each branch, where something in it is readable."""
    return sorted(
        SnapshotName(branch.repository, branch.name, branch.newest)
        for branch in rows.branches
        if branch.tenant == tenant and bool(np.any(readable & rows.alive(branch.id, branch.newest)))
    )


def _pick(
    rows: VersionTable,
    readable: npt.NDArray[np.bool_],
    tenant: str,
    repository: str,
    selector: SnapshotSelector,
) -> tuple[Branch, int] | None:
    candidates = [
        (branch, branch.newest if selector.snapshot is None else selector.snapshot)
        for branch in rows.branches
        if branch.tenant == tenant
        and branch.repository == repository
        and selector.branch in (None, branch.name)
        and (selector.snapshot is None or branch.oldest <= selector.snapshot <= branch.newest)
    ]
    seen = [
        (branch, snapshot)
        for branch, snapshot in candidates
        if bool(np.any(readable & rows.alive(branch.id, snapshot)))
    ]
    order = {name: place for place, name in enumerate(DEFAULT_BRANCHES)}
    seen.sort(key=lambda item: (order.get(item[0].name, len(order)), item[0].name))
    return seen[0] if seen else None


def embedder_of(visible: Visibility) -> EmbedderIdentity | None:
    """Whose vectors the scope holds; several are refused, since they cannot be compared."""
    found: dict[EmbedderIdentity, str] = {}
    names = {branch.id: branch.repository for branch in visible.rows.branches}
    for branch, snapshot in sorted(visible.snapshots.items(), key=lambda item: names[item[0]]):
        found.setdefault(visible.rows.snapshots[branch, snapshot].embedder, names[branch])
    if len(found) > 1:
        models = ", ".join(f"{name} by {identity.name}" for identity, name in found.items())
        raise WrongEmbedder(
            f"repositories embedded by different models: {models}; name one of them"
        )
    return next(iter(found), None)
