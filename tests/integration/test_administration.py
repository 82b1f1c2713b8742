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
from docgraph.model.errors import BadInput, NotAuthorized, NotVisible, StoreFull
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

    def __init__(self, place: Path, clearance: Clearance | None = None) -> None:
        self.store = SqliteStore(place / "s.db", now=lambda: "now")
        self.audit = SqliteAuditLog(place / "s.db.audit", now=lambda: "now")
        self.keys = SqliteApiKeyStore(place / "s.db.server")
        self.administration = Administration(self.store, self.audit, self.keys)
        self.engine = make_engine(self.store, self.audit, embedder_clearance=clearance)

    def ingest(self, files: dict[str, str] | None = None, branch: str = "main") -> list[str]:
        """The problems of the ingest."""
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
def installation(tmp_path: Path) -> AdministeredStore:
    made = AdministeredStore(tmp_path)
    made.ingest()
    return made


@pytest.mark.requirement(38)
def test_each_action_needs_its_right_and_refuses_with_one_message(
    installation: AdministeredStore,
) -> None:
    administration, engine = installation.administration, installation.engine
    ann = Person("ann", "local")
    edge = Edge("r:a.md", "explains", "r:absent.md")
    needs: dict[str, tuple[Callable[[], object], ...]] = {
        "access": (
            lambda: administration.documents(NOBODY),
            lambda: administration.explain(NOBODY, "a.md"),
            lambda: administration.explain(NOBODY, "absent.md"),
            lambda: administration.set_access(NOBODY, "r", ("a.md",), HIDDEN),
            lambda: administration.reset_access(NOBODY, "r", ("a.md",)),
            lambda: administration.set_default_branch(NOBODY, "r", "main"),
            lambda: administration.rules(NOBODY, "r", "main"),
            lambda: administration.revoke(NOBODY, "r", ("a.md",)),
            lambda: administration.people(NOBODY),
            lambda: administration.person(NOBODY, "ann"),
            lambda: administration.add_person(NOBODY, ann),
            lambda: administration.remove_person(NOBODY, "ann"),
        ),
        "ingest": (
            lambda: administration.prune(NOBODY, "r", "main", 1),
            lambda: administration.prune(NOBODY, "absent", "main", 1),
            lambda: administration.verify(NOBODY),
            lambda: engine.content.ingest(
                NOBODY, MemorySource(FILES), repository="r", branch="main"
            ),
        ),
        "relations": (
            lambda: engine.content.add_relation(NOBODY, edge),
            lambda: engine.content.remove_relation(NOBODY, edge),
        ),
        "auditor": (
            lambda: administration.audit_entries(NOBODY),
            lambda: administration.audit_verify(NOBODY),
            lambda: administration.audit_anchor(NOBODY),
        ),
    }
    assert set(needs) == set(RIGHTS)
    for right, attempts in needs.items():
        for attempt in attempts:
            with pytest.raises(
                NotAuthorized, match=rf"^this needs the right '{right}', which nobody"
            ):
                attempt()
    assert installation.seen() == ["r:a.md"]
    denied = [row for row in installation.rows() if row.principal == "nobody"]
    assert {row.outcome for row in denied} == {"denied"}
    assert len(denied) == sum(map(len, needs.values()))


@pytest.mark.requirement(40)
def test_the_auditors_right_opens_the_log_and_nothing_else(installation: AdministeredStore) -> None:
    auditor = impersonated(Person("eve", "local", rights=frozenset({"auditor"})), local())
    assert installation.administration.audit_verify(auditor).is_sound
    first = installation.administration.audit_entries(auditor)[:2]
    assert [(entry.event.action, entry.event.outcome) for entry in first] == [
        ("ingest", "started"),
        ("ingest", "succeeded"),
    ]
    anchor = installation.administration.audit_anchor(auditor)
    assert anchor is not None
    assert installation.administration.audit_verify(auditor, anchor).is_sound
    with pytest.raises(NotAuthorized):
        installation.administration.documents(auditor)
    assert installation.seen(auditor) == []


@pytest.mark.requirement(36)
@pytest.mark.requirement(40)
def test_forbidden_and_absent_nodes_leave_the_same_audit_rows(
    installation: AdministeredStore,
) -> None:
    def rows(node: str) -> list[AuditEvent]:
        before = len(installation.rows())
        with pytest.raises(NotVisible, match="no visible node has the id"):
            installation.engine.questions.retrieve(
                QuestionRequest(local(), load("documents"), "", seeds=(node,))
            )
        return installation.rows()[before:]

    hidden, absent = rows("r:h.md"), rows("r:z.md")
    assert [(row.outcome, row.detail) for row in hidden] == [("denied", "not visible: r:h.md")]
    assert [(row.outcome, row.detail) for row in absent] == [("denied", "not visible: r:z.md")]
    assert [row.plan for row in hidden] == [row.plan for row in absent]
    assert [(row.action, row.outcome, row.snapshots) for row in hidden] == [
        (row.action, row.outcome, row.snapshots) for row in absent
    ]


@pytest.mark.requirement(37)
@pytest.mark.requirement(40)
def test_running_a_saved_plan_logs_the_nodes_that_are_no_longer_visible(
    installation: AdministeredStore,
) -> None:
    saved = installation.engine.questions.retrieve(
        QuestionRequest(local(), load("documents"), "fuel")
    ).to_saved_plan()
    installation.administration.set_access(local(), "r", ("a.md",), HIDDEN)
    assert (
        installation.engine.questions.execute(local(), saved, load("documents")).context.items == ()
    )
    assert [(row.outcome, row.plan, row.detail) for row in installation.rows()[-2:]] == [
        ("denied", saved.plan.digest, "not visible: r:a.md"),
        ("succeeded", saved.plan.digest, ""),
    ]


@pytest.mark.requirement(40)
def test_every_question_is_logged(installation: AdministeredStore) -> None:
    engine = installation.engine
    before = len(installation.rows())
    made = engine.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel"))
    engine.questions.execute(local(), made.to_saved_plan(), load("documents"))
    engine.content.status(local())
    engine.content.relations(local())
    engine.content.relation_counts(local())
    engine.content.snapshots(local())
    engine.content.content_digest(local())
    with pytest.raises(NotVisible):
        engine.content.status(local(), (SnapshotSelector("secret"),))
    rows = installation.rows()[before:]
    logged = [(row.action, row.outcome) for row in rows]
    asked = ("retrieve", "execute", "status", "relations", "relations", "snapshots", "digest")
    assert logged == [*((action, "succeeded") for action in asked), ("status", "denied")]
    assert [row.plan for row in rows[:2]] == [made.plan.digest] * 2
    assert rows[0].snapshots == made.scope.snapshots


@pytest.mark.requirement(37)
def test_revoking_removes_groups_or_everyone(installation: AdministeredStore) -> None:
    board = impersonated(Person("bob", "local", frozenset({"board"})), local())
    rule = AccessRule("local", frozenset({"local", "board"}), frozenset(), 0)
    installation.administration.set_access(local(), "r", ("a.md",), rule)
    assert installation.seen(board) == ["r:a.md"]
    installation.administration.revoke(local(), "r", ("a.md",), frozenset({"board"}))
    assert (installation.seen(board), installation.seen()) == ([], ["r:a.md"])
    installation.ingest({**FILES, "a.md": "# Fuel\n\nChanged.\n"})
    assert (installation.seen(board), installation.seen()) == ([], ["r:a.md"])
    installation.administration.revoke(local(), "r", ("a.md",))
    assert installation.seen() == []
    installation.administration.reset_access(local(), "r", ("a.md",))
    assert installation.seen() == ["r:a.md"]


@pytest.mark.requirement(40)
def test_a_change_is_logged_first_and_not_made_without_a_row(
    installation: AdministeredStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = AccessRule("local", frozenset({"board"}))
    installation.administration.set_access(local(), "r", ("a.md",), rule)
    logged = [(row.action, row.outcome, row.detail) for row in installation.rows()[-2:]]
    assert logged == [
        ("access set", "started", "board: r: a.md"),
        ("access set", "succeeded", "board: r: a.md"),
    ]

    def full(event: AuditEvent) -> None:
        raise StoreFull(event.action)

    monkeypatch.setattr(installation.audit, "write", full)
    with pytest.raises(StoreFull):
        installation.administration.reset_access(local(), "r", ("a.md",))
    assert installation.seen() == []


def test_nobody_grants_a_right_that_they_lack(installation: AdministeredStore) -> None:
    clerk = impersonated(Person("cleo", "local", rights=frozenset({"access"})), local())
    with pytest.raises(NotAuthorized, match="cleo lacks the right 'auditor'"):
        installation.administration.add_person(
            clerk, Person("cleo", "local", rights=frozenset({"auditor"}))
        )
    installation.administration.add_person(
        clerk, Person("dan", "local", rights=frozenset({"access"}))
    )


def test_revoking_a_group_without_access_is_refused(installation: AdministeredStore) -> None:
    installation.administration.set_access(
        local(), "r", ("a.md",), AccessRule("local", frozenset({EVERYONE}))
    )
    with pytest.raises(BadInput, match="may be read by everyone, so board cannot be taken away"):
        installation.administration.revoke(local(), "r", ("a.md",), frozenset({"board"}))
    with pytest.raises(NotVisible, match=r"there is no document 'z.md' in repository 'r'"):
        installation.administration.revoke(local(), "r", ("z.md",))
    with pytest.raises(BadInput, match="for its own tenant"):
        installation.administration.set_access(local(), "r", ("a.md",), AccessRule("other"))


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
def test_an_invalid_person_is_refused(
    installation: AdministeredStore, person: Person, wrong: str
) -> None:
    with pytest.raises(BadInput, match=wrong):
        installation.administration.add_person(local(), person)
    assert installation.administration.people(local()) == ()


@pytest.mark.requirement(47)
def test_documents_above_the_embedders_clearance_are_not_ingested(tmp_path: Path) -> None:
    """Also where a manual rule or the default branch raised the level."""
    installation = AdministeredStore(tmp_path, Clearance(frozenset({"eu"}), 1))
    assert installation.ingest() == []
    raised = AccessRule("local", frozenset({"local"}), frozenset({"eu", "board"}), 2)
    installation.administration.set_access(local(), "r", ("a.md",), raised)
    problems = installation.ingest({**FILES, "a.md": "# Fuel\n\nChanged.\n"}, branch="topic")
    reason = "the endpoint lacks labels board, level 2 is above the endpoint's 1"
    assert problems == [f"a.md: not sent to the embedder: {reason}"]
    assert [one.branch for one in installation.administration.explain(local(), "a.md")] == ["main"]


STAFF = impersonated(Person("sue", "local", frozenset({"staff"})), local())


def ruled(
    installation: AdministeredStore, lines: str, *paths: str, branch: str = "main"
) -> list[str]:
    """Ingests these files under an access.yaml, with nobody else to speak."""
    result = installation.engine.content.ingest(
        local(),
        MemorySource({"access.yaml": lines, **{path: f"# {path}\n\nfuel\n" for path in paths}}),
        repository="r",
        branch=branch,
    )
    return [f"{problem.path}: {problem.reason}" for problem in result.problems]


@pytest.mark.requirement(37)
def test_a_changed_access_file_counts_for_old_snapshots_and_other_branches(
    tmp_path: Path,
) -> None:
    installation = AdministeredStore(tmp_path)
    for branch in ("main", "topic"):
        ruled(installation, '- {path: "**", readers: staff}', "a.md", "b.md", branch=branch)
    ruled(installation, '- {path: "**", readers: board}', "b.md")
    for selector in (SnapshotSelector("r", "main", 1), SnapshotSelector("r", "topic")):
        with pytest.raises(NotVisible), installation.store.open_session(STAFF, (selector,)):
            pass


@pytest.mark.requirement(47)
def test_a_document_that_may_not_be_embedded_still_has_statements(tmp_path: Path) -> None:
    """Its statements count for versions that were ingested before, and on other branches."""
    installation = AdministeredStore(tmp_path, Clearance())
    plain = {"a.md": "# A\n\nfuel\n", "b.md": "# B\n\nfuel\n"}
    raised = {**plain, "a.md": "---\naccess: {readers: [board], level: 3}\n---\n# A\n"}

    def take(files: dict[str, str], branch: str) -> list[str]:
        done = installation.engine.content.ingest(
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
    for selector in (SnapshotSelector("r", "main", 1), SnapshotSelector("r", "topic")):
        with installation.store.open_session(local(), (selector,)) as reads:
            assert sorted(reads.versions()) == ["r:b.md"]


@pytest.mark.requirement(47)
def test_a_document_that_nobody_may_read_is_not_sent_to_the_embedder(tmp_path: Path) -> None:
    installation = AdministeredStore(tmp_path, Clearance())
    problems = ruled(
        installation, '- {path: "**", readers: staff}\n- {path: b.md, levels: 3}', "a.md", "b.md"
    )
    assert problems[-1] == "b.md: not sent to the embedder: nobody may read it"
