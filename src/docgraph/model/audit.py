"""A row of the audit log, the anchor that someone keeps elsewhere, and the verdict on a log."""

import json
import re
from dataclasses import dataclass

from docgraph.model.digest import plain
from docgraph.model.errors import BadInput
from docgraph.model.scope import SnapshotName

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
