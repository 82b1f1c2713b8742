"""Whatever a service does for somebody is in the audit log, and so is what it denies them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.engine.administration import Administration
from docgraph.engine.content import ContentService
from docgraph.engine.questions import QuestionService
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL, LOCAL_ONLY, ApiKey, Person, Principal
from docgraph.model.edge import Edge
from docgraph.model.errors import BadInput, NotAuthorized
from docgraph.model.snapshot import SnapshotName, SourceLocation
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from tests.support.engines import make_engine
from tests.support.memory_audit import MemoryAudit
from tests.support.memory_source import MemorySource
from tests.support.receipts import FixedReplyModel

FILES = {"a.md": "# Fuel\n\nIt burns.\n", "b.md": "# Thrust\n\nIt pushes.\n"}
FIRST, SECOND = (SnapshotName("r", "main", number) for number in (1, 2))
EDGE = Edge("r:a.md", "explains", "r:b.md")
ANN = Person("ann", LOCAL)
KEY = ApiKey("k1", LOCAL, "ann", "2026-01-01T00:00:00+00:00")
NO_RIGHTS = Principal("nemo", LOCAL, frozenset({LOCAL}))
Call = Callable[[Engine, Principal], object]


def request(reader: Principal) -> QuestionRequest:
    return QuestionRequest(reader, load("documents"), "fuel")


def ingest(engine: Engine, who: Principal, files: dict[str, str] | None = None) -> object:
    return engine.content.ingest(
        who,
        MemorySource(files or {**FILES, "c.md": "# More\n"}),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )


def execute(engine: Engine, who: Principal) -> object:
    saved = engine.questions.retrieve(request(local())).to_saved_plan()
    return engine.questions.execute(who, saved, load("documents"))


def replay(engine: Engine, who: Principal) -> object:
    made = engine.questions.retrieve(request(local()))
    return engine.questions.replay(who, receipt_of(made))


# Reads: one row for each, under this name. Of `diff_snapshots`, one for each of the two.
READS: dict[tuple[type, str], tuple[str, Call]] = {
    (QuestionService, "search"): ("retrieve", lambda e, p: e.questions.search(request(p))),
    (QuestionService, "plan"): ("retrieve", lambda e, p: e.questions.plan(request(p))),
    (QuestionService, "retrieve"): ("retrieve", lambda e, p: e.questions.retrieve(request(p))),
    (QuestionService, "ask"): ("ask", lambda e, p: e.questions.ask(request(p))),
    (QuestionService, "execute"): ("execute", execute),
    (QuestionService, "replay"): ("replay", replay),
    (QuestionService, "why"): ("why", lambda e, p: e.questions.why(request(p), "r:a.md")),
    (QuestionService, "nodes"): ("nodes", lambda e, p: e.questions.nodes(p, ("r:a.md",))),
    (ContentService, "status"): ("status", lambda e, p: e.content.status(p)),
    (ContentService, "relations"): ("relations", lambda e, p: e.content.relations(p)),
    (ContentService, "visit_relations"): (
        "relations",
        lambda e, p: e.content.visit_relations(p, lambda _: None),
    ),
    (ContentService, "relation_page"): (
        "relations",
        lambda e, p: e.content.relation_page(p, offset=0, limit=1),
    ),
    (ContentService, "relation_counts"): ("relations", lambda e, p: e.content.relation_counts(p)),
    (ContentService, "snapshots"): ("snapshots", lambda e, p: e.content.snapshots(p)),
    (ContentService, "diff_snapshots"): (
        "diff-snapshots",
        lambda e, p: e.content.diff_snapshots(p, FIRST, SECOND),
    ),
    (ContentService, "content_digest"): ("digest", lambda e, p: e.content.content_digest(p)),
}
# Reads that need a right.
REPORTS: dict[tuple[type, str], tuple[str, Call]] = {
    (Administration, "documents"): ("access show", lambda e, p: e.administration.documents(p)),
    (Administration, "explain"): (
        "access explain",
        lambda e, p: e.administration.explain(p, "a.md"),
    ),
    (Administration, "sources"): ("access sources", lambda e, p: e.administration.sources(p)),
    (Administration, "people"): ("principals list", lambda e, p: e.administration.people(p)),
    (Administration, "keys"): ("keys list", lambda e, p: e.administration.keys(p)),
    (Administration, "audit_entries"): (
        "audit list",
        lambda e, p: e.administration.audit_entries(p),
    ),
    (Administration, "audit_verify"): (
        "audit verify",
        lambda e, p: e.administration.audit_verify(p),
    ),
    (Administration, "audit_anchor"): (
        "audit anchor",
        lambda e, p: e.administration.audit_anchor(p),
    ),
    (Administration, "verify"): ("verify", lambda e, p: e.administration.verify(p)),
}
# Lookups on behalf of another action, which leaves the row; only a denial leaves one here.
LOOKUPS: dict[tuple[type, str], tuple[str, Call]] = {
    (Administration, "rules"): (
        "access show",
        lambda e, p: e.administration.rules(p, "r", "main"),
    ),
    (Administration, "person"): ("principals find", lambda e, p: e.administration.person(p, "ann")),
}
# Changes: a row before and a row after.
CHANGES: dict[tuple[type, str], tuple[str, Call]] = {
    (ContentService, "ingest"): ("ingest", ingest),
    (ContentService, "embed"): ("embed", lambda e, p: e.content.embed(p, "r", "main")),
    (ContentService, "add_relation"): (
        "relations add",
        lambda e, p: e.content.add_relation(p, EDGE),
    ),
    (ContentService, "remove_relation"): (
        "relations rm",
        lambda e, p: e.content.remove_relation(p, Edge("r:b.md", "explains", "r:a.md")),
    ),
    (Administration, "set_access"): (
        "access set",
        lambda e, p: e.administration.set_access(p, "r", ("a.md",), LOCAL_ONLY),
    ),
    (Administration, "revoke"): (
        "access revoke",
        lambda e, p: e.administration.revoke(p, "r", ("a.md",)),
    ),
    (Administration, "reset_access"): (
        "access reset",
        lambda e, p: e.administration.reset_access(p, "r", ("a.md",)),
    ),
    (Administration, "set_default_branch"): (
        "access default-branch",
        lambda e, p: e.administration.set_default_branch(p, "r", "main"),
    ),
    (Administration, "set_source"): (
        "access set-source",
        lambda e, p: e.administration.set_source(p, "r", "main", SourceLocation("/srv/docs")),
    ),
    (Administration, "add_person"): (
        "principals add",
        lambda e, p: e.administration.add_person(p, Person("bea", LOCAL)),
    ),
    (Administration, "remove_person"): (
        "principals rm",
        lambda e, p: e.administration.remove_person(p, "ann"),
    ),
    (Administration, "add_key"): (
        "keys add",
        lambda e, p: e.administration.add_key(p, KEY, bytes(32)),
    ),
    (Administration, "remove_key"): (
        "keys rm",
        lambda e, p: e.administration.remove_key(p, "k0"),
    ),
    (Administration, "prune"): (
        "prune",
        lambda e, p: e.administration.prune(p, "r", "main", 1),
    ),
    (Administration, "reindex"): ("reindex", lambda e, p: e.administration.reindex(p)),
}
# No content: whether the store answers at all; shown beside another action: which ingests run, and
# whether sources have moved on.
UNAUDITED = {
    (Administration, "check_store"),
    (ContentService, "running_ingests"),
    (ContentService, "source_states"),
}


@pytest.fixture
def audit() -> MemoryAudit:
    return MemoryAudit()


@pytest.fixture
def engine(tmp_path: Path, audit: MemoryAudit) -> Engine:
    """Two snapshots, a person, a key and a manual relation."""
    store = SqliteStore(tmp_path / "s.db", now=lambda: "now")
    engine = make_engine(store, audit, chat_models=lambda: (FixedReplyModel(),))
    engine = Engine(
        engine.questions,
        engine.content,
        Administration(store, audit, engine.administration.api_keys),
        engine.jobs,
    )
    ingest(engine, local(), FILES)
    engine.content.add_relation(local(), Edge("r:b.md", "explains", "r:a.md"))
    engine.administration.add_person(local(), ANN)
    old = ApiKey("k0", LOCAL, "ann", "2026-01-01T00:00:00+00:00")
    engine.administration.add_key(local(), old, bytes(32))
    return engine


def named(table: dict[tuple[type, str], tuple[str, Call]]) -> list[Any]:
    return [
        pytest.param(service, method, id=f"{service.__name__}.{method}")
        for service, method in table
    ]


def rows_of(audit: MemoryAudit, action: str) -> list[tuple[str, str]]:
    return [(row.principal, row.outcome) for row in audit.rows if row.action == action]


def test_every_method_of_a_service_is_in_one_of_these_tables() -> None:
    tables = (READS, REPORTS, LOOKUPS, CHANGES)
    public = {
        (service, name)
        for service in (QuestionService, ContentService, Administration)
        for name, value in vars(service).items()
        if callable(value) and not name.startswith("_")
    }
    listed = [key for table in tables for key in table]
    assert {*listed, *UNAUDITED} == public
    assert len(listed) == len(set(listed))


@pytest.mark.requirement(40)
@pytest.mark.parametrize(("service", "method"), named(READS))
def test_a_read_leaves_a_row(
    engine: Engine, audit: MemoryAudit, service: type, method: str
) -> None:
    action, call = READS[service, method]
    audit.rows.clear()
    reader = Principal("rosa", LOCAL, frozenset({LOCAL}))
    call(engine, reader)
    mine = [outcome for who, outcome in rows_of(audit, action) if who == "rosa"]
    assert mine == ["succeeded"] * (2 if method == "diff_snapshots" else 1)
    last = audit.rows[-1]
    assert (last.action, last.principal) == (action, "rosa")
    assert bool(last.snapshots) is (method != "snapshots")


@pytest.mark.requirement(40)
@pytest.mark.parametrize(("service", "method"), named(REPORTS))
def test_a_report_leaves_a_row(
    engine: Engine, audit: MemoryAudit, service: type, method: str
) -> None:
    action, call = REPORTS[service, method]
    audit.rows.clear()
    call(engine, local())
    assert rows_of(audit, action) == [("local", "succeeded")]


@pytest.mark.requirement(40)
@pytest.mark.parametrize(("service", "method"), named(CHANGES))
def test_a_change_leaves_a_row_before_it_and_a_row_after_it(
    engine: Engine, audit: MemoryAudit, service: type, method: str
) -> None:
    action, call = CHANGES[service, method]
    audit.rows.clear()
    if method == "reindex":  # there is no external index here
        with pytest.raises(BadInput):
            call(engine, local())
        assert rows_of(audit, action) == [("local", "started"), ("local", "failed")]
    else:
        call(engine, local())
        assert rows_of(audit, action) == [("local", "started"), ("local", "succeeded")]


@pytest.mark.requirement(40)
@pytest.mark.parametrize(("service", "method"), named({**REPORTS, **LOOKUPS, **CHANGES}))
def test_without_the_right_nothing_is_done_and_the_denial_leaves_a_row(
    engine: Engine, audit: MemoryAudit, service: type, method: str
) -> None:
    action, call = {**REPORTS, **LOOKUPS, **CHANGES}[service, method]
    audit.rows.clear()
    with pytest.raises(NotAuthorized, match="needs the right"):
        call(engine, NO_RIGHTS)
    assert [(row.action, row.principal, row.outcome) for row in audit.rows] == [
        (action, "nemo", "denied")
    ]
