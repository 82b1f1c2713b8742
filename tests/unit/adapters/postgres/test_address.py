"""An address is shown without its password, or not at all."""

import sys

import pytest

from docgraph.adapters.postgres.address import HIDDEN, redacted, without_secrets


@pytest.mark.parametrize(
    ("dsn", "seen"),
    [
        ("postgresql://ann:sesame@db.example:5433/notes", "postgresql://ann@db.example:5433/notes"),
        ("postgres://ann:sesame@db.example/notes", "postgresql://ann@db.example/notes"),
        ("postgresql://db.example/notes", "postgresql://db.example/notes"),
        ("postgresql://ann@db.example?password=sesame", "postgresql://ann@db.example/"),
        (
            "postgresql:///notes?host=db.example&user=ann&sslpassword=sesame",
            "postgresql://ann@db.example/notes",
        ),
        (
            "postgresql://ann:sesame@/notes?host=%2Frun%2Fpostgresql",
            "postgresql://ann@/notes?host=/run/postgresql",
        ),
        (
            "postgresql://ann:sesame@one:5432,two:5433/notes",
            "postgresql://ann@one:5432,two:5433/notes",
        ),
        ("postgresql://ann%40firm:ses%40me@host/notes", "postgresql://ann@firm@host/notes"),
        ("host=db.example user=ann password='se same'", "postgresql://ann@db.example/"),
        ("postgresql://ann:se@same@host/notes", HIDDEN),
        ("postgresql://ann:se/same@host/notes", HIDDEN),
        ("postgresql://ann:se%same@host/notes", HIDDEN),
        ("postgresql://ann@host/notes?password=se&same", HIDDEN),
        ("host=db.example password=se same", HIDDEN),
    ],
)
def test_a_password_is_never_shown(dsn: str, seen: str) -> None:
    assert redacted(dsn) == seen


def test_without_psycopg_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert redacted("postgresql://ann:sesame@db.example/notes") == HIDDEN


def test_a_servers_message_is_one_line_without_the_password() -> None:
    said = 'FATAL:  no "sesame"\n\tfor ann'
    assert without_secrets(said, "postgresql://ann:sesame@host/") == 'FATAL: no "***" for ann'
    assert "sesame" not in without_secrets(said, "postgresql://ann:ses%ame@host/")
