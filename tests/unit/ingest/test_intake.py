"""The intake reads every file and builds what is new or changed."""

from docgraph.ingest.intake import Intake
from docgraph.ingest.survey import survey
from docgraph.model.access import LOCAL_ONLY
from docgraph.ports.source import Problem
from docgraph.ports.writes import HeldDocument
from tests.unit.ingest.fakes import MemorySource


def intake(files: dict[str, str | bytes | Problem], held: dict[str, str]) -> Intake:
    source = MemorySource(files)
    known = {path: HeldDocument(path, mark) for path, mark in held.items()}
    return Intake(source, survey(source), known, "r", lambda _: LOCAL_ONLY, 800)


def marks(files: dict[str, str | bytes | Problem]) -> dict[str, str]:
    built = [one for one in intake(files, {}).built() if one is not None]
    return {one.document.path: one.document.fingerprint for one in built}


def test_new_changed_and_unchanged_files_are_told_apart() -> None:
    held = marks({"same.md": "a", "other.md": "b"})
    found = intake({"same.md": "a", "other.md": "c", "new.md": "d"}, held)
    built = [one.document.path if one else None for one in found.built()]
    assert built == ["new.md", "other.md", None]
    assert (found.added, found.changed, found.unchanged) == (1, 1, ["same.md"])


def test_every_readable_file_is_sketched_also_when_unchanged() -> None:
    files: dict[str, str | bytes | Problem] = {"a.md": "# A\n\n[b](b.md)", "b.md": "# B"}
    fresh, again = intake(files, {}), intake(files, marks(files))
    assert all(list(fresh.built()))
    assert not any(list(again.built()))
    assert fresh.sketches == again.sketches


def test_a_bad_file_is_named_and_the_rest_goes_on() -> None:
    denied = Problem("c.md", "cannot be read: Permission denied")
    found = intake({"a.md": b"\xff", "b.md": b"a\0", "c.md": denied, "d.md": "fine"}, {})
    assert [one is not None for one in found.built()] == [False, False, False, True]
    assert found.problems == [
        Problem("a.md", "not UTF-8: 0xff at byte 0"),
        Problem("b.md", "binary: a NUL at byte 1"),
        denied,
    ]


def test_a_remark_does_not_keep_a_file_out() -> None:
    found = intake({"a.md": "---\na: [\n---\n"}, {})
    assert any(found.built())
    assert [remark.path for remark in found.remarks] == ["a.md"]
