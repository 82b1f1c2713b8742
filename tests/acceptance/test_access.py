"""Who may read what, from files and by hand; asking in another's name; the log of it all."""

import json
import sqlite3
from pathlib import Path

import pytest

from docgraph.model.errors import NotAllowed, NotVisible
from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")
QUESTION = "How much may travel cost?"


@pytest.fixture
def handbook(docgraph: Run, elsewhere: Path) -> Path:
    """Everyone reads about travel; the budget is for finance, who have cleared level 1."""
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


def found(docgraph: Run, *options: str) -> list[str]:
    seeds = data(docgraph("search", QUESTION, *STORE, "--json", *options))["seeds"]
    return [seed["id"] for seed in seeds["ranked"]]


TRAVEL, BUDGET = "handbook:travel.md", "handbook:finance/budget.md"


@pytest.mark.requirement(35)
def test_files_decide_together_and_explain_names_the_lines(docgraph: Run, handbook: Path) -> None:
    assert found(docgraph) == [TRAVEL]
    assert sorted(found(docgraph, "--as", "ann")) == [BUDGET, TRAVEL]
    assert found(docgraph, "--as", "bob") == [TRAVEL]
    (one,) = data(docgraph("access", "explain", "finance/budget.md", *STORE, "--json"))["access"]
    assert [(word["source"], word["line"]) for word in one["statements"]] == [
        ("access.yaml", 2),
        ("front matter", 2),
    ]
    assert (one["rule"]["readers"], one["rule"]["level"]) == (["finance"], 1)
    shown = docgraph("access", "explain", "finance/budget.md", *STORE).stdout
    assert "access.yaml:2 finance/: board, finance; level 1" in shown


@pytest.mark.requirement(37)
def test_a_manual_rule_counts_at_once_and_survives_a_re_ingest(
    docgraph: Run, handbook: Path
) -> None:
    plan = ("plan", QUESTION, *STORE, "--as", "ann", "--save", "plan.json")
    assert docgraph(*plan).exit_code == 0
    docgraph("access", "revoke", "finance/budget.md", "-r", "handbook", *STORE)
    (handbook / "finance" / "budget.md").write_text("# Budget\n\nTravel has 50,000.\n")
    assert docgraph("ingest", "handbook", *STORE).exit_code == 0
    for snapshot in ("1", "2"):
        at = ("-r", "handbook", "-b", "main", "--snapshot", snapshot)
        assert found(docgraph, "--as", "ann", *at) == [TRAVEL]
    context = data(docgraph("run", "plan.json", *STORE, "--as", "ann", "--json"))["context"]
    assert {item["document"] for item in context["items"]} == {TRAVEL}
    docgraph("access", "set", "finance/budget.md", "-r", "handbook", "--reader", "everyone", *STORE)
    assert sorted(found(docgraph)) == [BUDGET, TRAVEL]
    docgraph("access", "reset", "finance/budget.md", "-r", "handbook", *STORE)
    assert found(docgraph) == [TRAVEL]


@pytest.mark.requirement(36)
@pytest.mark.parametrize("command", ["search", "plan", "context", "explain"])
def test_what_bob_gets_tells_nothing_of_the_budget(
    docgraph: Run, handbook: Path, command: str
) -> None:
    for form in ((), ("--json",)):
        shown = docgraph(command, QUESTION, *STORE, "--as", "bob", *form)
        assert shown.exit_code == 0
        text = shown.output.replace("[budget](finance/budget.md)", "").lower()
        assert "40,000" not in text
        assert "handbook:finance" not in text


@pytest.mark.requirement(38)
def test_every_question_can_be_asked_in_anothers_name(docgraph: Run, handbook: Path) -> None:
    docgraph("plan", QUESTION, *STORE, "--save", "plan.json")
    asked = (
        *(("search", QUESTION), ("plan", QUESTION), ("context", QUESTION), ("explain", QUESTION)),
        *(("run", "plan.json"), ("status",), ("snapshots",), ("diff-snapshots", "1", "1")),
        *(("relations", "list"), ("relations", "stats")),
    )
    for words in asked:
        assert docgraph(*words, *STORE, "--as", "ann").exit_code == 0, words
        unknown = docgraph(*words, *STORE, "--as", "zoe")
        assert isinstance(unknown.exception, NotVisible), words
    rows = data(docgraph("audit", "list", "--who", "ann", *STORE, "--json"))["entries"]
    assert {row["event"]["authenticated_by"] for row in rows} == {"local"}
    assert len(rows) >= len(asked)


@pytest.mark.requirement(35)
def test_a_branch_narrows_and_never_widens(docgraph: Run, handbook: Path) -> None:
    (handbook / "access.yaml").write_text('- {path: "**", readers: everyone}\n')
    (handbook / "finance" / "budget.md").write_text("# Budget\n\nTravel has 40,000.\n")
    (handbook / "finance" / "new.md").write_text("# Bonus budget\n\nTravel has more.\n")
    assert docgraph("ingest", "handbook", "-b", "topic", *STORE).exit_code == 0
    assert found(docgraph, "-b", "topic") == [TRAVEL]
    ann = found(docgraph, "-b", "topic", "--as", "ann")
    assert sorted(ann) == [BUDGET, "handbook:finance/new.md", TRAVEL]
    shown = docgraph("access", "explain", "finance/new.md", *STORE).stdout
    assert "access.yaml:2 of branch main finance/: board, finance; level 1" in shown


@pytest.mark.requirement(40)
def test_only_an_auditor_reads_the_log_and_tampering_is_found(
    docgraph: Run, handbook: Path, elsewhere: Path
) -> None:
    for words in (("list",), ("verify",), ("anchor",)):
        assert isinstance(docgraph("audit", *words, "--as", "ann", *STORE).exception, NotAllowed), (
            words
        )
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
