"""The frozen corpora, and the history over them that every golden value rests on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from docgraph.ingest.result import IngestResult
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.model.access import LOCAL, LOCAL_ONLY, AccessRule, Person, Principal
from docgraph.model.audit import Anchor, AuditEntry
from docgraph.model.digest import digest_bytes
from docgraph.model.edge import Edge, EdgeEvidence
from docgraph.model.snapshot import SnapshotSelector
from tests.golden.installation import Installation
from tests.support.memory_source import MemorySource

CORPUS = Path(__file__).parent / "corpus"
README_NOTES = Path(__file__).parent / "notes"  # the four of the README's session
Files = Mapping[str, bytes]

STAFF = Person("fred", LOCAL, frozenset({"staff"}))
CLEARED = Person(
    "sam", LOCAL, frozenset({"security", "finance", "board"}), frozenset({"secret"}), 2
)
NOBODY = Person("nemo", "elsewhere")
READERS: Mapping[str, Principal] = {
    "local": local(),
    "one group": impersonated(STAFF, local()),
    "labels and clearance": impersonated(CLEARED, local()),
    "nobody": impersonated(NOBODY, local()),
}
PARCEL, NOTES = SnapshotSelector("parcel"), SnapshotSelector("notes")

MANUAL = Edge("parcel:docs/depots.rst", "explains", "parcel:docs/routes.rst")
NOTE = EdgeEvidence("docs/depots.rst", 0, 0, 0, 0, "depots are where routes begin")


def read_files(folder: Path) -> Files:
    """By path, in the same order on every machine."""
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    return dict(sorted(files.items()))


def frozen_digests() -> dict[str, str]:
    return {
        f"{folder.name}/{path}": digest_bytes(data)
        for folder in (CORPUS, README_NOTES)
        for path, data in read_files(folder).items()
    }


def second_version(files: Files) -> Files:
    """A renamed file, a changed one, a new one, one that is gone."""
    changed = dict(files)
    changed["docs/terms.md"] = changed.pop("docs/glossary.md")
    del changed["decisions/0007-drop-fax.md"]
    changed["docs/uploads.md"] += b"\n## Resuming\n\nAn upload goes on where it ended.\n"
    changed["docs/resume.md"] = b"# Resuming\n\nExplains: uploads.md\n\nParts are sent once.\n"
    return changed


def third_version(files: Files) -> Files:
    """Another rule in front matter, another access.yaml line, and a symbol that has moved."""
    changed = dict(files)
    changed["internal/onboarding.md"] = changed["internal/onboarding.md"].replace(
        b"access: [staff]", b"access: [staff, local]"
    )
    changed["access.yaml"] += b"- path: lab/*.ipynb\n  readers: [staff, local]\n"
    changed["services/queue/backoff.py"] += b"\n\ndef longest_pause():\n    return LONGEST\n"
    return changed


def branch_version(files: Files) -> Files:
    changed = dict(files)
    changed["docs/limits.md"] = b"# Upload limits\n\nOn this branch an upload may hold 9 GB.\n"
    changed["docs/branch.md"] = b"# Branch only\n\nSee [limits](limits.md) and ADR-5.\n"
    return changed


@dataclass(frozen=True, slots=True)
class History:
    """What was done, in order, and the audit log of it before any question."""

    results: tuple[IngestResult, ...]
    audit: tuple[AuditEntry, ...]
    anchor: Anchor | None


def run_history(installation: Installation) -> History:
    """Three ingests of one branch, another branch, a manual relation, manual rules, the notes."""
    results, administration = tuple(_steps(installation)), installation.administration
    entries = administration.audit_entries(local())
    return History(results, entries, administration.audit_anchor(local()))


def _steps(installation: Installation) -> Iterator[IngestResult]:
    engine, administration = installation.engine, installation.administration
    who, first = local(), read_files(CORPUS)
    second = second_version(first)
    third = third_version(second)
    yield ingest(installation, first, "parcel")
    engine.content.add_relation(who, MANUAL, (NOTE,))
    yield ingest(installation, second, "parcel")
    yield ingest(installation, branch_version(second), "parcel", branch="work")
    yield ingest(installation, third, "parcel")
    yield ingest(installation, third, "parcel")
    yield ingest(installation, read_files(README_NOTES), "notes")
    for person in (STAFF, CLEARED):
        administration.add_person(who, person)
    rule = AccessRule(LOCAL, frozenset({LOCAL, "staff", "finance"}))
    administration.set_access(who, "parcel", ("docs/limits.md",), rule)
    administration.revoke(who, "parcel", ("docs/limits.md",), frozenset({"finance"}))
    administration.revoke(who, "parcel", ("docs/legal.xhtml",))


def ingest(
    installation: Installation, files: Files, repository: str, *, branch: str = "main"
) -> IngestResult:
    return installation.engine.content.ingest(
        local(),
        MemorySource(files),
        repository=repository,
        branch=branch,
        otherwise=LOCAL_ONLY,
    )
