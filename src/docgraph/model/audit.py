"""The audit log: its rows, the seals that chain them, anchors, and how a log is verified."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from docgraph.model.digest import digest, plain
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotName

SUCCEEDED = "succeeded"
DENIED = "denied"
FAILED = "failed"
STARTED = "started"
ANCHOR_FORMAT = "docgraph.audit-anchor/1"
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class AuditEvent:
    """One request or one denial. `authenticated_by` is the principal's credential, or who
    impersonates them; `outcome` is SUCCEEDED, DENIED, FAILED or, before a change, STARTED; `plan`
    is a plan's digest, or "".

    `detail` names what was requested, never whether it exists: forbidden and absent look the same.
    """

    tenant: str
    principal: str
    authenticated_by: str
    action: str
    outcome: str
    plan: str
    snapshots: tuple[SnapshotName, ...]
    detail: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Numbers count from 1 within a tenant, without gaps."""

    number: int
    time: str
    event: AuditEvent


@dataclass(frozen=True, slots=True)
class Anchor:
    """The last sealed row and the chain's digest there, kept outside the store.

    Changes up to that row are detected, even if all seals were made anew.
    """

    tenant: str
    last: int
    digest: str

    def to_json(self) -> str:
        value = {"format": ANCHOR_FORMAT, **plain(self)}
        return json.dumps(value, indent=2, sort_keys=True) + "\n"


def anchor_from_json(text: str | bytes) -> Anchor:
    """Strict: unknown or missing fields and other formats are refused."""
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
    """How many rows there are, up to which they are sealed, and the problems found."""

    rows: int
    sealed: int
    problems: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        return not self.problems


# Seals: each covers a batch of rows and the seal before it, so that the log is a hash chain.


FORMAT = "docgraph.audit/2"
ROWS_PER_SEAL = 100  # part of the format: no batch is larger

# Reads rows with numbers above the first argument and up to the second, in order.
ReadAuditRows = Callable[[float, float], Iterable[AuditEntry]]


@dataclass(frozen=True, slots=True)
class Seal:
    """Over the rows `first` to `last`; `previous_digest` is that of the seal before it."""

    first: int
    last: int
    previous_digest: str
    digest: str


NO_SEAL = Seal(first=0, last=0, previous_digest="", digest="")  # comes before the first seal


def make_seal(entries: Sequence[AuditEntry], before: Seal) -> Seal:
    """Over `entries`, which follow the rows of the seal `before`."""
    return Seal(
        first=before.last + 1,
        last=entries[-1].number,
        previous_digest=before.digest,
        digest=_chain_digest(entries, before.digest),
    )


def _chain_digest(entries: Sequence[AuditEntry], previous_digest: str) -> str:
    return digest({"format": FORMAT, "previous_digest": previous_digest, "entries": entries})


def verify_chain(
    tenant: str, seals: Sequence[Seal], rows: ReadAuditRows, anchor: Anchor | None = None
) -> AuditVerdict:
    """Recomputes every seal from the rows it covers. `seals` are in the order of their rows."""
    problems: list[str] = []
    count = newest = 0
    before, last_row = NO_SEAL, -math.inf
    for seal in seals:
        batch = tuple(rows(last_row, seal.last))
        problems.extend(_check_batch(seal, before, batch))
        count += len(batch)
        newest = batch[-1].number if batch else newest
        before, last_row = seal, seal.last
    unsealed = [entry.number for entry in rows(last_row, math.inf)]
    problems.extend(_check_unsealed(unsealed, before))
    if anchor is not None:
        newest = unsealed[-1] if unsealed else newest
        problems.extend(_check_anchor(anchor, tenant, seals, newest))
    return AuditVerdict(count + len(unsealed), before.last, tuple(problems))


def _check_batch(seal: Seal, before: Seal, batch: Sequence[AuditEntry]) -> Iterator[str]:
    covered = f"rows {seal.first} to {seal.last}"
    start = before.last + 1
    gaps = list(_check_numbers([entry.number for entry in batch], start, seal.last))
    yield from gaps
    if seal.first > start:
        yield f"the seal over rows {start} to {seal.first - 1} is missing"
    elif seal.first < start:
        yield f"the seal over {covered} was put in: rows up to {before.last} had one"
    elif seal.previous_digest != before.digest:
        yield f"the seal over {covered} does not follow from the one before it"
    if seal.last - seal.first >= ROWS_PER_SEAL:
        limit = f"none covers over {ROWS_PER_SEAL} rows"
        yield f"the seal over {covered} stands where others did: {limit}"
    own = [entry for entry in batch if entry.number >= seal.first]
    if not gaps and (not own or _chain_digest(own, seal.previous_digest) != seal.digest):
        yield f"{covered} are not what was sealed: one of them was changed, or their seal"


def _check_unsealed(numbers: Sequence[int], before: Seal) -> Iterator[str]:
    newest = numbers[-1] if numbers else before.last
    yield from _check_numbers(numbers, before.last + 1, newest)
    if len(numbers) >= ROWS_PER_SEAL:
        yield f"{len(numbers)} rows after row {before.last} have no seal: it is missing"


def _check_numbers(numbers: Iterable[int], start: int, stop: int) -> Iterator[str]:
    """Problems unless these are all numbers from `start` to `stop`, once each."""
    expected = start
    for number in numbers:
        if number < expected:
            yield f"row {number} was put in"
            continue
        if number > expected:
            yield _describe_missing(expected, number - 1)
        expected = number + 1
    if expected <= stop:
        yield _describe_missing(expected, stop)


def _describe_missing(first: int, last: int) -> str:
    return f"row {first} is missing" if first == last else f"rows {first} to {last} are missing"


def _check_anchor(anchor: Anchor, tenant: str, seals: Sequence[Seal], newest: int) -> Iterator[str]:
    digests = {seal.last: seal.digest for seal in seals}
    if anchor.tenant != tenant:
        yield f"the anchor is of the tenant {anchor.tenant!r}, this log is of {tenant!r}"
    elif newest < anchor.last:
        yield f"the log ends with row {newest}, but the anchor was made at row {anchor.last}"
    elif anchor.last not in digests:
        yield f"no seal ends with row {anchor.last}, where the anchor was made"
    elif digests[anchor.last] != anchor.digest:
        yield (
            f"the seals up to row {anchor.last} are not those that the anchor was made of: "
            "rows were changed and sealed again"
        )
