"""API keys from the command line to the login, on a real store."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from docgraph.interfaces.auth.authentication import Authentication, build_authentication
from docgraph.model.errors import BadInput, NotKnown
from docgraph.wiring.settings import read_settings
from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")


@pytest.fixture
def known(docgraph: Run, elsewhere: Path) -> Path:
    """A store that knows ann."""
    (elsewhere / "notes").mkdir()
    (elsewhere / "notes" / "a.md").write_text("# Fuel\n\nIt burns.\n")
    assert docgraph("ingest", "notes", *STORE).exit_code == 0
    assert docgraph("principals", "add", "ann", "--group", "staff", *STORE).exit_code == 0
    return elsewhere


def login(place: Path) -> Authentication:
    return build_authentication(read_settings({"DOCGRAPH_LOGIN_KEYS": "on"}, place, "s.db"))


def given(docgraph: Run, *options: str) -> str:
    return str(data(docgraph("keys", "add", "ann", "--json", *options, *STORE))["secret"])


@pytest.mark.requirement(38)
def test_who_shows_a_key_is_its_person_until_it_is_taken_back(docgraph: Run, known: Path) -> None:
    gate, secret = login(known), given(docgraph, "--note", "a robot")
    found = gate.authenticate(f"Bearer {secret}")
    assert found.id == "ann"
    assert found.groups == {"staff"}
    (key,) = data(docgraph("keys", "list", "--json", *STORE))["keys"]
    assert (key["principal"], key["note"], key["expires"]) == ("ann", "a robot", None)
    assert found.by == f"key {key['id']}"
    assert docgraph("keys", "rm", key["id"], *STORE).exit_code == 0
    with pytest.raises(NotKnown):
        gate.authenticate(f"Bearer {secret}")


def test_rights_are_those_of_now(docgraph: Run, known: Path) -> None:
    gate, secret = login(known), given(docgraph)
    docgraph("principals", "add", "ann", "--group", "board", "--right", "ingest", *STORE)
    found = gate.authenticate(f"Bearer {secret}")
    assert found.groups == {"board"}
    assert found.rights == {"ingest"}
    docgraph("principals", "rm", "ann", *STORE)
    with pytest.raises(NotKnown):
        gate.authenticate(f"Bearer {secret}")
    docgraph("principals", "add", "ann", *STORE)
    with pytest.raises(NotKnown):
        gate.authenticate(f"Bearer {secret}")


def test_the_secret_is_printed_once_and_kept_nowhere(docgraph: Run, known: Path) -> None:
    said = docgraph("keys", "add", "ann", *STORE)
    secret = said.stdout.strip()
    assert login(known).authenticate(f"Bearer {secret}").id == "ann"
    assert "shown this once" in said.stderr
    last = secret[-20:].encode()
    kept = {file.name: file.read_bytes() for file in known.glob("s.db*")}
    assert "s.db.server" in kept
    assert [name for name, data in kept.items() if last in data] == []
    assert secret not in docgraph("keys", "list", *STORE).output


def test_a_key_ends_after_days_or_on_a_date(docgraph: Run, known: Path) -> None:
    before = datetime.now(UTC)
    given(docgraph, "--expires", "30")
    given(docgraph, "--expires", "2999-12-31")
    keys = data(docgraph("keys", "list", "--json", *STORE))["keys"]
    days, date = sorted(key["expires"] for key in keys)
    assert timedelta(29) < datetime.fromisoformat(days) - before < timedelta(31)
    assert date == "2999-12-31T00:00:00+00:00"


@pytest.mark.parametrize("when", ["0", "-1", "2001-01-01", "tomorrow", "9" * 30, "2999-13-01", ""])
def test_a_key_cannot_end_before_it_begins(docgraph: Run, known: Path, when: str) -> None:
    said = docgraph("keys", "add", "ann", f"--expires={when}", *STORE)
    assert isinstance(said.exception, BadInput)
    assert "neither a number of days nor a date" in str(said.exception)
    assert data(docgraph("keys", "list", "--json", *STORE)) == {"keys": []}
