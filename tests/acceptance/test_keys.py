"""API keys: made on the command line, used for authentication, on a real store."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from docgraph.interfaces.auth.authentication import Authentication, build_authentication
from docgraph.model.errors import BadInput, NotAuthenticated
from docgraph.wiring.settings import read_settings
from tests.acceptance.conftest import Run, data

STORE = ("--store", "s.db")


@pytest.fixture
def folder(docgraph: Run, elsewhere: Path) -> Path:
    """A folder with a store and the person ann."""
    (elsewhere / "notes").mkdir()
    (elsewhere / "notes" / "a.md").write_text("# Fuel\n\nIt burns.\n")
    assert docgraph("ingest", "notes", *STORE).exit_code == 0
    assert docgraph("principals", "add", "ann", "--group", "staff", *STORE).exit_code == 0
    return elsewhere


def open_authentication(folder: Path) -> Authentication:
    return build_authentication(read_settings({"DOCGRAPH_LOGIN_KEYS": "on"}, folder, "s.db"))


def add_key(docgraph: Run, *options: str) -> str:
    return str(data(docgraph("keys", "add", "ann", "--json", *options, *STORE))["secret"])


@pytest.mark.requirement(38)
def test_a_key_authenticates_its_person_until_it_is_removed(docgraph: Run, folder: Path) -> None:
    authentication, secret = open_authentication(folder), add_key(docgraph, "--note", "a robot")
    found = authentication.authenticate(f"Bearer {secret}")
    assert found.id == "ann"
    assert found.groups == {"staff"}
    (key,) = data(docgraph("keys", "list", "--json", *STORE))["keys"]
    assert (key["principal"], key["note"], key["expires"]) == ("ann", "a robot", None)
    assert found.by == f"key {key['id']}"
    assert docgraph("keys", "rm", key["id"], *STORE).exit_code == 0
    with pytest.raises(NotAuthenticated):
        authentication.authenticate(f"Bearer {secret}")


def test_a_key_has_the_current_rights_of_its_person(docgraph: Run, folder: Path) -> None:
    authentication, secret = open_authentication(folder), add_key(docgraph)
    docgraph("principals", "add", "ann", "--group", "board", "--right", "ingest", *STORE)
    found = authentication.authenticate(f"Bearer {secret}")
    assert found.groups == {"board"}
    assert found.rights == {"ingest"}
    docgraph("principals", "rm", "ann", *STORE)
    with pytest.raises(NotAuthenticated):
        authentication.authenticate(f"Bearer {secret}")
    docgraph("principals", "add", "ann", *STORE)
    with pytest.raises(NotAuthenticated):
        authentication.authenticate(f"Bearer {secret}")


def test_the_secret_is_printed_once_and_not_stored(docgraph: Run, folder: Path) -> None:
    result = docgraph("keys", "add", "ann", *STORE)
    secret = result.stdout.strip()
    assert open_authentication(folder).authenticate(f"Bearer {secret}").id == "ann"
    assert "shown this once" in result.stderr
    last = secret[-20:].encode()
    stored = {file.name: file.read_bytes() for file in folder.glob("s.db*") if file.is_file()}
    assert "s.db.server" in stored
    assert [name for name, data in stored.items() if last in data] == []
    assert secret not in docgraph("keys", "list", *STORE).output


def test_a_key_expires_after_days_or_on_a_date(docgraph: Run, folder: Path) -> None:
    before = datetime.now(UTC)
    add_key(docgraph, "--expires", "30")
    add_key(docgraph, "--expires", "2999-12-31")
    keys = data(docgraph("keys", "list", "--json", *STORE))["keys"]
    days, date = sorted(key["expires"] for key in keys)
    assert timedelta(29) < datetime.fromisoformat(days) - before < timedelta(31)
    assert date == "2999-12-31T00:00:00+00:00"


@pytest.mark.parametrize("when", ["0", "-1", "2001-01-01", "tomorrow", "9" * 30, "2999-13-01", ""])
def test_an_expiry_in_the_past_is_refused(docgraph: Run, folder: Path, when: str) -> None:
    result = docgraph("keys", "add", "ann", f"--expires={when}", *STORE)
    assert isinstance(result.exception, BadInput)
    assert "neither a number of days nor a date" in str(result.exception)
    assert data(docgraph("keys", "list", "--json", *STORE)) == {"keys": []}
