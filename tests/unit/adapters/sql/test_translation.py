"""Neutral SQL as SQLite and Postgres are asked it."""

import pytest

from docgraph.adapters.sql.database import translate_to_postgres, translate_to_sqlite


@pytest.mark.parametrize(
    ("neutral", "sqlite", "postgres"),
    [
        ("WHERE id = :id", "WHERE id = :id", "WHERE id = %(id)s"),
        ("(:a, :b_2)", "(:a, :b_2)", "(%(a)s, %(b_2)s)"),
        (
            "id IN :ids[text]",
            "id IN (SELECT value FROM json_each(:ids))",
            "id = ANY (%(ids)s::text[])",
        ),
        (
            "b IN :many[bigint] AND c = :one",
            "b IN (SELECT value FROM json_each(:many)) AND c = :one",
            "b = ANY (%(many)s::bigint[]) AND c = %(one)s",
        ),
        ("CAST(:id AS bigint)", "CAST(:id AS bigint)", "CAST(%(id)s AS bigint)"),
        ("state IN ('a', 'b')", "state IN ('a', 'b')", "state IN ('a', 'b')"),
        ("IN (SELECT id FROM t)", "IN (SELECT id FROM t)", "IN (SELECT id FROM t)"),
    ],
)
def test_values_and_sets_are_said_as_each_dialect_says_them(
    neutral: str, sqlite: str, postgres: str
) -> None:
    assert translate_to_sqlite(neutral) == sqlite
    assert translate_to_postgres(neutral) == postgres


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'title:x', 'it''s :y', 'IN :ids[text]'",
        'SELECT "a:b", "say "":c""" FROM t',
        "SELECT 1 -- of :id, IN :ids[text]\n",
        "SELECT 1 /* of :id,\nIN :ids[text] */",
        "SELECT key::text",
        "SELECT 'one\ntwo :three'",
    ],
)
def test_strings_names_and_comments_are_left_alone(text: str) -> None:
    assert translate_to_sqlite(text) == text
    assert translate_to_postgres(text) == text


def test_what_follows_a_string_or_a_comment_is_translated() -> None:
    neutral = "WHERE a = ':x' AND b = :y -- :z\n AND c IN :c[text] /* ' */ AND d = :d"
    assert translate_to_postgres(neutral) == (
        "WHERE a = ':x' AND b = %(y)s -- :z\n AND c = ANY (%(c)s::text[]) /* ' */ AND d = %(d)s"
    )


def test_a_percent_sign_stands_for_itself_everywhere() -> None:
    """Psycopg looks for placeholders in strings and comments too."""
    neutral = "SELECT a % 2 FROM t WHERE b LIKE 'x_%' AND c = :c -- 5 %"
    assert translate_to_sqlite(neutral) == neutral
    assert translate_to_postgres(neutral) == (
        "SELECT a %% 2 FROM t WHERE b LIKE 'x_%%' AND c = %(c)s -- 5 %%"
    )
