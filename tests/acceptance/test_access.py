"""Access rules of files and manual rules, questions as another person, and the audit log."""

import json
import sqlite3
from pathlib import Path

import pytest

from docgraph.model.errors import NotAuthorized, NotVisible
from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")
QUESTION = "How much may travel cost?"


@pytest.fixture
def handbook(docgraph: Run, elsewhere: Path) -> Path:
    """Everyone reads about travel; the budget is for finance with clearance 1."""
    folder = elsewhere / "handbook"
    (folder / "finance").mkdir(parents=True)
    (folder / "access.yaml").write_text(
        '- {path: "**", readers: everyone}\n'
        "- {path: finance/, readers: [finance, board], level: 1}\n"
    )
    (folder / "travel.md").write_text("# Travel\n\nTrains. See the [budget](finance/budget.md).\n")
    (folder / "finance" / "budget.md").write_text(
        "---\naccess: finance\n---\n# Budget\n\nTravel has 40,000.\n"
    )
    assert docgraph("ingest", "handbook", *STORE).exit_code == 0
    docgraph("principals", "add", "ann", "--group", "finance", "--clearance", "1", *STORE)
    docgraph("principals", "add", "bob", "--group", "board", "--clearance", "1", *STORE)
    return folder


def search_ids(docgraph: Run, *options: str) -> list[str]:
    seeds = data(docgraph("search", QUESTION, *STORE, "--json", *options))["seeds"]
    return [seed["id"] for seed in seeds["ranked"]]


TRAVEL, BUDGET = "handbook:travel.md", "handbook:finance/budget.md"


@pytest.mark.requirement(35)
def test_the_rules_of_all_files_apply_and_explain_shows_their_lines(
    docgraph: Run, handbook: Path
) -> None:
    assert search_ids(docgraph) == [TRAVEL]
    assert sorted(search_ids(docgraph, "--as", "ann")) == [BUDGET, TRAVEL]
    assert search_ids(docgraph, "--as", "bob") == [TRAVEL]
    (one,) = data(docgraph("access", "explain", "finance/budget.md", *STORE, "--json"))["access"]
    assert [(word["source"], word["line"]) for word in one["statements"]] == [
        ("access.yaml", 2),
        ("front matter", 2),
    ]
    assert (one["rule"]["readers"], one["rule"]["level"]) == (["finance"], 1)
    shown = docgraph("access", "explain", "finance/budget.md", *STORE).stdout
    assert "access.yaml:2 finance/: board, finance; level 1" in shown


@pytest.mark.requirement(37)
def test_a_manual_rule_takes_effect_at_once_and_survives_a_new_ingest(
    docgraph: Run, handbook: Path
) -> None:
    plan = ("plan", QUESTION, *STORE, "--as", "ann", "--save", "plan.json")
    assert docgraph(*plan).exit_code == 0
    docgraph("access", "revoke", "finance/budget.md", "-r", "handbook", *STORE)
    (handbook / "finance" / "budget.md").write_text("# Budget\n\nTravel has 50,000.\n")
    assert docgraph("ingest", "handbook", *STORE).exit_code == 0
    for snapshot in ("1", "2"):
        at = ("-r", "handbook", "-b", "main", "--snapshot", snapshot)
        assert search_ids(docgraph, "--as", "ann", *at) == [TRAVEL]
    context = data(docgraph("run", "plan.json", *STORE, "--as", "ann", "--json"))["context"]
    assert {one["document_id"] for one in context["documents"]} == {TRAVEL}
    docgraph("access", "set", "finance/budget.md", "-r", "handbook", "--reader", "everyone", *STORE)
    assert sorted(search_ids(docgraph)) == [BUDGET, TRAVEL]
    docgraph("access", "reset", "finance/budget.md", "-r", "handbook", *STORE)
    assert search_ids(docgraph) == [TRAVEL]


@pytest.mark.requirement(36)
@pytest.mark.parametrize("command", ["search", "plan", "context", "explain"])
def test_no_output_reveals_a_hidden_document(docgraph: Run, handbook: Path, command: str) -> None:
    for form in ((), ("--json",)):
        shown = docgraph(command, QUESTION, *STORE, "--as", "bob", *form)
        assert shown.exit_code == 0
        output = shown.output.replace("[budget](finance/budget.md)", "").lower()
        assert "40,000" not in output
        assert "handbook:finance" not in output


@pytest.mark.requirement(38)
def test_every_question_command_accepts_another_person(docgraph: Run, handbook: Path) -> None:
    docgraph("plan", QUESTION, *STORE, "--save", "plan.json")
    commands = (
        *(("search", QUESTION), ("plan", QUESTION), ("context", QUESTION), ("explain", QUESTION)),
        *(("run", "plan.json"), ("status",), ("snapshots",), ("diff-snapshots", "1", "1")),
        *(("relations", "list"), ("relations", "stats")),
    )
    for words in commands:
        assert docgraph(*words, *STORE, "--as", "ann").exit_code == 0, words
        unknown = docgraph(*words, *STORE, "--as", "zoe")
        assert isinstance(unknown.exception, NotVisible), words
    rows = data(docgraph("audit", "list", "--who", "ann", *STORE, "--json"))["entries"]
    assert {row["event"]["authenticated_by"] for row in rows} == {"local"}
    assert len(rows) >= len(commands)


@pytest.mark.requirement(35)
def test_a_branch_can_restrict_access_and_never_extend_it(docgraph: Run, handbook: Path) -> None:
    (handbook / "access.yaml").write_text('- {path: "**", readers: everyone}\n')
    (handbook / "finance" / "budget.md").write_text("# Budget\n\nTravel has 40,000.\n")
    (handbook / "finance" / "new.md").write_text("# Bonus budget\n\nTravel has more.\n")
    assert docgraph("ingest", "handbook", "-b", "topic", *STORE).exit_code == 0
    assert search_ids(docgraph, "-b", "topic") == [TRAVEL]
    ann = search_ids(docgraph, "-b", "topic", "--as", "ann")
    assert sorted(ann) == [BUDGET, "handbook:finance/new.md", TRAVEL]
    shown = docgraph("access", "explain", "finance/new.md", *STORE).stdout
    assert "access.yaml:2 of branch main finance/: board, finance; level 1" in shown


@pytest.mark.requirement(40)
def test_only_an_auditor_reads_the_audit_log_and_tampering_is_detected(
    docgraph: Run, handbook: Path, elsewhere: Path
) -> None:
    for words in (("list",), ("verify",), ("anchor",)):
        assert isinstance(
            docgraph("audit", *words, "--as", "ann", *STORE).exception, NotAuthorized
        ), words
    docgraph("context", "--seed", BUDGET, *STORE)
    docgraph("context", "--seed", "handbook:absent.md", *STORE)
    events = [row["event"] for row in data(docgraph("audit", "list", *STORE, "--json"))["entries"]]
    denied = [event for event in events if event["detail"].startswith("not visible: ")]
    hidden, absent = ({**event, "detail": ""} for event in denied)
    assert hidden == absent
    assert docgraph("audit", "anchor", "--out", "anchor.json", *STORE).exit_code == 0
    assert docgraph("audit", "verify", "--anchor", "anchor.json", *STORE).exit_code == 0
    raw = sqlite3.connect(elsewhere / "s.db.audit")
    triggers = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        raw.execute(f"DROP TRIGGER {name}")
    (table,) = raw.execute(
        "SELECT tbl_name FROM sqlite_master WHERE sql LIKE '%outcome%' AND type = 'table'"
    ).fetchone()
    raw.execute(f"UPDATE {table} SET principal = 'someone' WHERE number = 2")
    for _, sql in triggers:
        raw.execute(sql)
    raw.commit()
    raw.close()
    verdict = docgraph("audit", "verify", "--anchor", "anchor.json", *STORE)
    assert verdict.exit_code == 1
    assert "wrong:" in verdict.stdout
    report = json.loads(docgraph("audit", "verify", *STORE, "--json").stdout)
    assert report["sound"] is False
