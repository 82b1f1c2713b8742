"""What guards the audit log is guarded too: `verify` says what somebody took away or put in."""

import pytest

from docgraph.model.audit import AuditVerdict
from docgraph.model.errors import StoreError
from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import EVENT, AuditStorage

SWALLOWS = (
    "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
    " CREATE TRIGGER quiet BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION swallow()"
)
NO_OP = (
    "CREATE OR REPLACE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql"
    " SET search_path = docgraph, pg_temp AS 'BEGIN RETURN {}; END'"
)
# What is done to a log, by place, and what is said of it.
DONE = {
    "sqlite": {
        **{
            f"DROP TRIGGER {table}_{rule}": [f"the trigger {table}_{rule} is missing"]
            for table in ("entries", "seals")
            for rule in ("are_consecutive", "are_permanent", "are_immutable")
        },
        "CREATE TRIGGER late BEFORE INSERT ON seals BEGIN SELECT 1; END": [
            "the trigger late was put in"
        ],
        "CREATE INDEX by_time ON entries (time)": ["the index by_time was put in"],
    },
    "postgres": {
        **{
            f"DROP TRIGGER {table}_{rule} ON {table}": [
                *messages,
                f"the trigger {table}_{rule} is missing",
            ]
            for table, rule, messages in (
                ("entries", "are_permanent", []),
                ("entries", "are_consecutive", ["the function require_next_entry is missing"]),
                ("seals", "are_permanent", []),
                ("seals", "are_consecutive", ["the function require_next_seal is missing"]),
            )
        },
        "ALTER TABLE entries DISABLE TRIGGER entries_are_permanent": [
            "the trigger entries_are_permanent is not as docgraph made it"
        ],
        "ALTER TABLE seals ENABLE REPLICA TRIGGER seals_are_permanent": [
            "the trigger seals_are_permanent is not as docgraph made it"
        ],
        "ALTER TABLE entries DISABLE TRIGGER ALL": [
            "the trigger entries_are_consecutive is not as docgraph made it",
            "the trigger entries_are_permanent is not as docgraph made it",
        ],
        NO_OP.format("refuse_audit_change", "NULL"): [
            "the function refuse_audit_change is not as docgraph made it"
        ],
        NO_OP.format("require_next_entry", "NEW"): [
            "the function require_next_entry is not as docgraph made it"
        ],
        "ALTER FUNCTION require_next_entry() SET search_path = public": [
            "the function require_next_entry is not as docgraph made it"
        ],
        "CREATE RULE quiet AS ON DELETE TO seals DO INSTEAD NOTHING": ["the rule quiet was put in"],
        "ALTER TABLE entries ENABLE ROW LEVEL SECURITY": [
            "the table audit_entries is not as docgraph made it"
        ],
        "CREATE POLICY few ON entries USING (number < 7)": ["the policy few was put in"],
        "ALTER TABLE seals SET UNLOGGED": ["the table audit_seals is not as docgraph made it"],
        "CREATE TABLE more () INHERITS (entries)": ["the child table more was put in"],
        "ALTER TABLE entries DROP CONSTRAINT audit_entries_outcome_check": [
            "the constraint audit_entries_outcome_check is missing"
        ],
        "CREATE INDEX by_time ON entries (time)": ["the index by_time was put in"],
        "ALTER TABLE entries ALTER detail SET DEFAULT 'x'": [
            "the column audit_entries.detail is not as docgraph made it"
        ],
        "ALTER TABLE entries ADD note text": ["the column audit_entries.note was put in"],
        "DROP TABLE seals": [
            *(
                f"the column audit_seals.{column} is missing"
                for column in ("digest", "first", "last", "previous_digest", "tenant")
            ),
            "the constraint audit_seals_pkey is missing",
            "the function require_next_seal is missing",
            "the index audit_seals_pkey is missing",
            "the table audit_seals is missing",
            "the trigger seals_are_consecutive is missing",
            "the trigger seals_are_permanent is missing",
        ],
    },
}


def done(place: AuditStorage, statement: str) -> None:
    with place.raw() as run:
        run(statement)


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    ("place", "statement", "problems"),
    [
        pytest.param(place, statement, problems, id=f"{place}: {statement[:40]}")
        for place, known in DONE.items()
        for statement, problems in known.items()
    ],
    indirect=["place"],
)
def test_what_was_done_to_the_guards_is_described(
    log: AuditLog, place: AuditStorage, statement: str, problems: list[str]
) -> None:
    log.write(EVENT)
    assert log.verify("t") == AuditVerdict(1, 0, ())
    done(place, statement)
    assert list(log.verify("t").problems) == problems


@pytest.mark.parametrize(
    ("place", "statement"),
    [
        (
            "sqlite",
            "CREATE TRIGGER quiet BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
        ),
        ("postgres", SWALLOWS),
        ("postgres", "CREATE RULE quiet AS ON INSERT TO entries DO INSTEAD NOTHING"),
    ],
    indirect=["place"],
)
def test_a_row_that_is_swallowed_is_missed_at_once(
    log: AuditLog, place: AuditStorage, statement: str
) -> None:
    log.write(EVENT)
    done(place, statement)
    with pytest.raises(StoreError, match=r"this audit log (takes no row|is not as)"):
        log.write(EVENT)
    assert any("quiet was put in" in said for said in log.verify("t").problems)


def test_a_table_that_was_made_anew_is_found(log: AuditLog, place: AuditStorage) -> None:
    log.write(EVENT)
    done(place, "ALTER TABLE entries RENAME COLUMN detail TO details")
    verdict = log.verify("t")
    assert (verdict.rows, verdict.sealed) == (0, 0)
    assert any("not as docgraph made it" in said or "details" in said for said in verdict.problems)
    for use in (lambda: log.entries("t"), lambda: log.write(EVENT)):
        with pytest.raises(StoreError, match=r"not as docgraph made it: .*\bdetail\b"):
            use()
