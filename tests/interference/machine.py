"""The machine: a store lives through anything, and one reader watches it.

Everything that the reader gets is a function of what the reader may see. So whenever the view is
one that was there before, every answer must be the one that was given before, to the byte.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from docgraph.doors.login import in_the_name_of, local
from docgraph.engine import Engine
from docgraph.ingest.mine.mine import ALL_MINERS
from docgraph.model.access import LOCAL, AccessRule, Person
from docgraph.model.edge import Edge, both_ways
from docgraph.model.identity import document_id
from docgraph.model.relation import CONTAINS
from docgraph.model.scope import EVERYTHING, Wanted
from tests.interference.everything import (
    OVERS,
    PIPELINES,
    QUESTIONS,
    Ask,
    Differences,
    Digested,
    GraphWindow,
    Obey,
    Probe,
    Refusals,
    Relations,
    RelationsCounted,
    SearchWindow,
    SnapshotsListed,
    StatusTold,
    StoreWindow,
    TextWindow,
    told,
)
from tests.interference.stores import Faltering, GivenUp, Stock, rebuilt
from tests.interference.views import Held, Library, Place, View
from tests.interference.worlds import (
    ELSEWHERE,
    PATHS,
    PEOPLE,
    RELATIONS,
    RULES,
    STRANGER,
    WORDS,
    edges,
    files,
    ids,
)

STEPS = 6
HOMES = (Place(LOCAL, "r", "main"), Place(LOCAL, "r", "work"))
NEVER_SEEN = Place(LOCAL, "t", "main")
OTHERS = (
    Place(LOCAL, "r", "dev"),
    Place(LOCAL, "r", "main"),
    Place(LOCAL, "s", "main"),
    NEVER_SEEN,
    Place(ELSEWHERE, "r", "main"),
)
counts: Counter[str] = Counter()
T = TypeVar("T")

picks = st.integers(0, 59)  # one of however many there are
some_ids = st.lists(ids, min_size=1, max_size=3, unique=True).map(tuple)
questions = st.sampled_from(QUESTIONS)
pipelines = st.integers(0, len(PIPELINES) - 1)
asks: st.SearchStrategy[Probe] = st.one_of(
    st.builds(Ask, questions, pipelines),
    st.builds(Ask, st.sampled_from(("", QUESTIONS[0])), pipelines, some_ids),
    st.builds(Obey, some_ids, st.sampled_from(("", QUESTIONS[1])), st.integers(0, 1)),
)
tells: st.SearchStrategy[Probe] = st.one_of(
    st.sampled_from((Relations(), Relations(frozenset({CONTAINS})), RelationsCounted())),
    st.sampled_from((StatusTold(), Digested(), StoreWindow())),
    st.builds(GraphWindow, some_ids),
    st.builds(SearchWindow, some_ids, questions, st.sampled_from(OVERS), st.booleans()),
    st.builds(TextWindow, some_ids, questions),
    st.builds(Refusals, some_ids),
)


class Interference(AssertionError):
    """A reader could tell something that they may not see from something else."""


@dataclass(frozen=True, slots=True)
class Watch:
    """A probe, and the snapshots of which place it asks; none: the newest of all places."""

    probe: Probe
    place: Place = NEVER_SEEN
    numbers: tuple[int, ...] = ()

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        if not self.numbers:
            return EVERYTHING
        return tuple(Wanted(self.place.repository, self.place.branch, n) for n in self.numbers)


class NoInterference(RuleBasedStateMachine):
    """Steps change what is stored. Which of them the reader may notice, the view tells."""

    def __init__(self) -> None:
        super().__init__()
        self.stock = Stock()
        self.library = Library()
        self.told_rules: dict[tuple[Place, str], AccessRule] = {}
        self.watches: list[Watch] = []
        self.answers: dict[tuple[Watch, View], bytes] = {}

    @initialize(
        person=st.sampled_from(PEOPLE),
        other=st.none() | st.sampled_from((*PEOPLE, STRANGER)),
        home=st.sampled_from(HOMES),
        texts=files(2, 4),
        which=st.tuples(picks, picks, picks, picks),
        probes=st.lists(asks | tells | st.just(SnapshotsListed()), min_size=1, max_size=2),
    )
    def begin(
        self,
        person: Person,
        other: Person | None,
        home: Place,
        texts: dict[str, str],
        which: tuple[int, ...],
        probes: list[Probe],
    ) -> None:
        """Someone watches a repository of which they see a part; someone else may ask first."""
        self.reader = in_the_name_of(person, local())
        self.other = in_the_name_of(other, local()) if other else None
        self.home = home
        self.places = (home, *(place for place in OTHERS if place != home))
        self.watches = [Watch(probe) for probe in probes]
        for place, (path, at) in enumerate(zip(texts, which, strict=False)):
            self.told_rules[home, path] = self._rule(at // 2, hidden=(place + at) % 2 == 1)
        self._take_in(home, Held(texts))

    # What may be noticed by nobody but those who may read it.

    @rule(where=picks, texts=files(1, 2), which=picks)
    def put_hidden(self, where: int, texts: dict[str, str], which: int) -> None:
        """A new document, or a new text of one; with two files, one says what a seen one says."""
        place = self._place(where)
        held = self.library.newest(place)
        new = dict(held.texts)
        for path, text in texts.items():
            free = [p for p in PATHS if not self.library.is_seen(self.reader, place, p)]
            alike = [p for p in free if p.rpartition(".")[2] == path.rpartition(".")[2]]
            if alike:
                chosen = path if path in alike else alike[which % len(alike)]
                new[chosen] = text
                self.told_rules[place, chosen] = self._rule(which, hidden=True)
        if new:
            self._take_in(place, replace(held, texts=new))

    @precondition(lambda self: self._hidden())
    @rule(at=picks)
    def amend_hidden(self, at: int) -> None:
        place, path = _picked(self._hidden(), at)
        held = self.library.newest(place)
        more = f"{held.texts[path]}\n{_picked(WORDS, at)}\n"
        self._take_in(place, replace(held, texts={**held.texts, path: more}))

    @precondition(lambda self: self._hidden())
    @rule(at=picks, which=picks)
    def relabel_hidden(self, at: int, which: int) -> None:
        place, path = _picked(self._hidden(), at)
        self.told_rules[place, path] = self._rule(which, hidden=True)
        self._take_in(place, self.library.newest(place))

    @precondition(lambda self: self._spare(self._hidden()))
    @rule(at=picks)
    def drop_hidden(self, at: int) -> None:
        self._drop(_picked(self._spare(self._hidden()), at))

    @precondition(lambda self: self._hidden() and self._shown())
    @rule(at=picks, like=picks)
    def copy_to_hidden(self, at: int, like: int) -> None:
        """The same text twice: once seen, once hidden."""
        (place, path), (there, seen) = _picked(self._hidden(), at), _picked(self._shown(), like)
        held = self.library.newest(place)
        text = self.library.newest(there).texts[seen]
        self._take_in(place, replace(held, texts={**held.texts, path: text}))

    @precondition(lambda self: self._hidden())
    @rule(at=picks, ends=st.tuples(picks, picks), relation=st.sampled_from(RELATIONS))
    def relate_hidden(self, at: int, ends: tuple[int, int], relation: str) -> None:
        """From one document through a hidden one to another."""
        place, path = _picked(self._hidden(), at)
        middle = document_id(place.repository, path)
        nodes = [document_id(p.repository, other) for p, other in self.library.documents()]
        first, last = (_picked(nodes, end) for end in ends)
        made = [Edge(first, relation, middle), Edge(middle, relation, last)]
        self._relate(self.home, [edge for edge in made if edge.source != edge.target])

    # What anybody may notice who may read it.

    @rule(texts=files(1, 2), which=picks, hidden=st.booleans())
    def put_seen(self, texts: dict[str, str], which: int, hidden: bool) -> None:
        """Documents that the reader may see, whatever stood there; maybe one goes out of sight."""
        held = self.library.newest(self.home)
        for at, path in enumerate(texts):
            self.told_rules[self.home, path] = self._rule(which, hidden=hidden and at == 1)
        self._take_in(self.home, replace(held, texts={**held.texts, **texts}))

    @precondition(lambda self: self._shown())
    @rule(at=picks, which=picks, hidden=st.booleans())
    def relabel_seen(self, at: int, which: int, hidden: bool) -> None:
        place, path = _picked(self._shown(), at)
        self.told_rules[place, path] = self._rule(which, hidden=hidden)
        self._take_in(place, self.library.newest(place))

    @precondition(lambda self: self._spare(self._shown()))
    @rule(at=picks)
    def drop_seen(self, at: int) -> None:
        self._drop(_picked(self._spare(self._shown()), at))

    @precondition(lambda self: self.library.documents())
    @rule(at=picks, which=picks, to=st.sampled_from(("hidden", "seen", "reset")))
    def set_by_hand(self, at: int, which: int, to: str) -> None:
        """Counts at once and without a snapshot; reset, the files have the word again."""
        place, path = _picked(self.library.documents(), at)
        if place.tenant == LOCAL:
            said = None if to == "reset" else self._rule(which, hidden=to == "hidden")
            if place == NEVER_SEEN or (said is not None and said.tenant != LOCAL):
                said = AccessRule(LOCAL)
            self.stock.stirred = True
            self.stock.keeper.set_access(local(), place.repository, (path,), said)

    @rule(made=st.lists(edges, min_size=1, max_size=2))
    def relate(self, made: list[Edge]) -> None:
        """Any two nodes, there or not, hidden or not."""
        self._relate(self.home, made)

    @precondition(lambda self: self.library.newest(self.home).by_hand)
    @rule(at=picks)
    def unrelate(self, at: int) -> None:
        held = self.library.newest(self.home)
        gone = frozenset(both_ways(_picked(sorted(held.by_hand), at)))
        number = self.stock.unrelate(self.home, sorted(gone))
        self._note(self.home, replace(held, by_hand=held.by_hand - gone), number)

    @rule(where=picks, curated=st.lists(edges, max_size=2), without=st.sampled_from(sorted(ALL_MINERS)))
    def change_the_rest(self, where: int, curated: list[Edge], without: str) -> None:
        """What people wrote down in relations.yaml, and which miner is switched off."""
        place = self._place(where)
        held = self.library.newest(place)
        if held.texts:
            off = frozenset({without}) ^ held.without
            self._take_in(place, replace(held, curated=tuple(curated), without=off))

    # What nobody may notice.

    @rule(where=picks, texts=files(1, 2), patience=st.integers(0, 2))
    def break_off(self, where: int, texts: dict[str, str], patience: int) -> None:
        """An ingest that dies on its way leaves rows behind that are in no snapshot."""
        place = self._place(where)
        held = self.library.newest(place)
        engine = self.stock.engine_with(lambda: Faltering(patience))
        half = replace(held, texts={**held.texts, **texts}, curated=())
        said = dict.fromkeys(texts, self._rule(0, hidden=place == NEVER_SEEN))
        rules = {path: said.get(path) or self.told_rules[place, path] for path in half.texts}
        try:
            number = self.stock.ingest(place, half, rules.__getitem__, engine)
        except GivenUp:
            return
        self.told_rules |= {(place, path): rule for path, rule in said.items()}
        self._note(place, half, number)

    @rule(where=picks)
    def take_in_again(self, where: int) -> None:
        place = self._place(where)
        held = self.library.newest(place)
        if held.texts:
            self._take_in(place, held)

    @rule(where=picks, keep=st.integers(1, 2))
    def prune(self, where: int, keep: int) -> None:
        """Of old snapshots nothing is left; of the others, everything."""
        place = self._place(where)
        numbers = self.library.snapshots.get(place)
        if numbers:
            self.stock.stirred = True
            self.stock.store.prune(*place, keep)
            for gone in sorted(numbers)[:-keep]:
                del numbers[gone]

    @rule(probe=asks | tells, at=picks)
    def look_back(self, probe: Probe, at: int) -> None:
        """From now on the reader watches an old snapshot too, and what has changed since."""
        numbers = sorted(self.library.snapshots[self.home])
        old = _picked(numbers, at)
        self.watches.append(Watch(probe, self.home, (old,)))
        if old != numbers[-1]:
            self.watches.append(Watch(Differences(), self.home, (old, numbers[-1])))

    @invariant()
    def answers_hang_on_the_view_alone(self) -> None:
        if self.stock.stirred:
            self.library.rules = self.stock.rules_in_force()
        if self.stock.stirred and self.other:
            told(self.watches[0].probe, self.stock.engine, self.other, self.watches[0].wanted)
        known = {watch for watch, _ in self.answers} if not self.stock.stirred else set()
        self.stock.stirred = False
        for watch in self.watches:
            if watch in known:
                continue
            found = told(watch.probe, self.stock.engine, self.reader, watch.wanted)
            self._compare(watch, self._view(watch), found)

    def teardown(self) -> None:
        """In the end: a store that has only ever held what the reader may see."""
        try:
            if sys.exc_info()[0] is None and self.watches:
                self._compare_with_the_seen_alone()
                counts["runs"] += 1
        finally:
            self.stock.close()

    def _compare_with_the_seen_alone(self) -> None:
        view = self.library.newest_seen(self.reader)
        alone = rebuilt(view, self.library.rules)
        try:
            for watch in self.watches:
                if not watch.numbers and not isinstance(watch.probe, SnapshotsListed):
                    found = told(watch.probe, alone.engine, self.reader, watch.wanted)
                    self._compare(watch, view, found)
        finally:
            alone.close()

    def _compare(self, watch: Watch, view: View, found: bytes) -> None:
        known = self.answers.setdefault((watch, view), found)
        if known is not found:
            counts["comparisons"] += 1
        if known != found:
            raise Interference(f"{watch}\nwas   {known.decode()}\nis    {found.decode()}")

    def _view(self, watch: Watch) -> View:
        if isinstance(watch.probe, SnapshotsListed):
            return self.library.history(self.reader)
        if watch.numbers:
            return self.library.seen_at(self.reader, watch.place, *watch.numbers)
        return self.library.newest_seen(self.reader)

    def _rule(self, at: int, *, hidden: bool) -> AccessRule:
        return _picked([one for one in RULES if self.reader.may_read(one) != hidden], at)

    def _place(self, at: int) -> Place:
        """The home as often as all others together."""
        return self.home if at % 2 else _picked(self.places[1:], at // 2)

    def _hidden(self) -> list[tuple[Place, str]]:
        return [one for one in self.library.documents() if not self.library.is_seen(self.reader, *one)]

    def _shown(self) -> list[tuple[Place, str]]:
        return [one for one in self.library.documents() if self.library.is_seen(self.reader, *one)]

    def _spare(self, found: list[tuple[Place, str]]) -> list[tuple[Place, str]]:
        """Those that can go: an empty source is refused, so the last document stays."""
        return [one for one in found if len(self.library.newest(one[0]).texts) > 1]

    def _take_in(self, place: Place, held: Held) -> None:
        number = self.stock.ingest(place, held, lambda path: self.told_rules[place, path])
        self._note(place, held, number)

    def _relate(self, place: Place, made: Sequence[Edge]) -> None:
        both = [one for edge in dict.fromkeys(made) for one in both_ways(edge)]
        held = self.library.newest(place)
        number = self.stock.relate(place, list(dict.fromkeys(both)))
        self._note(place, replace(held, by_hand=held.by_hand.union(both)), number)

    def _drop(self, document: tuple[Place, str]) -> None:
        place, path = document
        held = self.library.newest(place)
        texts = {other: text for other, text in held.texts.items() if other != path}
        self._take_in(place, replace(held, texts=texts))

    def _note(self, place: Place, held: Held, number: int | None) -> None:
        numbers = self.library.snapshots.setdefault(place, {})
        numbers[max(numbers) if number is None else number] = held


def _picked(found: Sequence[T], at: int) -> T:
    return found[at % len(found)]


def prove(
    number: int, examples: int, *, steps: int = STEPS, phases: tuple[Phase, ...] = (Phase.generate,)
) -> None:
    """Runs the machine this often. The same number gives the same runs."""
    machine = seed(number)(type("NoInterference", (NoInterference,), {}))
    told = settings(
        max_examples=examples,
        stateful_step_count=steps,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=told)
