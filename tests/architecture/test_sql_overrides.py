"""SQL is written once; an override of a dialect is needed and has its reason."""

import re
from collections.abc import Iterator
from types import MappingProxyType

import pytest

from docgraph.adapters.postgres.database import POSTGRES
from docgraph.adapters.sql.database import Dialect, named_queries, script
from docgraph.adapters.sqlite.database import SQLITE
from tests.support.store_modules import ADAPTERS, folder

DIALECTS = MappingProxyType({"SQLite": SQLITE, "Postgres": POSTGRES})
HEADER = re.compile(r"^-- name: (\S+)\n", re.MULTILINE)


def neutral() -> dict[str, str]:
    """Every neutral text by `topic.name`; without one, each dialect has its own."""
    return {
        f"{path.stem}.{name}": text
        for path in sorted(folder("sql").glob("queries/*.sql"))
        for name, text in named_queries(f"{ADAPTERS}.sql", f"queries/{path.name}").items()
    }


def overrides(dialect: Dialect) -> dict[str, str]:
    return dict(named_queries(dialect.package, "overrides.sql"))


def without_reason(text: str) -> Iterator[str]:
    """Overrides that do not begin with a reason."""
    parts = HEADER.split(text)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if not re.match(r"-- why: \w", body):
            yield name


def same_tokens(one: str, other: str) -> bool:
    return one.split() == other.split()


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_override_has_a_reason(dialect: Dialect) -> None:
    assert list(without_reason(script(dialect.package, "overrides.sql"))) == []


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_override_is_of_a_query_that_exists(dialect: Dialect) -> None:
    assert overrides(dialect)
    assert sorted(overrides(dialect).keys() - neutral().keys()) == []


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_override_differs_from_the_translation(dialect: Dialect) -> None:
    known = neutral()
    texts = overrides(dialect).items()
    assert [n for n, text in texts if same_tokens(text, dialect.translate(known[n]))] == []


def test_every_neutral_text_is_run_by_a_dialect() -> None:
    """A query that every dialect overrides has only a name and a description there."""
    everywhere = set.intersection(*(set(overrides(one)) for one in DIALECTS.values()))
    assert everywhere == {name for name, text in neutral().items() if not text}


def test_neutral_text_uses_no_syntax_of_one_dialect() -> None:
    """Casts, sets and values have the form that the translation expects."""
    for name, text in neutral().items():
        assert not re.search(r"::|%\(|\bANY\b|json_each|unnest", text), name


@pytest.mark.parametrize(
    "body", ["SELECT 1;", "-- because\nSELECT 1;", "-- why:\nSELECT 1;", "SELECT 1;\n-- why: late"]
)
def test_an_override_without_a_reason_is_found(body: str) -> None:
    assert list(without_reason(f"-- name: reads.one\n{body}\n")) == ["reads.one"]


def test_an_override_that_equals_the_translation_is_found() -> None:
    text = "SELECT id\nFROM nodes WHERE id = ANY (%(ids)s::text[]);"
    assert same_tokens(text, POSTGRES.translate("SELECT id FROM nodes WHERE id IN :ids[text];"))
