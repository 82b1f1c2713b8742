"""A store's backend is selected by the scheme of its URL."""

from pathlib import Path

import pytest

from docgraph.adapters.postgres.backend import POSTGRES
from docgraph.adapters.sqlite.backend import SQLITE
from docgraph.model.errors import BadInput
from docgraph.ports.store import Backend
from docgraph.wiring.backends import (
    absolute_store,
    backend_for,
    open_stores,
    redacted_store,
    require_store,
)
from docgraph.wiring.settings import Settings


@pytest.mark.parametrize(
    ("store", "backend"),
    [
        ("postgresql://host/notes", POSTGRES),
        ("postgres://host/notes", POSTGRES),
        ("notes.db", SQLITE),
        ("postgresql.db", SQLITE),
    ],
)
def test_the_scheme_selects_the_backend(store: str, backend: Backend) -> None:
    assert backend_for(store) is backend


@pytest.mark.parametrize(
    "store", ["mysql://me:secret@host/notes", "sqlite://notes.db", "://notes.db", "POSTGRES://host"]
)
def test_an_unknown_scheme_is_refused_and_the_address_is_not_printed(store: str) -> None:
    scheme, _, rest = store.partition("://")
    with pytest.raises(BadInput, match=f"^{scheme}://…: a store is the path of a SQLite file") as e:
        backend_for(store)
    assert rest not in str(e.value)
    assert redacted_store(store) == f"{scheme}://…"


def test_only_a_file_path_depends_on_the_current_folder() -> None:
    assert absolute_store("notes.db") == str(Path.cwd() / "notes.db")
    assert absolute_store("postgresql://host/notes") == "postgresql://host/notes"


def test_a_question_does_not_create_a_store(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "store.db"))
    with pytest.raises(BadInput, match="there is no store at"):
        require_store(settings)
    open_stores(settings)
    assert not (tmp_path / "store.db").exists()
    open_stores(settings).store.verify()
    assert require_store(settings) is settings


@pytest.mark.parametrize("part", ["audit", "api_keys", "jobs"])
def test_a_part_is_opened_without_the_store(tmp_path: Path, part: str) -> None:
    stores = open_stores(Settings(str(tmp_path / "store.db")))
    assert getattr(stores, part) is getattr(stores, part)
    assert not (tmp_path / "store.db").exists()
