"""docgraph audit: a row is a line, a problem is a failure, an anchor is a file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docgraph.interfaces.cli import audit as command
from docgraph.model.access import Principal
from docgraph.model.audit import (
    DENIED,
    SUCCEEDED,
    Anchor,
    AuditEntry,
    AuditEvent,
    AuditVerdict,
)
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotName

ANCHOR = Anchor("local", 7, "ab" * 32)
SNAPSHOTS = (SnapshotName("notes", "main", 3), SnapshotName("code", "dev", 1))
ROWS = (
    AuditEntry(
        6,
        "2026-01-01T00:00:00+00:00",
        AuditEvent("local", "ann", "local", "retrieve", SUCCEEDED, "cd" * 32, SNAPSHOTS, ""),
    ),
    AuditEntry(
        7,
        "2026-01-01T00:00:01+00:00",
        AuditEvent(
            "local", "bob", "", "execute", DENIED, "", (), "not visible: [red]a\n8 x\x1b[0m"
        ),
    ),
)


class Office:
    """Answers as it is set up, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []
        self.rows: tuple[AuditEntry, ...] = ROWS
        self.verdict = AuditVerdict(7, 7, ())
        self.anchor: Anchor | None = ANCHOR

    def audit_entries(
        self, principal: Principal, *, last: int | None, who: str | None
    ) -> tuple[AuditEntry, ...]:
        self.asked += [principal.id, last, who]
        return self.rows

    def audit_verify(self, principal: Principal, anchor: Anchor | None) -> AuditVerdict:
        self.asked += [principal.id, anchor]
        return self.verdict

    def audit_anchor(self, principal: Principal) -> Anchor | None:
        self.asked += [principal.id]
        return self.anchor


@pytest.fixture
def office(monkeypatch: pytest.MonkeyPatch) -> Office:
    made = Office()
    monkeypatch.setattr(command, "administration_for", lambda store: made)
    return made


def run(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(command.audit, words)
    if isinstance(done.exception, BadInput):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.stdout


def test_a_row_is_a_line_whatever_was_asked(office: Office) -> None:
    first, second = run("list", "--last", "2", "--who", "ann").splitlines()
    assert first.split("  ") == [
        *("", "", " 6", "2026-01-01T00:00:00+00:00", "ann by local", "retrieve", "succeeded"),
        *("plan cdcdcdcdcdcd", "notes main 3, code dev 1"),
    ]
    assert second.endswith("bob  execute  denied  not visible: [red]a\\n8 x\\x1b[0m")
    assert office.asked == ["local", 2, "ann"]


def test_machines_get_every_field(office: Office) -> None:
    first, second = json.loads(run("list", "--json"))["entries"]
    assert first["number"] == 6
    assert first["event"]["plan"] == "cd" * 32
    assert first["event"]["snapshots"][1] == {"repository": "code", "branch": "dev", "snapshot": 1}
    assert second["event"]["detail"] == ROWS[1].event.detail


def test_an_empty_log_says_so(office: Office) -> None:
    office.rows = ()
    assert run("list") == "no rows\n"


def test_a_sound_log_passes(office: Office) -> None:
    assert run("verify") == "rows 7, sealed up to row 7; sound\n"
    office.verdict = AuditVerdict(3, 0, ())
    assert run("verify") == "rows 3, none sealed yet; sound\n"
    assert office.asked == ["local", None, "local", None]


@pytest.mark.requirement(40)
def test_what_is_wrong_is_listed_and_fails(office: Office) -> None:
    office.verdict = AuditVerdict(6, 5, ("row 3 is missing", "row 0 was put in"))
    assert run("verify", code=1).splitlines() == [
        "wrong: row 3 is missing",
        "wrong: row 0 was put in",
        "rows 6, sealed up to row 5",
    ]
    printed = json.loads(run("verify", "--json", code=1))
    assert printed["sound"] is False
    assert printed["verdict"]["problems"] == ["row 3 is missing", "row 0 was put in"]


def test_an_anchor_that_was_printed_can_be_verified_against(office: Office, tmp_path: Path) -> None:
    kept = tmp_path / "anchor.json"
    kept.write_text(run("anchor"))
    run("verify", "--anchor", str(kept))
    assert office.asked == ["local", "local", ANCHOR]
    other = tmp_path / "other.json"
    assert run("anchor", "--out", str(other)) == f"anchored at row 7: {other}\n"
    assert other.read_text() == kept.read_text()


def test_what_cannot_be_used_is_said_with_its_name(office: Office, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    with pytest.raises(BadInput, match=r"broken\.json: not an anchor"):
        run("verify", "--anchor", str(broken))
    with pytest.raises(BadInput, match=r"absent\.json: cannot be read"):
        run("verify", "--anchor", str(tmp_path / "absent.json"))
    with pytest.raises(BadInput, match="cannot be written"):
        run("anchor", "--out", str(tmp_path))
    assert "local" not in office.asked[1:]
    office.anchor = None
    with pytest.raises(BadInput, match="no rows yet"):
        run("anchor")
