"""A row of the audit log, the anchor that someone keeps elsewhere, and the verdict on a log."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotName

ANSWERED = "answered"
DENIED = "denied"
FAILED = "failed"
BEGUN = "begun"
ANCHOR_FORMAT = "docgraph.audit-anchor/1"
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One question or one denial. `by` asked in the principal's name, and is "" if they did
    themselves; `outcome` is ANSWERED, DENIED, FAILED or, before a change, BEGUN; `plan` is a
    plan's digest, or "".

    `detail` says what was asked for, never whether it exists: forbidden and absent read the same.
    """

    tenant: str
    principal: str
    by: str
    action: str
    outcome: str
    plan: str
    snapshots: tuple[SnapshotName, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Numbers count from 1 within a tenant, without a gap."""

    number: int
    time: str
    event: AuditEvent


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last sealed row and the chain's digest there: up to it, nothing changes unnoticed."""

    tenant: str
    last: int
    digest: str

    def to_json(self) -> str:
        value = {"format": ANCHOR_FORMAT, **plain(self)}
        return json.dumps(value, indent=2, sort_keys=True) + "\n"


def anchor_from_json(text: str | bytes) -> Anchor:
    """Strictly: an anchor that says something else than it seems to would be worse than none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"not an anchor: {error}") from error
    if not isinstance(value, dict) or set(value) != {"format", "tenant", "last", "digest"}:
        raise BadInput("not an anchor: it holds exactly format, tenant, last and digest")
    if value["format"] != ANCHOR_FORMAT:
        raise BadInput(f"anchor format {value['format']!r}; this docgraph reads {ANCHOR_FORMAT!r}")
    tenant, last, digest = value["tenant"], value["last"], value["digest"]
    if not isinstance(tenant, str):
        raise BadInput("not an anchor: tenant must be a text")
    if type(last) is not int or last < 1:
        raise BadInput("not an anchor: last must be a row's number, from 1")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise BadInput("not an anchor: digest must be 64 hexadecimal digits in lower case")
    return Anchor(tenant, last, digest)


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """How many rows there are, up to which they are sealed, and everything that is wrong."""

    rows: int
    sealed: int
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


# The chain of seals over an audit log: making a seal, and finding what no longer fits.


FORMAT = "docgraph.audit/1"
SEAL_EVERY = 100  # waiting rows are sealed; part of the format, since a batch is never larger

# Rows with numbers above the first and up to the second, in order.
Rows = Callable[[float, float], Iterable[AuditEntry]]


@dataclass(frozen=True, slots=True)
class Seal:
    """Over the rows `first` to `last`; `before` is the digest of the seal before it."""

    first: int
    last: int
    before: str
    digest: str


NOTHING = Seal(first=0, last=0, before="", digest="")  # what the first seal follows


def make_seal(entries: Sequence[AuditEntry], before: Seal) -> Seal:
    """Ties a batch of rows to all that were sealed before them."""
    return Seal(
        first=before.last + 1,
        last=entries[-1].number,
        before=before.digest,
        digest=_chained(entries, before.digest),
    )


def _chained(entries: Sequence[AuditEntry], before: str) -> str:
    return digest({"format": FORMAT, "before": before, "entries": entries})


def verify_chain(
    tenant: str, seals: Sequence[Seal], rows: Rows, anchor: Anchor | None = None
) -> AuditVerdict:
    """Every seal made again from the rows it covers. `seals` are in the order of their rows."""
    problems: list[str] = []
    count = newest = 0
    before, reached = NOTHING, -math.inf
    for seal in seals:
        batch = tuple(rows(reached, seal.last))
        problems.extend(_of_batch(seal, before, batch))
        count += len(batch)
        newest = batch[-1].number if batch else newest
        before, reached = seal, seal.last
    waiting = [entry.number for entry in rows(reached, math.inf)]
    problems.extend(_of_waiting(waiting, before))
    if anchor is not None:
        newest = waiting[-1] if waiting else newest
        problems.extend(_of_anchor(anchor, tenant, seals, newest))
    return AuditVerdict(count + len(waiting), before.last, tuple(problems))


def _of_batch(seal: Seal, before: Seal, batch: Sequence[AuditEntry]) -> Iterator[str]:
    covered = f"rows {seal.first} to {seal.last}"
    start = before.last + 1
    misplaced = list(_misplaced([entry.number for entry in batch], start, seal.last))
    yield from misplaced
    if seal.first > start:
        yield f"the seal over rows {start} to {seal.first - 1} is missing"
    elif seal.first < start:
        yield f"the seal over {covered} was put in: rows up to {before.last} had one"
    elif seal.before != before.digest:
        yield f"the seal over {covered} does not follow from the one before it"
    if seal.last - seal.first >= SEAL_EVERY:
        yield f"the seal over {covered} stands where others did: none covers over {SEAL_EVERY} rows"
    own = [entry for entry in batch if entry.number >= seal.first]
    if not misplaced and (not own or _chained(own, seal.before) != seal.digest):
        yield f"{covered} are not what was sealed: one of them was changed, or their seal"


def _of_waiting(numbers: Sequence[int], before: Seal) -> Iterator[str]:
    newest = numbers[-1] if numbers else before.last
    yield from _misplaced(numbers, before.last + 1, newest)
    if len(numbers) >= SEAL_EVERY:
        yield f"{len(numbers)} rows after row {before.last} have no seal: it is missing"


def _misplaced(numbers: Iterable[int], start: int, stop: int) -> Iterator[str]:
    """What keeps these numbers from being all from `start` to `stop`, once each."""
    expected = start
    for number in numbers:
        if number < expected:
            yield f"row {number} was put in"
            continue
        if number > expected:
            yield _missing(expected, number - 1)
        expected = number + 1
    if expected <= stop:
        yield _missing(expected, stop)


def _missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"


def _of_anchor(anchor: Anchor, tenant: str, seals: Sequence[Seal], newest: int) -> Iterator[str]:
    known = {seal.last: seal.digest for seal in seals}
    if anchor.tenant != tenant:
        yield f"the anchor is of the tenant {anchor.tenant!r}, this log is of {tenant!r}"
    elif newest < anchor.last:
        yield f"the log ends with row {newest}, but the anchor was made at row {anchor.last}"
    elif anchor.last not in known:
        yield f"no seal ends with row {anchor.last}, where the anchor was made"
    elif known[anchor.last] != anchor.digest:
        yield (
            f"the seals up to row {anchor.last} are not those that the anchor was made of: "
            "rows were changed and sealed again"
        )
