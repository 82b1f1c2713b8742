"""Whatever is done to an audit log, `verify` says so in words, up to the last anchor."""

import pytest

from docgraph.model.audit import DENIED, NO_SEAL, Anchor, AuditVerdict, make_seal
from docgraph.ports.audit import AuditLog
from tests.support.audit_logs import EVENT, AuditStorage, fill, make_anchor

COLUMNS = (
    "time",
    "principal",
    "authenticated_by",
    "action",
    "outcome",
    "plan",
    "snapshots",
    "detail",
)
PUT_IN = (
    "INSERT INTO entries SELECT tenant, {number}, time, 'eve', '', action, outcome, plan,"
    " snapshots, detail, checksum FROM entries WHERE number = 1"
)


def tampered(place: AuditStorage, *statements: str) -> None:
    with place.unguarded() as run:
        for statement in statements:
            assert run(statement).rowcount, statement


def seal_anew(place: AuditStorage) -> None:
    """The whole chain made again, over the same batches, by one who knows how."""
    rows = place.log().entries("t")
    with place.unguarded() as run:
        ends = [end for (end,) in run("SELECT last FROM seals ORDER BY last").fetchall()]
        run("DELETE FROM seals")
        before = NO_SEAL
        for end in ends:
            before = make_seal([row for row in rows if before.last < row.number <= end], before)
            span = f"{before.first}, {before.last}"
            digests = f"'{before.previous_digest}', '{before.digest}'"
            run(f"INSERT INTO seals VALUES ('t', {span}, {digests})")


@pytest.fixture
def anchor(log: AuditLog) -> Anchor:
    """250 rows: sealed up to 100 and 200 automatically, up to 250 on request."""
    fill(log, 250)
    return make_anchor(log)


@pytest.mark.requirement(40)
@pytest.mark.parametrize(("number", "batch"), [(1, "1 to 100"), (137, "101 to 200"), (250, "201")])
def test_a_changed_field_is_found_and_found_no_more_when_it_is_changed_back(
    log: AuditLog, place: AuditStorage, anchor: Anchor, number: int, batch: str
) -> None:
    for column in COLUMNS:
        with place.raw() as run:
            ((held,),) = run(f"SELECT {column} FROM entries WHERE number = {number}").fetchall()
        value = DENIED if column == "outcome" else "[[["
        tampered(place, f"UPDATE entries SET {column} = '{value}' WHERE number = {number}")
        (problem,) = log.verify("t").problems
        assert problem.startswith(f"rows {batch}"), column
        assert "are not what was sealed" in problem
        tampered(place, f"UPDATE entries SET {column} = '{held}' WHERE number = {number}")
        assert log.verify("t", anchor) == AuditVerdict(250, 250, ())


@pytest.mark.requirement(40)
@pytest.mark.parametrize(
    ("statements", "problems"),
    [
        (["DELETE FROM entries WHERE number = 137"], ["row 137 is missing"]),
        (["DELETE FROM entries WHERE number > 240"], ["rows 241 to 250 are missing"]),
        (["DELETE FROM entries"], ["rows 1 to 100", "rows 101 to 200", "rows 201 to 250"]),
        (
            [
                "UPDATE entries SET number = -1 WHERE number = 7",
                "UPDATE entries SET number = 7 WHERE number = 9",
                "UPDATE entries SET number = 9 WHERE number = -1",
            ],
            ["rows 1 to 100 are not what was sealed"],
        ),
        (
            [
                "UPDATE entries SET number = -number WHERE number >= 137",
                "UPDATE entries SET number = 1 - number WHERE number < 0",
                PUT_IN.format(number=137),
            ],
            ["rows 101 to 200 are not", "rows 201 to 250 are not"],
        ),
        ([PUT_IN.format(number=0)], ["row 0 was put in"]),
        (
            ["UPDATE seals SET digest = previous_digest WHERE last = 200"],
            ["rows 101", "does not follow"],
        ),
        (
            ["UPDATE seals SET previous_digest = '' WHERE last = 200"],
            ["does not follow", "rows 101"],
        ),
        (["UPDATE seals SET last = 9e18 WHERE last = 250"], ["rows 251 to 9", "none covers over"]),
        (["DELETE FROM seals WHERE last = 100"], ["the seal over rows 1 to 100 is missing"]),
        (["DELETE FROM seals WHERE last > 100"], ["150 rows after row 100 have no seal"]),
        (["DELETE FROM seals"], ["250 rows after row 0 have no seal"]),
        (["UPDATE entries SET tenant = 'u' WHERE number = 250"], ["row 250 is missing"]),
    ],
)
def test_what_was_done_to_the_rows_is_described(
    log: AuditLog, place: AuditStorage, anchor: Anchor, statements: list[str], problems: list[str]
) -> None:
    assert log.verify("t", anchor) == AuditVerdict(250, 250, ())
    tampered(place, *statements)
    found = log.verify("t").problems
    assert len(found) == len(problems), found
    for problem, words in zip(found, problems, strict=True):
        assert words in problem
    log.entries("t")
    fill(log, 5)
    assert not log.verify("t").is_sound, "writing on heals nothing"


@pytest.mark.requirement(40)
def test_an_end_cut_off_with_its_seals_shows_at_the_anchor(
    log: AuditLog, place: AuditStorage, anchor: Anchor
) -> None:
    tampered(place, "DELETE FROM entries WHERE number > 200", "DELETE FROM seals WHERE last > 200")
    assert log.verify("t").is_sound, "nothing in the log tells"
    assert log.verify("t", anchor).problems == (
        "the log ends with row 200, but the anchor was made at row 250",
    )
    fill(log, 50)
    make_anchor(log)
    (problem,) = log.verify("t", anchor).problems
    assert problem.startswith("the seals up to row 250 are not those")


@pytest.mark.requirement(40)
def test_a_whole_chain_made_anew_shows_at_the_anchor(
    log: AuditLog, place: AuditStorage, anchor: Anchor
) -> None:
    seal_anew(place)
    assert log.verify("t", anchor).is_sound, "made anew over the same rows it is the same"
    tampered(place, "UPDATE entries SET principal = 'eve' WHERE number = 7")
    seal_anew(place)
    assert log.verify("t").is_sound, "nothing in the log tells"
    (problem,) = log.verify("t", anchor).problems
    assert problem.startswith("the seals up to row 250 are not those that the anchor was made of")


@pytest.mark.requirement(40)
def test_a_log_that_was_emptied_shows_at_the_anchor(
    log: AuditLog, place: AuditStorage, anchor: Anchor
) -> None:
    tampered(place, "DELETE FROM entries", "DELETE FROM seals")
    assert log.verify("t") == AuditVerdict(0, 0, ()), "nothing in the log tells"
    assert not log.verify("t", anchor).is_sound
    log.write(EVENT)
    assert [row.number for row in log.entries("t")] == [1]
    assert not log.verify("t", anchor).is_sound


def test_an_anchor_of_another_tenant_proves_nothing(log: AuditLog, anchor: Anchor) -> None:
    fill(log, 250, tenant="u")
    (problem,) = log.verify("u", anchor).problems
    assert "is of the tenant 't'" in problem
