"""The content of a store, and the part of it that one reader may see, which decides all answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from docgraph.model.access import AccessRule, Principal
from docgraph.model.access_policy import PathAccess
from docgraph.model.edge import Edge
from docgraph.model.node import document_id, document_of


class BranchName(NamedTuple):
    """One branch of one repository of one tenant."""

    tenant: str
    repository: str
    branch: str


@dataclass(frozen=True, slots=True)
class BranchContent:
    """One snapshot of a branch: its texts by path, edges, and the miners that are switched off.

    `brought` has the numbers of the snapshots in which the texts first appeared, by path.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    manual_edges: frozenset[Edge] = frozenset()
    curated: tuple[Edge, ...] = ()
    without: frozenset[str] = frozenset()
    brought: Mapping[str, int] = field(default_factory=dict)


class VisibleContent(NamedTuple):
    """The part of a snapshot that a reader sees: paths with text and reason, edges, miners.

    `ingestions` are numbers for the texts: the same for those that came together, lower for those
    that came before. None, where nothing depends on it.
    """

    texts: tuple[tuple[str, str, str], ...]
    manual_edges: tuple[Edge, ...]
    curated: tuple[Edge, ...]
    without: tuple[str, ...]
    ingestions: tuple[int, ...] | None = None


Rules = Mapping[tuple[BranchName, str], PathAccess]
View = tuple[tuple[BranchName, tuple[VisibleContent, ...]], ...]


@dataclass(slots=True)
class Library:
    """Every snapshot of every branch by number, and the effective rules by branch and path; older
    versions of a document may have others."""

    snapshots: dict[BranchName, dict[int, BranchContent]] = field(default_factory=dict)
    rules: Rules = field(default_factory=dict)

    def newest(self, branch: BranchName) -> BranchContent:
        numbers = self.snapshots.get(branch)
        return numbers[max(numbers)] if numbers else BranchContent()

    def documents(self) -> list[tuple[BranchName, str]]:
        """Everything in the newest snapshots, without regard to rights."""
        return [(p, path) for p in sorted(self.snapshots) for path in sorted(self.newest(p).texts)]

    def rule(self, branch: BranchName, path: str, number: int | None = None) -> AccessRule | None:
        """In the snapshot of this number, or of the newest version."""
        access = self.rules.get((branch, path))
        return None if access is None else rule_at(access, number)

    def is_visible(
        self, reader: Principal, branch: BranchName, path: str, number: int | None = None
    ) -> bool:
        rule = self.rule(branch, path, number)
        return rule is not None and branch.tenant == reader.tenant and reader.may_read(rule)

    def newest_visible(self, reader: Principal) -> View:
        """The newest snapshots of every place in which this reader sees something."""
        newest = {branch: max(numbers) for branch, numbers in sorted(self.snapshots.items())}
        ids = {
            node for branch, number in newest.items() for node in self._ids(reader, branch, number)
        }
        found = ((p, tuple(self._seen(reader, p, number, ids))) for p, number in newest.items())
        return tuple((branch, seen) for branch, seen in found if seen)

    def visible_at(self, reader: Principal, branch: BranchName, *numbers: int) -> View:
        """Some snapshots of one place; nothing stands for one in which nothing is seen."""
        return tuple((branch, tuple(self._alone(reader, branch, one))) for one in numbers)

    def history(self, reader: Principal) -> View:
        """Every place's snapshots in turn; one like its forerunner tells nothing new."""
        found = []
        for branch, numbers in sorted(self.snapshots.items()):
            seen = [one for n in sorted(numbers) for one in self._alone(reader, branch, n)]
            turns = [one for at, one in enumerate(seen) if at == 0 or one != seen[at - 1]]
            if turns:
                found.append((branch, tuple(turns)))
        return tuple(found)

    def _content(self, branch: BranchName, number: int) -> BranchContent:
        return self.snapshots.get(branch, {}).get(number, BranchContent())

    def _alone(
        self, reader: Principal, branch: BranchName, number: int
    ) -> Iterable[VisibleContent]:
        return self._seen(reader, branch, number, self._ids(reader, branch, number))

    def _ids(self, reader: Principal, branch: BranchName, number: int) -> set[str]:
        return {
            document_id(branch.repository, path)
            for path in self._content(branch, number).texts
            if self.is_visible(reader, branch, path, number)
        }

    def _seen(
        self, reader: Principal, branch: BranchName, number: int, ids: set[str]
    ) -> Iterable[VisibleContent]:
        """Nothing of a place in which the reader may read no document."""
        content = self._content(branch, number)
        texts = tuple(
            (path, text, reader.read_reason(rule))
            for path, text in sorted(content.texts.items())
            if self.is_visible(reader, branch, path, number)
            and (rule := self.rule(branch, path, number)) is not None
        )
        if texts:
            stated = tuple(
                edge
                for edge in sorted(content.manual_edges)
                if document_of(edge.source) in ids and document_of(edge.target) in ids
            )
            yield VisibleContent(texts, stated, content.curated, tuple(sorted(content.without)))


def with_ingestions(view: View, library: Library, *numbers: int) -> View:
    """As a pipeline sees it that compares ingestions; `numbers` are the snapshots of the view, or
    none for the newest."""
    return tuple(
        (
            branch,
            tuple(
                one._replace(ingestions=_ingestions(one, library, branch, *numbers[at : at + 1]))
                for one in seen
            ),
        )
        for at, (branch, seen) in enumerate(view)
    )


def _ingestions(
    seen: VisibleContent, library: Library, branch: BranchName, *number: int
) -> tuple[int, ...]:
    """Counted over what is seen: what came between tells nothing."""
    content = library.snapshots[branch][number[0]] if number else library.newest(branch)
    brought = [content.brought[path] for path, _, _ in seen.texts]
    order = sorted(set(brought))
    return tuple(order.index(one) for one in brought)


def rule_at(access: PathAccess, number: int | None) -> AccessRule:
    """The rule of the version that a snapshot has; without a number, of the newest."""
    older = (
        one.rule for one in access.older if number is not None and one.first <= number <= one.last
    )
    return next(older, access.rule)


def is_difference(result: Mapping[str, Any], view: View) -> bool:
    """Whether these are the documents that came, went and changed between two snapshots, and the
    edges that did so lie between documents of one of them."""
    (branch, (old,)), (_, (new,)) = view
    before, after = (
        {document_id(branch.repository, path): text for path, text, _ in seen.texts}
        for seen in (old, new)
    )
    changed = sorted(node for node in before.keys() & after.keys() if before[node] != after[node])
    ends = {
        document_of(edge[end])
        for edge in (*result["gained"], *result["lost"])
        for end in ("source", "target")
    }
    return (
        result["added"] == sorted(after.keys() - before.keys())
        and result["removed"] == sorted(before.keys() - after.keys())
        and result["changed"] == changed
        and ends <= before.keys() | after.keys()
    )
