"""The machine: a store lives through anything, and one reader watches it.

Everything that the reader gets is a function of what the reader may see. So whenever the view is
one that was there before, every answer must be the one that was given before, to the byte.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, AccessRule
from docgraph.model.access_policy import PathAccess
from docgraph.model.edge import Edge, with_inverse
from docgraph.model.node import document_id, document_of
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from tests.interference.probes import (
    DifferencesProbe,
    Probe,
    RefusalsProbe,
    SnapshotsProbe,
    compares_ingestions,
    results_of,
)
from tests.interference.start_states import StartState, start_states
from tests.interference.store_factories import OpenedStore, on_sqlite
from tests.interference.stores import FailingEmbedder, MachineStore, SimulatedFailure, rebuild
from tests.interference.views import (
    BranchContent,
    BranchName,
    Library,
    View,
    is_difference,
    with_ingestions,
)
from tests.interference.worlds import (
    ELSEWHERE,
    FAR,
    NEVER_SEEN,
    PATHS,
    RELATIONS,
    RULES,
    WORDS,
    files,
    links,
    nodes_of,
    picks,
)

NEVER_VISIBLE = BranchName(LOCAL, NEVER_SEEN, "main")
OTHERS = (BranchName(LOCAL, "s", "main"), NEVER_VISIBLE, BranchName(ELSEWHERE, "r", "main"))
BRANCHES = {"main": BranchName(LOCAL, "r", "dev"), "work": BranchName(LOCAL, "r", "main")}
counts: Counter[str] = Counter()
T = TypeVar("T")


class Interference(AssertionError):
    """A reader could tell something that they may not see from something else."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A probe, and the snapshots of a branch that it reads; no branch: the newest of all."""

    probe: Probe
    branch: BranchName | None = None
    numbers: tuple[int, ...] = ()

    @property
    def selectors(self) -> tuple[SnapshotSelector, ...]:
        if self.branch is None:
            return ALL_REPOSITORIES
        return tuple(
            SnapshotSelector(self.branch.repository, self.branch.branch, n) for n in self.numbers
        )


class NoInterference(RuleBasedStateMachine):
    """Steps change what is stored. Whether the reader may notice, the view tells, not the step."""

    def __init__(self) -> None:
        super().__init__()
        self.store = self.open_store()
        self.library = Library()
        self.next_rules: dict[
            tuple[BranchName, str], AccessRule
        ] = {}  # as the next ingest tells them
        self.said: defaultdict[str, dict[int, AccessRule]] = defaultdict(dict)  # on the main branch
        self.manual_rules: dict[tuple[str, str, str], AccessRule] = {}  # tenant, repository, path
        self.watches: list[Watch] = []
        self.answers: dict[tuple[Watch, View], bytes] = {}

    @initialize(start_state=start_states())
    def begin(self, start_state: StartState) -> None:
        """Someone watches a repository of which they see a part."""
        self.reader = impersonated(start_state.reader, local())
        self.first = impersonated(start_state.first, local()) if start_state.first else None
        self.main_branch = start_state.main_branch
        self.others = (BRANCHES[start_state.main_branch.branch], *OTHERS)
        self.probes = start_state.probes
        self.watches = [Watch(probe) for probe in start_state.probes]
        for at, (path, pick) in enumerate(zip(start_state.texts, start_state.rules, strict=True)):
            hidden = (at + pick) % 5 in {1, 3}
            self.next_rules[start_state.main_branch, path] = self._rule(pick // 5, hidden=hidden)
        self._ingest(start_state.main_branch, BranchContent(start_state.texts))

    @staticmethod
    def store_factory() -> OpenedStore:
        """On another store, where `prove` says so."""
        return on_sqlite()

    def open_store(self) -> MachineStore:
        return MachineStore(self.store_factory)

    # Changes that only those who may read them notice.

    @rule(where=picks, texts=files(1, 2), which=picks)
    def put_hidden(self, where: int, texts: dict[str, str], which: int) -> None:
        """New documents, or new texts of hidden ones."""
        branch = self._place(where)
        content = self.library.newest(branch)
        new = dict(content.texts)
        for path, text in texts.items():
            chosen = self._unseen(branch, path, which)
            if chosen is not None:
                new[chosen] = text
                self.next_rules[branch, chosen] = self._rule(which, hidden=True)
        if new:
            self._ingest(branch, replace(content, texts=new))

    @precondition(lambda self: bool(self._hidden()))
    @rule(at=picks)
    def amend_hidden(self, at: int) -> None:
        branch, path = _picked(self._hidden(), at)
        content = self.library.newest(branch)
        more = f"{content.texts[path]}\n{_picked(WORDS, at)}\n"
        self._ingest(branch, replace(content, texts={**content.texts, path: more}))

    @precondition(lambda self: bool(self._hidden()))
    @rule(at=picks, which=picks)
    def relabel_hidden(self, at: int, which: int) -> None:
        branch, path = _picked(self._hidden(), at)
        self.next_rules[branch, path] = self._rule(which, hidden=True)
        self._ingest(branch, self.library.newest(branch))

    @precondition(lambda self: bool(self._spare(self._hidden())))
    @rule(at=picks)
    def drop_hidden(self, at: int) -> None:
        self._drop(*_picked(self._spare(self._hidden()), at))

    @precondition(lambda self: bool(self._hidden()))
    @rule(at=picks, which=picks)
    def move_hidden(self, at: int, which: int) -> None:
        """Its manual rule does not move with it."""
        branch, path = _picked(self._hidden(), at)
        content = self.library.newest(branch)
        there = self._unseen(branch, _picked(PATHS, which), which)
        if there is not None and there not in content.texts:
            texts = {other: text for other, text in content.texts.items() if other != path}
            self.next_rules[branch, there] = self._rule(which, hidden=True)
            self._ingest(branch, replace(content, texts={**texts, there: content.texts[path]}))

    @precondition(lambda self: bool(self._hidden() and self._seen()))
    @rule(at=picks, like=picks)
    def copy_to_hidden(self, at: int, like: int) -> None:
        """The same text twice: once seen, once hidden."""
        (branch, path), (there, seen) = _picked(self._hidden(), at), _picked(self._seen(), like)
        content = self.library.newest(branch)
        text = self.library.newest(there).texts[seen]
        self._ingest(branch, replace(content, texts={**content.texts, path: text}))

    @precondition(lambda self: bool(self._hidden()))
    @rule(at=picks, ends=st.tuples(picks, picks), relation=st.sampled_from(RELATIONS))
    def relate_hidden(self, at: int, ends: tuple[int, int], relation: str) -> None:
        """From one document through a hidden one to another."""
        branch, path = _picked(self._hidden(), at)
        middle = document_id(branch.repository, path)
        nodes = [document_id(p.repository, other) for p, other in self._seen()] or FAR
        first = _picked(nodes, ends[0])
        last = _picked([node for node in nodes if node != first] or FAR, ends[1])
        self._relate([Edge(first, relation, middle), Edge(middle, relation, last)])

    # Changes that those who may read them notice.

    @rule(texts=files(1, 2), which=picks, hidden=st.booleans())
    def put_seen(self, texts: dict[str, str], which: int, hidden: bool) -> None:
        """Documents that the reader may see, whatever stood there; maybe one goes out of sight."""
        content = self.library.newest(self.main_branch)
        for at, path in enumerate(texts):
            self.next_rules[self.main_branch, path] = self._rule(which, hidden=hidden and at == 1)
        self._ingest(self.main_branch, replace(content, texts={**content.texts, **texts}))

    @precondition(lambda self: bool(self._seen()))
    @rule(at=picks, which=picks, hidden=st.booleans())
    def relabel_seen(self, at: int, which: int, hidden: bool) -> None:
        branch, path = _picked(self._seen(), at)
        self.next_rules[branch, path] = self._rule(which, hidden=hidden)
        self._ingest(branch, self.library.newest(branch))

    @precondition(lambda self: bool(self._spare(self._seen())))
    @rule(at=picks)
    def drop_seen(self, at: int) -> None:
        self._drop(*_picked(self._spare(self._seen()), at))

    @rule(at=picks, which=picks, to=st.sampled_from(("hidden", "seen", "reset")))
    def set_manual_rule(self, at: int, which: int, to: str) -> None:
        """Counts at once and without a snapshot; reset, the files have the word again."""
        own = [one for one in self.library.documents() if one[0].tenant == LOCAL]
        branch, path = _picked(own, at)
        rule = self._rule(which, hidden=to == "hidden" or branch == NEVER_VISIBLE)
        said = AccessRule(LOCAL) if rule.tenant != LOCAL else rule
        key = (branch.tenant, branch.repository, path)
        self.manual_rules.pop(key, None)
        if to != "reset":
            self.manual_rules[key] = said
        self.store.set_access(branch, path, None if to == "reset" else said)

    @rule(made=links(2))
    def relate(self, made: list[tuple[int, str, int]]) -> None:
        """Any two nodes, there or not, hidden or not."""
        self._relate(self._edges(self.main_branch, made))

    @precondition(lambda self: bool(self.library.newest(self.main_branch).manual_edges))
    @rule(at=picks)
    def unrelate(self, at: int) -> None:
        content = self.library.newest(self.main_branch)
        gone = with_inverse(_picked(sorted(content.manual_edges), at))
        number = self.store.unrelate(self.main_branch, gone)
        self._note(
            self.main_branch,
            replace(content, manual_edges=content.manual_edges.difference(gone)),
            number,
        )

    @rule(where=picks, made=links(2), without=st.sampled_from(sorted(ALL_MINERS)))
    def curate(self, where: int, made: list[tuple[int, str, int]], without: str) -> None:
        """What people wrote down in relations.yaml, and which miners are switched off."""
        branch = self._known_place(where)
        content = self.library.newest(branch)
        off, curated = content.without ^ {without}, tuple(self._edges(branch, made))
        self._ingest(branch, replace(content, curated=curated, without=off))

    # To be noticed by nobody.

    @rule(where=picks, texts=files(1, 2), patience=st.integers(0, 1))
    def break_off(self, where: int, texts: dict[str, str], patience: int) -> None:
        """An ingest that dies on its way leaves rows behind that are in no snapshot."""
        branch = self._place(where)
        content = self.library.newest(branch)
        half = replace(content, texts={**content.texts, **texts})
        rule = self._rule(where, hidden=branch == NEVER_VISIBLE)
        rules = {**self._rules(branch), **dict.fromkeys(texts, rule)}
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("docgraph.ingest.run.BATCH_FILES", 1)
                number = self.store.ingest(branch, half, rules, FailingEmbedder(patience))
        except SimulatedFailure:
            counts["broken off"] += 1
            return
        self.next_rules |= {(branch, path): rule for path in texts}
        self._note(branch, half, number)

    @rule(where=picks)
    def repeat_ingest(self, where: int) -> None:
        branch = self._known_place(where)
        self._ingest(branch, self.library.newest(branch))

    @rule(where=picks, keep=st.integers(1, 2))
    def prune(self, where: int, keep: int) -> None:
        """Nothing is left of old snapshots; of the others, everything."""
        branch = self._known_place(where)
        self.store.prune(branch, keep)
        numbers = self.library.snapshots[branch]
        before = _document_ids(branch, numbers)
        for gone in sorted(numbers)[:-keep]:
            counts["pruned"] += 1
            del numbers[gone]
        self._forget_relations(branch, before - _document_ids(branch, numbers))

    def _forget_relations(self, branch: BranchName, gone: set[str]) -> None:
        """Manual ones of a pruned document: on its branch, and in other repositories where no
        branch has it any more."""
        for there, numbers in self.library.snapshots.items():
            if there == branch:
                without = gone
            elif there.tenant == branch.tenant and there.repository != branch.repository:
                kept = (
                    _document_ids(other, own)
                    for other, own in self.library.snapshots.items()
                    if other[:2] == branch[:2]
                )
                without = gone.difference(*kept)
            else:
                continue
            for number, content in numbers.items():
                edges = frozenset(
                    edge
                    for edge in content.manual_edges
                    if without.isdisjoint({document_of(edge.source), document_of(edge.target)})
                )
                numbers[number] = replace(content, manual_edges=edges)

    @rule(which=picks, at=picks)
    def look_back(self, which: int, at: int) -> None:
        """From now on the reader watches an old snapshot too, and what has changed since."""
        numbers = sorted(self.library.snapshots[self.main_branch])
        again, old = _picked(self.probes, which), _picked(numbers[:-1] or numbers, at)
        new = (
            [Watch(DifferencesProbe(), self.main_branch, (old, numbers[-1]))]
            if old != numbers[-1]
            else []
        )
        if isinstance(again, RefusalsProbe):
            again = replace(again, unseen=())
        if not isinstance(again, SnapshotsProbe):
            new.append(Watch(again, self.main_branch, (old,)))
        self.watches += [watch for watch in new if watch not in self.watches]

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        """Repeated whenever the store has changed or there are new probes."""
        happened, self.store.stirred = self.store.stirred, False
        if happened:
            self.library.rules = self.store.effective_rules()
            assert self._rules_are_as_said()
        if happened and self.first:
            results_of(
                self.watches[0].probe, self.store.engine, self.first, self.watches[0].selectors
            )
        asked = set() if happened else {watch for watch, _ in self.answers}
        for watch in self.watches:
            if watch not in asked:
                found = results_of(watch.probe, self.store.engine, self.reader, watch.selectors)
                self._compare(watch, self._view(watch), found)

    def teardown(self) -> None:
        """In the end: stores that have only ever held what the reader may see."""
        try:
            if sys.exc_info()[0] is None:
                self._compare_with_the_seen_alone()
                counts["runs"] += 1
        finally:
            self.store.close()

    def _compare_with_the_seen_alone(self) -> None:
        same: dict[tuple[View, int | None], list[Watch]] = {}
        for watch in self.watches:
            view = self._view(watch)
            if watch.branch is not None and not all(seen for _, seen in view):
                continue  # a refusal, which names the snapshot's number
            if not isinstance(watch.probe, SnapshotsProbe | DifferencesProbe):
                number = watch.numbers[0] if watch.numbers else None
                same.setdefault((view, number), []).append(watch)
        for (view, number), watches in same.items():
            with rebuild(
                view, self.library.rules, self.main_branch, self.store_factory, number
            ) as alone:
                for watch in watches:
                    selectors = tuple(
                        replace(selector, snapshot=None) for selector in watch.selectors
                    )
                    self._compare(
                        watch, view, results_of(watch.probe, alone, self.reader, selectors)
                    )

    def _compare(self, watch: Watch, view: View, found: bytes) -> None:
        known = self.answers.setdefault((watch, view), found)
        if known is not found:
            counts["comparisons"] += 1
            counts[type(watch.probe).__name__] += 1
        if known != found:
            raise Interference(f"{watch}\n{_apart(known.decode(), found.decode())}")
        compared = isinstance(watch.probe, DifferencesProbe) and all(seen for _, seen in view)
        if compared and not is_difference(json.loads(found), view):
            raise Interference(f"{watch}\n{found.decode()}")

    def _view(self, watch: Watch) -> View:
        if isinstance(watch.probe, SnapshotsProbe):
            return self.library.history(self.reader)
        view = newest = self.library.newest_visible(self.reader)
        if watch.branch is not None:
            view = self.library.visible_at(self.reader, watch.branch, *watch.numbers)
        refused = not all(seen for _, seen in view)  # and the error says what else would fit
        if compares_ingestions(watch.probe):
            view = with_ingestions(view, self.library, *watch.numbers)
        return (*view, *newest) if refused else view

    def _rule(self, at: int, *, hidden: bool) -> AccessRule:
        return _picked([one for one in RULES if self.reader.may_read(one) != hidden], at)

    def _place(self, at: int) -> BranchName:
        """The home as often as all others together."""
        return self.main_branch if at % 2 else _picked(self.others, at // 2)

    def _known_place(self, at: int) -> BranchName:
        return _picked(sorted(self.library.snapshots), at)

    def _hidden(self) -> list[tuple[BranchName, str]]:
        library = self.library
        return [one for one in library.documents() if not library.is_visible(self.reader, *one)]

    def _seen(self) -> list[tuple[BranchName, str]]:
        library = self.library
        return [one for one in library.documents() if library.is_visible(self.reader, *one)]

    def _spare(self, found: list[tuple[BranchName, str]]) -> list[tuple[BranchName, str]]:
        """Those that can go: an empty source is refused, so the last document stays."""
        return [one for one in found if len(self.library.newest(one[0]).texts) > 1]

    def _unseen(self, branch: BranchName, path: str, at: int) -> str | None:
        """This path or another with its suffix, under which the reader sees nothing."""
        suffix = path.rpartition(".")[2]
        free = [
            other
            for other in PATHS
            if other.endswith(suffix) and not self.library.is_visible(self.reader, branch, other)
        ]
        return path if path in free else _picked(free, at) if free else None

    def _edges(self, branch: BranchName, made: Sequence[tuple[int, str, int]]) -> list[Edge]:
        """Between nodes of a place, and some that it does not hold."""
        texts = self.library.newest(branch).texts
        near = [node for path in sorted(texts) for node in nodes_of(path, texts[path])]
        return [
            Edge(_picked([*near, *FAR], a), name, _picked([*near, *FAR], b)) for a, name, b in made
        ]

    def _rules_are_as_said(self) -> bool:
        """The store's word on rules is taken for the view, so it is held against what was said.

        Nothing but a path decides on a manual rule: no text, and no other document.
        """
        return all(
            self._is_as_said(branch, access)
            for (branch, _), access in self.library.rules.items()
            if branch.branch
        )

    def _is_as_said(self, branch: BranchName, access: PathAccess) -> bool:
        """A manual rule counts for every version. Without one, what a snapshot brought has its
        rule, and older versions have all rules since."""
        manual = self.manual_rules.get((branch.tenant, branch.repository, access.path))
        if manual is not None:
            return access.rule == manual and not access.older
        if branch != self.main_branch:
            said = self.next_rules[branch, access.path]
            return self.reader.may_read(said) or not self.reader.may_read(access.rule)
        by_number = self.said[access.path]

        def since(number: int) -> AccessRule:
            rules = [by_number[n] for n in sorted(by_number) if n >= number]
            return _for_tenant(reduce(AccessRule.intersect, rules), LOCAL)

        return access.rule == since(max(by_number)) and all(
            version.rule == since(version.last) for version in access.older
        )

    def _rules(self, branch: BranchName) -> dict[str, AccessRule]:
        """Also of what only old snapshots hold."""
        return {path: rule for (there, path), rule in self.next_rules.items() if there == branch}

    def _ingest(self, branch: BranchName, content: BranchContent) -> None:
        self._note(branch, content, self.store.ingest(branch, content, self._rules(branch)))

    def _relate(self, made: Sequence[Edge]) -> None:
        other = [edge for edge in dict.fromkeys(made) if edge.source != edge.target]
        both = list(dict.fromkeys(one for edge in other for one in with_inverse(edge)))
        content = self.library.newest(self.main_branch)
        number = self.store.relate(self.main_branch, both)
        self._note(
            self.main_branch,
            replace(content, manual_edges=content.manual_edges.union(both)),
            number,
        )

    def _drop(self, branch: BranchName, path: str) -> None:
        content = self.library.newest(branch)
        texts = {other: text for other, text in content.texts.items() if other != path}
        self._ingest(branch, replace(content, texts=texts))

    def _note(self, branch: BranchName, content: BranchContent, number: int | None) -> None:
        """Where nothing was published, the newest snapshot holds this already."""
        numbers = self.library.snapshots.setdefault(branch, {})
        before, current = self.library.newest(branch), max(numbers) if number is None else number
        brought = {
            path: before.brought[path] if before.texts.get(path) == text else current
            for path, text in content.texts.items()
        }
        numbers[current] = replace(content, brought=brought)
        if branch == self.main_branch and number is not None:
            for path in content.texts:
                self.said[path][number] = self.next_rules[branch, path]


def _document_ids(branch: BranchName, numbers: Mapping[int, BranchContent]) -> set[str]:
    """Of all snapshots of a branch."""
    contents = numbers.values()
    return {document_id(branch.repository, path) for one in contents for path in one.texts}


def _apart(known: str, found: str) -> str:
    """Where two answers part, with what stands around it."""
    pairs = enumerate(zip(known, found, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(known), len(found)))
    around = slice(max(at - 120, 0), at + 240)
    return f"from character {at}\nwas …{known[around]}\nis  …{found[around]}"


def _for_tenant(rule: AccessRule, tenant: str) -> AccessRule:
    """A rule for another tenant lets nobody in."""
    return rule if rule.tenant == tenant else AccessRule(tenant)


def _picked(found: Sequence[T], at: int) -> T:
    return found[at % len(found)]
