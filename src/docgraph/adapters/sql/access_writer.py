"""Writing who may read what: words are kept as they were said, rules are decided from them."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from docgraph.adapters.sql.access_rows import (
    hand_from_json,
    hand_to_json,
    rule_to_json,
    told_from_json,
)
from docgraph.adapters.sql.database import Database, single_row
from docgraph.model.access import AccessStatement
from docgraph.model.access_policy import (
    AccessFileRules,
    ManualRule,
    canonical_path,
    effective_rule,
    inherited_statements,
    path_spellings,
)

OnReclassified = Callable[[int, Collection[str]], None]


@dataclass(frozen=True, slots=True)
class InheritedAccess:
    """What counts beside a branch's own words: decisions by hand, and the default branch's."""

    tenant: str
    hands: Mapping[str, ManualRule]
    default: int | None = None
    name: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    lines: AccessFileRules | None = None

    def hand(self, path: str) -> ManualRule | None:
        return self.hands.get(canonical_path(path))

    def inherited(self, branch: int, path: str) -> tuple[AccessStatement, ...]:
        if self.default is None or branch == self.default:
            return ()
        told = told_from_json(self.told[path]) if path in self.told else None
        return inherited_statements(self.tenant, path, self.name, told, self.lines)


class AccessWriter:
    """Of one repository. Each method runs inside its caller's transaction.

    `writing` is the branch that is about to be published, and has a say before it is. `moved` is
    told of paths of a branch that were decided on.
    """

    def __init__(
        self,
        database: Database,
        tenant: str,
        repository: str,
        *,
        writing: int = 0,
        moved: OnReclassified = lambda _branch, _paths: None,
    ) -> None:
        self._sql = database.queries("access.sql")
        self._place = {"tenant": tenant, "repository": repository}
        self._tenant = tenant
        self._writing = writing
        self._moved = moved

    def branches(self) -> dict[int, str]:
        """Names by number, the oldest first."""
        rows = self._sql.rows("branches_of_repository", **self._place, writing=self._writing)
        return dict(rows)

    def default(self) -> int | None:
        """The branch whose words count on all others: the first that was published, until
        someone names another."""
        row = self._sql.row("default_branch", **self._place)
        return row[0] if row else next(iter(self.branches()), None)

    def set_default(self, branch: int) -> None:
        self._sql.run("set_default_branch", **self._place, branch=branch)
        for number in self.branches():
            self._decide(number, self.told(number))

    def told(self, branch: int, paths: Collection[str] | None = None) -> dict[str, str]:
        """As it is stored, by path."""
        if paths is None:
            return dict(self._sql.rows("told_in_branch", branch=branch))
        return dict(self._sql.rows("told_of_paths", branch=branch, paths=list(paths)))

    def lines(self, branch: int) -> AccessFileRules | None:
        row = self._sql.row("lines_of_branch", branch=branch)
        return None if row is None else _lines(row[0])

    def say(self, told: Mapping[str, str], lines: AccessFileRules | None) -> None:
        """What the branch that is written says. If it is the default, it counts on others too."""
        branch, before = self._writing, self.lines(self._writing)
        if lines is None:
            self._sql.run("drop_lines", branch=branch)
        else:
            self._sql.run("set_lines", branch=branch, lines=lines.to_json())
        self._sql.run("pin_default_branch", **self._place, branch=self.default())
        self._decide(branch, told)
        if branch != self.default():
            return
        for other in self.branches():
            if other != branch:
                self._decide(other, self._concerned(other, told, anew=lines != before))

    def _concerned(self, other: int, told: Mapping[str, str], *, anew: bool) -> dict[str, str]:
        """Words of another branch on paths of which the default now says something else."""
        if not anew:
            return self.told(other, told.keys())
        known = self.told(self._writing)
        theirs = self.told(other)
        return {path: said for path, said in theirs.items() if path in told or path not in known}

    def decide_by_hand(self, hands: Mapping[str, ManualRule | None]) -> None:
        """None drops what was decided."""
        for path, hand in hands.items():
            place = {**self._place, "path": canonical_path(path)}
            if hand is None:
                self._sql.run("drop_hand", **place)
            else:
                self._sql.run("set_hand", **place, hand=hand_to_json(hand))
        paths = [spelt for path in hands for spelt in path_spellings(path)]
        for branch in self.branches():
            self._decide(branch, self.told(branch, paths))

    def follow(self, renamed: Iterable[tuple[str, str]]) -> None:
        """What was decided by hand on a text goes where the text goes."""
        moves = [(old, new) for old, new in renamed if canonical_path(old) != canonical_path(new)]
        words = self.words([path for move in moves for path in move])
        self.decide_by_hand(
            {
                new: hand
                for old, new in moves
                if (hand := words.hand(old)) is not None and words.hand(new) is None
            }
        )

    def words(self, paths: Collection[str] | None = None) -> InheritedAccess:
        """As of now; for these paths, or for all."""
        if paths is None:
            rows = self._sql.rows("hands", **self._place)
        else:
            keys = [canonical_path(path) for path in paths]
            rows = self._sql.rows("hands_of_paths", **self._place, paths=keys)
        hands = {path: hand_from_json(hand) for path, hand in rows}
        default = self.default()
        if default is None:
            return InheritedAccess(self._tenant, hands)
        name, told = self.branches()[default], self.told(default, paths)
        return InheritedAccess(self._tenant, hands, default, name, told, self.lines(default))

    def _decide(self, branch: int, told: Mapping[str, str]) -> None:
        if not told:
            return
        rules = self.rules(branch, told)
        classes = {rule: self.number(rule) for rule in sorted(set(rules.values()))}
        self._sql.many(
            "point_document",
            (
                {"branch": branch, "path": path, "told": own, "class": classes[rules[path]]}
                for path, own in told.items()
            ),
        )
        self._moved(branch, told.keys())

    def rules(self, branch: int, told: Mapping[str, str]) -> dict[str, str]:
        """What is in force where a branch says so, by path, as it is stored."""
        words = self.words(told.keys())
        return {path: decided(words, branch, path, own) for path, own in told.items()}

    def number(self, rule: str) -> int:
        """The rule's class."""
        known = self._sql.row("class_of", rule=rule)
        if known is None:
            self._sql.run("add_class", rule=rule)
            known = self._sql.row("class_of", rule=rule)
        return int(single_row(known)[0])


@lru_cache(maxsize=16)  # asked for every document of an ingest, and mostly the same
def _lines(text: str) -> AccessFileRules:
    return AccessFileRules.from_json(text)


def decided(words: InheritedAccess, branch: int, path: str, own: str) -> str:
    """The rule in force, as it is stored."""
    spoken = (*told_from_json(own), *words.inherited(branch, path))
    return rule_to_json(effective_rule(words.tenant, spoken, words.hand(path)))
