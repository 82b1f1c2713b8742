"""Anchors round-trip; the chain of seals shows which rows were changed."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.audit import (
    ANCHOR_FORMAT,
    DENIED,
    NO_SEAL,
    ROWS_PER_SEAL,
    SUCCEEDED,
    Anchor,
    AuditEntry,
    AuditEvent,
    AuditVerdict,
    Seal,
    anchor_from_json,
    make_seal,
    verify_chain,
)
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotName

DIGEST = "0123456789abcdef" * 4
names = st.text(max_size=8)
events = st.builds(
    AuditEvent,
    tenant=st.just("t"),
    principal=names,
    authenticated_by=names,
    action=st.sampled_from(["context", "search"]),
    outcome=st.sampled_from([SUCCEEDED, DENIED]),
    plan=st.sampled_from(["", DIGEST]),
    snapshots=st.lists(st.builds(SnapshotName, names, names, st.integers(1, 9)), max_size=2).map(
        tuple
    ),
    detail=names,
)


@st.composite
def logs(draw: st.DrawFn) -> tuple[tuple[AuditEntry, ...], tuple[Seal, ...]]:
    """Rows in order, and seals over at least the first of them."""
    found = draw(st.lists(events, min_size=2, max_size=12))
    rows = tuple(AuditEntry(n, f"at {n}", event) for n, event in enumerate(found, start=1))
    ends = sorted(draw(st.sets(st.integers(1, len(rows)), min_size=1)))
    return rows, sealed_at(rows, ends)


def sealed_at(rows: Sequence[AuditEntry], ends: Iterable[int]) -> tuple[Seal, ...]:
    seals: list[Seal] = []
    for end in ends:
        before = seals[-1] if seals else NO_SEAL
        seals.append(make_seal([row for row in rows if before.last < row.number <= end], before))
    return tuple(seals)


def judged(
    rows: Sequence[AuditEntry], seals: Sequence[Seal], anchor: Anchor | None = None
) -> AuditVerdict:
    def between(above: float, last: float) -> list[AuditEntry]:
        return [row for row in rows if above < row.number <= last]

    return verify_chain("t", seals, between, anchor)


def made(count: int) -> tuple[AuditEntry, ...]:
    event = AuditEvent("t", "ann", "", "context", SUCCEEDED, DIGEST, (), "")
    return tuple(AuditEntry(n, "now", replace(event, detail=f"q{n}")) for n in range(1, count + 1))


@given(names, st.integers(min_value=1))
def test_an_anchor_reads_back_as_it_was_written(tenant: str, last: int) -> None:
    anchor = Anchor(tenant, last, DIGEST)
    assert anchor_from_json(anchor.to_json()) == anchor
    assert anchor_from_json(anchor.to_json().encode()) == anchor


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "docgraph.audit-anchor/9"}, "this docgraph reads"),
        ({"tenant": None}, "tenant must be a text"),
        ({"last": 0}, "last must be a row's number"),
        ({"last": True}, "last must be a row's number"),
        ({"last": "7"}, "last must be a row's number"),
        ({"digest": DIGEST[:-1]}, "64 hexadecimal digits"),
        ({"digest": DIGEST.upper()}, "64 hexadecimal digits"),
        ({"digest": DIGEST + "\n"}, "64 hexadecimal digits"),
        ({"digest": 7}, "64 hexadecimal digits"),
        ({"more": 1}, "exactly format, tenant, last and digest"),
    ],
)
def test_an_altered_anchor_is_refused_with_a_reason(change: dict[str, object], words: str) -> None:
    value = {"format": ANCHOR_FORMAT, "tenant": "t", "last": 7, "digest": DIGEST}
    assert anchor_from_json(json.dumps(value)) == Anchor("t", 7, DIGEST)
    with pytest.raises(BadInput, match=words):
        anchor_from_json(json.dumps(value | change))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", b"\xff\xfe\x00", "[" * 100_000])
def test_a_text_that_is_no_anchor_is_refused_with_a_reason(text: str | bytes) -> None:
    with pytest.raises(BadInput, match="not an anchor"):
        anchor_from_json(text)


@given(logs())
def test_an_untouched_log_is_sound_wherever_it_was_sealed(
    log: tuple[tuple[AuditEntry, ...], tuple[Seal, ...]],
) -> None:
    rows, seals = log
    for seal in seals:
        found = judged(rows, seals, Anchor("t", seal.last, seal.digest))
        assert found == AuditVerdict(len(rows), seals[-1].last, ())


@pytest.mark.requirement(40)
@given(logs(), st.data())
def test_a_sealed_row_that_was_changed_is_found(
    log: tuple[tuple[AuditEntry, ...], tuple[Seal, ...]], data: st.DataObject
) -> None:
    rows, seals = log
    at = data.draw(st.integers(0, seals[-1].last - 1))
    other = data.draw(events.filter(lambda event: event != rows[at].event))
    for changed in (replace(rows[at], event=other), replace(rows[at], time="later")):
        found = judged((*rows[:at], changed, *rows[at + 1 :]), seals)
        batch = next(seal for seal in seals if at < seal.last)
        assert [
            f"rows {batch.first} to {batch.last} are not what was sealed" in p
            for p in found.problems
        ] == [True]


@pytest.mark.requirement(40)
@given(logs(), st.data())
def test_a_row_that_is_missing_is_named(
    log: tuple[tuple[AuditEntry, ...], tuple[Seal, ...]], data: st.DataObject
) -> None:
    rows, seals = log
    gone = data.draw(st.integers(1, max(seals[-1].last, len(rows) - 1)))
    left = [row for row in rows if row.number != gone]
    assert judged(left, seals).problems == (f"row {gone} is missing",)


@pytest.mark.requirement(40)
@given(logs(), st.data())
def test_an_old_row_changed_and_the_whole_chain_made_anew_shows_at_the_anchor_alone(
    log: tuple[tuple[AuditEntry, ...], tuple[Seal, ...]], data: st.DataObject
) -> None:
    rows, seals = log
    at = data.draw(st.integers(0, seals[-1].last - 1))
    other = data.draw(events.filter(lambda event: event != rows[at].event))
    forged = (*rows[:at], replace(rows[at], event=other), *rows[at + 1 :])
    anew = sealed_at(forged, [seal.last for seal in seals])
    assert judged(forged, anew).is_sound
    for seal in seals:
        found = judged(forged, anew, Anchor("t", seal.last, seal.digest))
        assert found.is_sound == (seal.last <= at), "an anchor proves what came before it"


def test_swapped_rows_are_not_what_was_sealed() -> None:
    one, two, *rest = made(6)
    swapped = (replace(two, number=1), replace(one, number=2), *rest)
    found = judged(swapped, sealed_at((one, two, *rest), [3, 6]))
    assert [problem[:12] for problem in found.problems] == ["rows 1 to 3 "]


def test_an_inserted_row_is_found_at_any_position() -> None:
    rows = made(6)
    seals = sealed_at(rows, [3, 6])
    for number in (0, -5):
        found = judged((replace(rows[0], number=number), *rows), seals)
        assert found.problems == (f"row {number} was put in",)
    shifted = (*rows[:2], *(replace(row, number=row.number + 1) for row in rows[1:]))
    assert len(judged(shifted, seals).problems) == 2


def test_a_seal_that_is_missing_is_named_and_the_next_one_is_still_checked() -> None:
    rows = made(9)
    seals = sealed_at(rows, [3, 6, 9])
    assert judged(rows, (seals[0], seals[2])).problems == ("the seal over rows 4 to 6 is missing",)
    forged = (*rows[:7], replace(rows[7], time="later"), rows[8])
    assert len(judged(forged, (seals[0], seals[2])).problems) == 2


def test_a_batch_that_was_sealed_again_does_not_fit_the_next_seal() -> None:
    rows = made(6)
    seals = sealed_at(rows, [3, 6])
    forged = (replace(rows[0], time="later"), *rows[1:])
    again = sealed_at(forged, [3])
    assert judged(forged, (*again, seals[1])).problems == (
        "the seal over rows 4 to 6 does not follow from the one before it",
    )


def test_seals_that_overlap_or_cover_nothing_are_found() -> None:
    rows = made(6)
    first, second = sealed_at(rows, [3, 6])
    assert not judged(rows, (first, replace(second, first=2))).is_sound
    assert not judged(rows, (first, second, replace(second, first=7, last=2**63 - 1))).is_sound
    assert not judged(rows, (first, replace(second, first=9))).is_sound


def test_rows_that_should_have_got_a_seal_and_have_none_are_found() -> None:
    rows = made(ROWS_PER_SEAL + 3)
    assert judged(rows, sealed_at(rows, [4])).is_sound
    assert judged(rows, sealed_at(rows, [3])).problems == (
        f"{ROWS_PER_SEAL} rows after row 3 have no seal: it is missing",
    )


def test_a_seal_over_too_many_rows_is_found() -> None:
    rows = made(ROWS_PER_SEAL + 1)
    assert judged(rows, sealed_at(rows, [1, ROWS_PER_SEAL + 1])).is_sound
    (problem,) = judged(rows, sealed_at(rows, [ROWS_PER_SEAL + 1])).problems
    assert "stands where others did" in problem


def test_an_anchor_that_does_not_fit_is_explained() -> None:
    rows = made(6)
    seals = sealed_at(rows, [3, 6])
    fits = Anchor("t", 3, seals[0].digest)
    assert judged(rows, seals, fits).is_sound
    for anchor, words in (
        (replace(fits, tenant="u"), "the anchor is of the tenant 'u', this log is of 't'"),
        (replace(fits, last=5), "no seal ends with row 5"),
        (replace(fits, last=7), "the log ends with row 6, but the anchor was made at row 7"),
        (replace(fits, digest=DIGEST), "the seals up to row 3 are not those"),
    ):
        (problem,) = judged(rows, seals, anchor).problems
        assert words in problem
    (problem,) = judged((), (), fits).problems
    assert problem == "the log ends with row 0, but the anchor was made at row 3"


def test_a_digest_does_not_change_from_one_release_to_the_next() -> None:
    """Old logs and anchors must still verify: who breaks this makes a new format."""
    first, second = sealed_at(made(3), [2, 3])
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 3)
    assert second.previous_digest == first.digest
    assert second.digest == "16fc9e7fe2015f4a00d2570edf1d1ee7893891f5f8840c701632ce4690682f7a"
