"""SQL: tables, views and routines, and who reads and writes them."""

import pytest

from tests.unit.ingest.fakes import edges, parsed

SCHEMA = """\
-- The shop's tables.

-- One per basket.
CREATE TABLE IF NOT EXISTS shop.Orders (id int primary key, customer int REFERENCES people(id));
CREATE TABLE people (id int);
CREATE TABLE "Odd Name" (id int);
"""


def used(text: str) -> list[tuple[str, str]]:
    found = edges({"q.sql": text, "schema.sql": SCHEMA}, "tables")
    return [
        (relation, target.removeprefix("schema.sql::"))
        for source, relation, target in found
        if source.startswith("q.sql")
    ]


def test_tables_views_and_routines_are_parts() -> None:
    text = SCHEMA + (
        "CREATE VIEW recent AS SELECT 1;\n"
        "CREATE FUNCTION f(a int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;\n"
        "/* Cleans. */\nCREATE OR REPLACE PROCEDURE shop.clean() LANGUAGE plpgsql AS $$\n"
        "BEGIN DELETE FROM people; END; $$;\n"
    )
    found = parsed("db/schema.sql", text)
    assert [(part.kind, part.name, part.lead) for part in found.parts] == [
        ("table", "shop.Orders", "One per basket."),
        ("table", "people", ""),
        ("table", "Odd Name", ""),
        ("table", "recent", ""),
        ("function", "f", ""),
        ("function", "shop.clean", "Cleans."),
    ]
    assert (found.title, found.lead) == ("schema.sql", "The shop's tables.")
    assert found.parts[4].signature == "CREATE FUNCTION f(a int) RETURNS int"
    assert text[found.parts[5].start : found.parts[5].end].endswith("END; $$;")


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("SELECT * FROM people", "reads"),
        ("SELECT * FROM a JOIN people p ON 1 = 1", "reads"),
        ("SELECT * FROM a CROSS JOIN people", "reads"),
        ("SELECT 1 WHERE 1 IN (SELECT id FROM people)", "reads"),
        ('select * from "people"', "reads"),
        ("select * from PEOPLE", "reads"),
        ("select * from [people]", "reads"),
        ("select * from public.people", "reads"),
        ("INSERT INTO people VALUES (1)", "writes"),
        ("UPDATE people SET id = 1", "writes"),
        ("DELETE FROM people WHERE id = 1", "writes"),
        ("TRUNCATE TABLE people", "writes"),
        ("ALTER TABLE people ADD COLUMN a int", "writes"),
        ("DROP TABLE people", "writes"),
        ("MERGE INTO people USING x ON 1 = 1 WHEN MATCHED THEN DELETE", "writes"),
        ("CREATE TABLE t (a int REFERENCES people(id))", "references"),
        ("CREATE TABLE t (a int, FOREIGN KEY (a) REFERENCES people (id))", "references"),
    ],
)
def test_a_statement_reads_writes_or_references_a_table(text: str, relation: str) -> None:
    assert used(f"{text};") == [(relation, "people")]


def test_one_statement_may_read_one_table_and_write_another() -> None:
    assert used("INSERT INTO people SELECT id FROM shop.orders;") == [
        ("reads", "shop.Orders"),
        ("writes", "people"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "WITH people AS (SELECT 1) SELECT * FROM people;",
        "WITH People AS (SELECT 1) SELECT * FROM people;",
        "SELECT * FROM other.orders;",
        "SELECT people FROM x;",
    ],
)
def test_other_names_are_no_tables(text: str) -> None:
    assert used(text) == []


def test_a_view_and_a_routine_use_what_their_text_names() -> None:
    text = (
        "CREATE VIEW v AS SELECT * FROM people;\n"
        "CREATE FUNCTION f() RETURNS int AS $$ DELETE FROM people; $$ LANGUAGE sql;\n"
        "CREATE PROCEDURE p @a int AS\nBEGIN\n  UPDATE [people] SET id = f();\nEND\nGO\n"
        "SELECT * FROM v;\n"
    )
    people = "CREATE TABLE people (id int);\n"
    assert edges({"q.sql": text, "schema.sql": people}, "tables", "calls") == [
        ("q.sql", "reads", "q.sql::v"),
        ("q.sql::f", "writes", "schema.sql::people"),
        ("q.sql::p", "calls", "q.sql::f"),
        ("q.sql::p", "writes", "schema.sql::people"),
        ("q.sql::v", "reads", "schema.sql::people"),
    ]


def test_a_table_of_another_schema_is_another_table() -> None:
    files = {
        "a.sql": "CREATE TABLE one.t (id int);",
        "b.sql": "CREATE TABLE two.t (id int);",
        "q.sql": "SELECT * FROM two.t;",
    }
    assert edges(files, "tables") == [("q.sql", "reads", "b.sql::two.t")]


def test_builtins_of_every_database_refer_to_nothing() -> None:
    files = {
        "f.sql": "CREATE FUNCTION replace(a int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;",
        "t.sql": "CREATE TABLE tables (id int);",
        "q.sql": "SELECT replace(a), pg_catalog.replace(b) FROM information_schema.tables;",
    }
    assert edges(files, "calls", "tables") == []
