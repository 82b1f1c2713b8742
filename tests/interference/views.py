"""What a store holds, and what of it one reader may see: the view that all answers hang on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from docgraph.model.access import AccessRule, Principal
from docgraph.model.edge import Edge
from docgraph.model.node import document_id, document_of


class BranchName(NamedTuple):
    """One branch of one repository of one tenant."""

    tenant: str
    repository: str
    branch: str


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One snapshot of a place: its texts by path, edges, and the miners it does without."""

    texts: Mapping[str, str] = field(default_factory=dict)
    by_hand: frozenset[Edge] = frozenset()
    curated: tuple[Edge, ...] = ()
    without: frozenset[str] = frozenset()


class VisibleFile(NamedTuple):
    """A reader's part of a snapshot: paths with text and grounds, and what else may count."""

    texts: tuple[tuple[str, str, str], ...]
    by_hand: tuple[Edge, ...]
    curated: tuple[Edge, ...]
    without: tuple[str, ...]


Rules = Mapping[tuple[BranchName, str], AccessRule]
View = tuple[tuple[BranchName, tuple[VisibleFile, ...]], ...]


@dataclass(slots=True)
class Library:
    """Every snapshot of every place by number, and the rule in force by place and path."""

    snapshots: dict[BranchName, dict[int, StoredFile]] = field(default_factory=dict)
    rules: Rules = field(default_factory=dict)

    def newest(self, place: BranchName) -> StoredFile:
        numbers = self.snapshots.get(place)
        return numbers[max(numbers)] if numbers else StoredFile()

    def documents(self) -> list[tuple[BranchName, str]]:
        """Everything that the newest snapshots hold, whoever may read it."""
        return [(p, path) for p in sorted(self.snapshots) for path in sorted(self.newest(p).texts)]

    def is_visible(self, reader: Principal, place: BranchName, path: str) -> bool:
        rule = self.rules.get((place, path))
        return rule is not None and place.tenant == reader.tenant and reader.may_read(rule)

    def newest_visible(self, reader: Principal) -> View:
        """The newest snapshots of every place in which this reader sees something."""
        newest = {place: self.newest(place) for place in sorted(self.snapshots)}
        ids = {node for place, held in newest.items() for node in self._ids(reader, place, held)}
        found = ((p, tuple(self._seen(reader, p, held, ids))) for p, held in newest.items())
        return tuple((place, seen) for place, seen in found if seen)

    def visible_at(self, reader: Principal, place: BranchName, *numbers: int) -> View:
        """Some snapshots of one place; nothing stands for one in which nothing is seen."""
        held = [self.snapshots.get(place, {}).get(number, StoredFile()) for number in numbers]
        return tuple((place, tuple(self._alone(reader, place, one))) for one in held)

    def history(self, reader: Principal) -> View:
        """Every place's snapshots in turn; one like its forerunner tells nothing new."""
        found = []
        for place, numbers in sorted(self.snapshots.items()):
            seen = [one for n in sorted(numbers) for one in self._alone(reader, place, numbers[n])]
            turns = [one for at, one in enumerate(seen) if at == 0 or one != seen[at - 1]]
            if turns:
                found.append((place, tuple(turns)))
        return tuple(found)

    def _alone(
        self, reader: Principal, place: BranchName, held: StoredFile
    ) -> Iterable[VisibleFile]:
        return self._seen(reader, place, held, self._ids(reader, place, held))

    def _ids(self, reader: Principal, place: BranchName, held: StoredFile) -> set[str]:
        return {
            document_id(place.repository, path)
            for path in held.texts
            if self.is_visible(reader, place, path)
        }

    def _seen(
        self, reader: Principal, place: BranchName, held: StoredFile, ids: set[str]
    ) -> Iterable[VisibleFile]:
        """Nothing of a place in which the reader may read no document."""
        texts = tuple(
            (path, text, reader.read_reason(self.rules[place, path]))
            for path, text in sorted(held.texts.items())
            if self.is_visible(reader, place, path)
        )
        if texts:
            stated = tuple(
                edge
                for edge in sorted(held.by_hand)
                if document_of(edge.source) in ids and document_of(edge.target) in ids
            )
            yield VisibleFile(texts, stated, held.curated, tuple(sorted(held.without)))


def is_difference(result: Mapping[str, Any], view: View) -> bool:
    """Whether these are the documents that came, went and changed between two snapshots, and the
    edges that did so lie between documents of one of them."""
    (place, (old,)), (_, (new,)) = view
    before, after = (
        {document_id(place.repository, path): text for path, text, _ in seen.texts}
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
