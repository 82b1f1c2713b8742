"""Rules, people and the log, each behind its right; and what questions leave in the log."""

from collections.abc import Callable
from pathlib import Path

import pytest

from docgraph.adapters.sqlite.server_tables import SqliteApiKeyStore, SqliteAuditLog
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine.administration import Administration
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import (
    EVERYONE,
    LOCAL_ONLY,
    RIGHTS,
    AccessRule,
    Clearance,
    Person,
    Principal,
)
from docgraph.model.audit import AuditEvent
from docgraph.model.edge import Edge
from docgraph.model.errors import BadInput, NotAllowed, NotVisible, StoreFull
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from tests.support.engines import make_engine
from tests.support.memory_source import MemorySource

FILES = {"a.md": "# Fuel\n\nIt burns.\n", "h.md": "# Secret fuel\n\nHidden.\n"}
HIDDEN = AccessRule("local", frozenset({"others"}))
NOBODY = impersonated(Person("nobody", "local"), local())


class AdministeredStore:
    """An engine, its administration and their one log."""

    def __init__(self, place: Path, ceiling: Clearance | None = None) -> None:
        self.store = SqliteStore(place / "s.db", now=lambda: "now")
        self.audit = SqliteAuditLog(place / "s.db.audit", now=lambda: "now")
        self.keys = SqliteApiKeyStore(place / "s.db.server")
        self.desk = Administration(self.store, self.audit, self.keys)
        self.engine = make_engine(self.store, self.audit, embedder_clearance=ceiling)

    def ingest(self, files: dict[str, str] | None = None, branch: str = "main") -> list[str]:
        """The problems it told."""
        result = self.engine.content.ingest(
            local(),
            MemorySource(FILES if files is None else files),
            repository="r",
            branch=branch,
            rule_for=lambda path: HIDDEN if path == "h.md" else LOCAL_ONLY,
        )
        return [f"{problem.path}: {problem.reason}" for problem in result.problems]

    def seen(self, reader: Principal | None = None) -> list[str]:
        with self.store.open_session(reader or local(), (SnapshotSelector(),)) as reads:
            return sorted(reads.versions())

    def rows(self) -> list[AuditEvent]:
        return [entry.event for entry in self.audit.entries("local")]


@pytest.fixture
def house(tmp_path: Path) -> AdministeredStore:
    made = AdministeredStore(tmp_path)
    made.ingest()
    return made


@pytest.mark.requirement(38)
def test_each_needs_its_right_and_refuses_in_the_same_words(house: AdministeredStore) -> None:
    desk, engine = house.desk, house.engine
    ann = Person("ann", "local")
    edge = Edge("r:a.md", "explains", "r:absent.md")
    needs: dict[str, tuple[Callable[[], object], ...]] = {
        "access": (
            lambda: desk.documents(NOBODY),
            lambda: desk.explain(NOBODY, "a.md"),
            lambda: desk.explain(NOBODY, "absent.md"),
            lambda: desk.set_access(NOBODY, "r", ("a.md",), HIDDEN),
            lambda: desk.reset_access(NOBODY, "r", ("a.md",)),
            lambda: desk.set_default_branch(NOBODY, "r", "main"),
            lambda: desk.rules(NOBODY, "r", "main"),
            lambda: desk.revoke(NOBODY, "r", ("a.md",)),
            lambda: desk.people(NOBODY),
            lambda: desk.person(NOBODY, "ann"),
            lambda: desk.add_person(NOBODY, ann),
            lambda: desk.remove_person(NOBODY, "ann"),
        ),
        "ingest": (
            lambda: desk.prune(NOBODY, "r", "main", 1),
            lambda: desk.prune(NOBODY, "absent", "main", 1),
            lambda: desk.verify(NOBODY),
            lambda: engine.content.ingest(
                NOBODY, MemorySource(FILES), repository="r", branch="main"
            ),
        ),
        "relations": (
            lambda: engine.content.add_relation(NOBODY, edge),
            lambda: engine.content.remove_relation(NOBODY, edge),
        ),
        "auditor": (
            lambda: desk.audit_entries(NOBODY),
            lambda: desk.audit_verify(NOBODY),
            lambda: desk.audit_anchor(NOBODY),
        ),
    }
    assert set(needs) == set(RIGHTS)
    for right, attempts in needs.items():
        for attempt in attempts:
            with pytest.raises(NotAllowed, match=rf"^this needs the right '{right}', which nobody"):
                attempt()
    assert house.seen() == ["r:a.md"]
    denied = [row for row in house.rows() if row.principal == "nobody"]
    assert {row.outcome for row in denied} == {"denied"}
    assert len(denied) == sum(map(len, needs.values()))


@pytest.mark.requirement(40)
def test_a_right_of_ones_own_opens_the_log_and_nothing_else(house: AdministeredStore) -> None:
    auditor = impersonated(Person("eve", "local", rights=frozenset({"auditor"})), local())
    assert house.desk.audit_verify(auditor).is_sound
    first = house.desk.audit_entries(auditor)[:2]
    assert [(entry.event.action, entry.event.outcome) for entry in first] == [
        ("ingest", "begun"),
        ("ingest", "answered"),
    ]
    anchor = house.desk.audit_anchor(auditor)
    assert anchor is not None
    assert house.desk.audit_verify(auditor, anchor).is_sound
    with pytest.raises(NotAllowed):
        house.desk.documents(auditor)
    assert house.seen(auditor) == []


@pytest.mark.requirement(36)
@pytest.mark.requirement(40)
def test_forbidden_and_absent_leave_the_same_rows(house: AdministeredStore) -> None:
    def rows(node: str) -> list[AuditEvent]:
        before = len(house.rows())
        house.engine.questions.retrieve(
            QuestionRequest(local(), load("documents"), "", seeds=(node,))
        )
        return house.rows()[before:]

    hidden, absent = rows("r:h.md"), rows("r:z.md")
    assert [(row.outcome, row.detail) for row in hidden] == [
        ("denied", "not visible: r:h.md"),
        ("answered", ""),
    ]
    assert [row.plan for row in hidden] == [row.plan for row in absent]
    assert [(row.action, row.outcome, row.snapshots) for row in hidden] == [
        (row.action, row.outcome, row.snapshots) for row in absent
    ]


@pytest.mark.requirement(37)
@pytest.mark.requirement(40)
def test_a_saved_plan_tells_the_log_what_it_no_longer_gets(house: AdministeredStore) -> None:
    saved = house.engine.questions.retrieve(
        QuestionRequest(local(), load("documents"), "fuel")
    ).saved()
    house.desk.set_access(local(), "r", ("a.md",), HIDDEN)
    assert house.engine.questions.execute(local(), saved, load("documents")).context.items == ()
    assert [(row.outcome, row.plan, row.detail) for row in house.rows()[-2:]] == [
        ("denied", saved.plan.digest, "not visible: r:a.md"),
        ("answered", saved.plan.digest, ""),
    ]


@pytest.mark.requirement(40)
def test_every_question_leaves_a_row(house: AdministeredStore) -> None:
    engine = house.engine
    before = len(house.rows())
    made = engine.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel"))
    engine.questions.execute(local(), made.saved(), load("documents"))
    engine.content.status(local())
    engine.content.relations(local())
    engine.content.relation_counts(local())
    engine.content.snapshots(local())
    engine.content.content_digest(local())
    with pytest.raises(NotVisible):
        engine.content.status(local(), (SnapshotSelector("secret"),))
    rows = house.rows()[before:]
    told = [(row.action, row.outcome) for row in rows]
    asked = ("retrieve", "execute", "status", "relations", "relations", "snapshots", "digest")
    assert told == [*((action, "answered") for action in asked), ("status", "denied")]
    assert [row.plan for row in rows[:2]] == [made.plan.digest] * 2
    assert rows[0].snapshots == made.scope.snapshots


@pytest.mark.requirement(37)
def test_revoking_takes_groups_away_or_everyone(house: AdministeredStore) -> None:
    board = impersonated(Person("bob", "local", frozenset({"board"})), local())
    rule = AccessRule("local", frozenset({"local", "board"}), frozenset(), 0)
    house.desk.set_access(local(), "r", ("a.md",), rule)
    assert house.seen(board) == ["r:a.md"]
    house.desk.revoke(local(), "r", ("a.md",), frozenset({"board"}))
    assert (house.seen(board), house.seen()) == ([], ["r:a.md"])
    house.ingest({**FILES, "a.md": "# Fuel\n\nChanged.\n"})
    assert (house.seen(board), house.seen()) == ([], ["r:a.md"])
    house.desk.revoke(local(), "r", ("a.md",))
    assert house.seen() == []
    house.desk.reset_access(local(), "r", ("a.md",))
    assert house.seen() == ["r:a.md"]


@pytest.mark.requirement(40)
def test_a_change_says_first_what_it_is_and_is_not_made_without_a_row(
    house: AdministeredStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = AccessRule("local", frozenset({"board"}))
    house.desk.set_access(local(), "r", ("a.md",), rule)
    told = [(row.action, row.outcome, row.detail) for row in house.rows()[-2:]]
    assert told == [
        ("access set", "begun", "board: r: a.md"),
        ("access set", "answered", "board: r: a.md"),
    ]

    def full(event: AuditEvent) -> None:
        raise StoreFull(event.action)

    monkeypatch.setattr(house.audit, "write", full)
    with pytest.raises(StoreFull):
        house.desk.reset_access(local(), "r", ("a.md",))
    assert house.seen() == []


def test_nobody_gives_a_right_away_that_they_lack(house: AdministeredStore) -> None:
    clerk = impersonated(Person("cleo", "local", rights=frozenset({"access"})), local())
    with pytest.raises(NotAllowed, match="cleo lacks the right 'auditor'"):
        house.desk.add_person(clerk, Person("cleo", "local", rights=frozenset({"auditor"})))
    house.desk.add_person(clerk, Person("dan", "local", rights=frozenset({"access"})))


def test_revoking_what_nobody_has_is_refused(house: AdministeredStore) -> None:
    house.desk.set_access(local(), "r", ("a.md",), AccessRule("local", frozenset({EVERYONE})))
    with pytest.raises(BadInput, match="may be read by everyone, so board cannot be taken away"):
        house.desk.revoke(local(), "r", ("a.md",), frozenset({"board"}))
    with pytest.raises(NotVisible, match=r"holds no document 'z.md'"):
        house.desk.revoke(local(), "r", ("z.md",))
    with pytest.raises(BadInput, match="for its own tenant"):
        house.desk.set_access(local(), "r", ("a.md",), AccessRule("other"))


@pytest.mark.parametrize(
    ("person", "wrong"),
    [
        (Person("ann", "elsewhere"), "tenant"),
        (Person(" ", "local"), "cannot be a name"),
        (Person("ann\n", "local"), "cannot be a name"),
        (Person("ann", "local", frozenset({""})), "is empty"),
        (Person("ann  b", "local"), "cannot be a name"),
        (Person("ann", "local", frozenset({"Everyone"})), "write `everyone`"),
        (Person("local", "local"), "a meaning of its own"),
        (Person("ann", "local", clearance=2**40), "from 0 to"),
        (Person("ann", "local", clearance=-1), "from 0 to"),
        (Person("ann", "local", rights=frozenset({"auditer"})), "did you mean 'auditor'"),
    ],
)
def test_a_person_who_cannot_be_is_refused(
    house: AdministeredStore, person: Person, wrong: str
) -> None:
    with pytest.raises(BadInput, match=wrong):
        house.desk.add_person(local(), person)
    assert house.desk.people(local()) == ()


@pytest.mark.requirement(47)
def test_what_is_above_the_embedders_ceiling_is_not_taken_in(tmp_path: Path) -> None:
    """Also where it was a rule by hand, or the default branch, that raised it."""
    house = AdministeredStore(tmp_path, Clearance(frozenset({"eu"}), 1))
    assert house.ingest() == []
    lifted = AccessRule("local", frozenset({"local"}), frozenset({"eu", "board"}), 2)
    house.desk.set_access(local(), "r", ("a.md",), lifted)
    told = house.ingest({**FILES, "a.md": "# Fuel\n\nChanged.\n"}, branch="topic")
    reason = "the endpoint lacks labels board, level 2 is above the endpoint's 1"
    assert told == [f"a.md: not sent to the embedder: {reason}"]
    assert [one.branch for one in house.desk.explain(local(), "a.md")] == ["main"]


STAFF = impersonated(Person("sue", "local", frozenset({"staff"})), local())


def ruled(house: AdministeredStore, lines: str, *paths: str, branch: str = "main") -> list[str]:
    """Ingests these files under an access.yaml, with nobody else to speak."""
    result = house.engine.content.ingest(
        local(),
        MemorySource({"access.yaml": lines, **{path: f"# {path}\n\nfuel\n" for path in paths}}),
        repository="r",
        branch=branch,
    )
    return [f"{problem.path}: {problem.reason}" for problem in result.problems]


@pytest.mark.requirement(37)
def test_a_changed_file_binds_what_only_old_snapshots_and_other_branches_hold(
    tmp_path: Path,
) -> None:
    house = AdministeredStore(tmp_path)
    for branch in ("main", "topic"):
        ruled(house, '- {path: "**", readers: staff}', "a.md", "b.md", branch=branch)
    ruled(house, '- {path: "**", readers: board}', "b.md")
    for wish in (SnapshotSelector("r", "main", 1), SnapshotSelector("r", "topic")):
        with pytest.raises(NotVisible), house.store.open_session(STAFF, (wish,)):
            pass


@pytest.mark.requirement(47)
def test_what_may_not_be_embedded_still_says_who_may_read(tmp_path: Path) -> None:
    """Its words bind the versions that were taken in before, and other branches."""
    house = AdministeredStore(tmp_path, Clearance())
    plain = {"a.md": "# A\n\nfuel\n", "b.md": "# B\n\nfuel\n"}
    raised = {**plain, "a.md": "---\naccess: {readers: [board], level: 3}\n---\n# A\n"}

    def take(files: dict[str, str], branch: str) -> list[str]:
        done = house.engine.content.ingest(
            local(),
            MemorySource(files),
            repository="r",
            branch=branch,
            otherwise=LOCAL_ONLY,
        )
        return [problem.path for problem in done.problems]

    assert take(plain, "main") == []
    assert take(raised, "main") == ["a.md"]
    assert take(plain, "topic") == ["a.md"]
    for wish in (SnapshotSelector("r", "main", 1), SnapshotSelector("r", "topic")):
        with house.store.open_session(local(), (wish,)) as reads:
            assert sorted(reads.versions()) == ["r:b.md"]


@pytest.mark.requirement(47)
def test_what_nobody_may_read_is_not_sent_either(tmp_path: Path) -> None:
    house = AdministeredStore(tmp_path, Clearance())
    told = ruled(house, '- {path: "**", readers: staff}\n- {path: b.md, levels: 3}', "a.md", "b.md")
    assert told[-1] == "b.md: not sent to the embedder: nobody may read it"
