"""A small store whose files are damaged: what commands say of it, and what `verify` finds."""

import functools
import gc
import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pytest
import typer.main

from tests.golden.installation import use_fakes
from tests.support.command_line import run_command
from tests.support.sqlite_pages import HEADER, SqlitePages

Words = tuple[str, ...]
STORE, AUDIT, SERVER = "docgraph.db", "docgraph.db.audit", "docgraph.db.server"
PAGE = 1024  # bytes, so that a small store has pages of every kind
QUESTION = "How does the worker take uploads from the queue?"
FILES = {
    "queue.md": "# Queue\n\nUploads wait here; see the [worker](worker.md). RET-0002 retries.\n\n"
    "## Pause\n\nThe pause is 30 seconds for Ada Lovelace.\n\n### Deep\n\nText of the Worker.\n",
    "worker.md": "# Worker\n\nThe worker takes uploads from the Queue. Ada Lovelace wrote it. "
    "See [queue](queue.md#pause).\n",
    "secret.md": "# Secret\n\nThe worker of the secret queue. See [queue](queue.md).\n",
    "old.md": "# Old\n\nGone soon.\n",
    "code/app.py": "from code.lib import chill\n\n\nclass Store:\n"
    '    """Keeps things."""\n\n    def put(self):\n        return chill()\n',
    "code/lib.py": 'LIMIT = 4\n\n\ndef chill():\n    """Cool it."""\n    return LIMIT\n',
    "access.yaml": '- path: "**"\n  readers: [staff, local]\n'
    "- path: secret.md\n  readers: [board]\n  level: 1\n",
    "relations.yaml": "- from: worker.md\n  relation: explains\n  to: [queue.md, code/lib.py]\n",
}
EDGE = ("notes:queue.md", "explains", "notes:worker.md")
BUILD: tuple[Words, ...] = (
    ("ingest", "notes", "--branch", "topic", "--reader", "staff"),
    ("principals", "add", "fred", "--group", "staff", "--right", "auditor"),
    ("principals", "add", "ann", "--group", "board", "--group", "staff", "--clearance", "2"),
    ("keys", "add", "fred", "--note", "a report", "--expires", "2099-01-31"),
    (
        "access",
        "set",
        "worker.md",
        "--repository",
        "notes",
        "--reader",
        "staff",
        "--reader",
        "local",
    ),
    ("relations", "add", *EDGE, "--note", "limits"),
)
# What they print depends on nothing but the store.
ANSWERS: tuple[Words, ...] = (
    ("status", "--as", "fred"),
    ("snapshots",),
    ("search", QUESTION, "--pipeline", "flat", "--as", "fred"),
    ("context", QUESTION),
    ("context", "Where is chill used?", "--pipeline", "code", "--as", "ann"),
    ("context", QUESTION, "--repository", "notes", "--branch", "main", "--snapshot", "1"),
    ("plan", QUESTION, "--repository", "notes", "--branch", "topic"),
    ("relations", "list"),
    ("relations", "list", "--node", "notes:queue.md#pause"),
    ("relations", "stats"),
    ("access", "show"),
)
KEYS: tuple[Words, ...] = (("keys", "list"), ("principals", "list"))
TRAIL: tuple[Words, ...] = (("audit", "list", "--last", "40"),)
VERIFICATION: tuple[Words, ...] = (("verify",), ("audit", "verify"))
CHANGES: tuple[Words, ...] = (
    ("explain", QUESTION),
    ("ingest", "notes", "--quiet"),
    ("relations", "rm", *EDGE),
    ("access", "reset", "worker.md", "--repository", "notes"),
    ("prune", "--repository", "notes"),
)


@dataclass(frozen=True, slots=True)
class Damage:
    """`name` says what was done, so that a failure can be repeated."""

    name: str
    file: str
    data: bytes


@dataclass
class Findings:
    """What went wrong: commands that ended in a traceback, and changes that nobody noticed."""

    tracebacks: list[str] = field(default_factory=list)
    unnoticed: list[str] = field(default_factory=list)
    found: int = 0

    @property
    def wrong(self) -> list[str]:
        return [*self.tracebacks, *self.unnoticed]


class DamagedFiles:
    """`folder` holds the sources and the store, whose `files` are restored before each damage."""

    def __init__(self, folder: Path, answers: tuple[Words, ...] = ANSWERS) -> None:
        self.folder = folder
        self._answers = answers
        self._build()
        self.files = {name: self.path(name).read_bytes() for name in self._names()}
        self._intact = {words: self.run(*words) for words in answers}
        assert all(code == 0 for code, _ in self._intact.values()), self._intact
        self.restore()
        again = {words: self.run(*words) for words in answers}
        assert again == self._intact, "answers depend on nothing else"
        assert all(self.run(*words)[0] == 0 for words in VERIFICATION), "what is intact is sound"

    def _build(self) -> None:
        for name, text in FILES.items():
            file = self.folder / "notes" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self._build_with("ingest", "notes")
        queue = self.folder / "notes" / "queue.md"
        queue.write_text(FILES["queue.md"].replace("30", "60"), encoding="utf-8")
        for words in BUILD:
            self._build_with(*words)
        (self.folder / "notes" / "old.md").unlink()
        self._build_with("ingest", "notes")
        worker = self.folder / "notes" / "worker.md"
        worker.write_text("# Worker\n\nA later text. See [queue](queue.md).\n", encoding="utf-8")
        for name in (STORE, AUDIT, SERVER):
            with closing(sqlite3.connect(self.path(name), isolation_level=None)) as connection:
                for statement in (
                    "PRAGMA journal_mode = DELETE",
                    f"PRAGMA page_size = {PAGE}",
                    "VACUUM",
                    "CREATE TABLE other (x)",
                    f"INSERT INTO other VALUES (zeroblob({5 * PAGE}))",
                    "DROP TABLE other",  # leaves free pages
                    "PRAGMA journal_mode = WAL",
                ):
                    connection.execute(statement)

    def _build_with(self, *words: str) -> None:
        code, output, errors = run_command(self.folder, *words, "--json")
        assert code == 0, (words, output, errors)

    def path(self, file: str) -> Path:
        return self.folder / ".docgraph" / file

    def _names(self) -> list[str]:
        """Of the files beside the store, those in folders too."""
        home = self.path("")
        return [str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]

    def restore(self) -> None:
        for name in self._names():
            if name not in self.files:
                self.path(name).unlink()
        for name, data in self.files.items():
            self.path(name).write_bytes(data)

    def run(self, *words: str) -> tuple[int, str]:
        code, output, errors = run_command(self.folder, *words, "--json")
        assert "Traceback" not in errors
        return code, output

    def look(self, damages: Iterable[Damage], *, changes: bool = True) -> Findings:
        """Runs every command on each damaged copy, those that read before those that change."""
        findings = Findings()
        for damage in damages:
            self.restore()
            self.path(damage.file).write_bytes(damage.data)
            outcomes: dict[Words, tuple[int, str] | None] = {}
            for words in chain(self._answers, VERIFICATION, CHANGES if changes else ()):
                try:
                    outcomes[words] = self.run(*words)
                except Exception as error:  # noqa: BLE001 - any is what is looked for
                    outcomes[words] = None
                    findings.tracebacks.append(f"{damage.name}: {' '.join(words)}: {error!r}")
            differing = [words for words in self._answers if outcomes[words] != self._intact[words]]
            verified = [outcomes[words] for words in VERIFICATION]
            sound = all(outcome is not None and outcome[0] == 0 for outcome in verified)
            findings.found += not sound
            if sound and differing:
                findings.unnoticed.append(f"{damage.name}: {' '.join(differing[0])}")
            gc.collect()  # connections of engines that failed
        return findings

    def flips(self, file: str, chance: random.Random, *, more: int) -> Iterator[Damage]:
        """In each kind of page of each table and index, and `more` of them anywhere."""
        self.restore()
        data = self.files[file]
        pages = SqlitePages(self.path(file))
        places = [chance.randrange(HEADER), *chance.sample(range(16, 96), 3)]
        seen: dict[tuple[str, str], list[int]] = {}
        for page in pages.pages():
            used = (
                [*range(page.begin, page.end)]
                if page.kind in {"free", "overflow"}
                else pages.used_bytes(page)
            )
            seen.setdefault((page.owner, page.kind), []).extend(used)
        for used in seen.values():
            places += [chance.choice(used[:16]), chance.choice(used)]
        every = sorted({place for used in seen.values() for place in used})
        places += [chance.choice(every) for _ in range(more)]
        for place in places:
            mask = 1 << chance.randrange(8) if chance.random() < 0.6 else chance.randrange(1, 256)
            yield flip(file, data, place, mask)


def flip(file: str, data: bytes, place: int, mask: int) -> Damage:
    changed = bytearray(data)
    changed[place] ^= mask
    return Damage(f"{file}: byte {place} ^ {mask}", file, bytes(changed))


@contextmanager
def quick_commands() -> Iterator[None]:
    """The command line is made once, models are stand-ins, files are parsed in this process."""
    with ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        stack.enter_context(use_fakes())
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        patch.setattr("docgraph.wiring.build.open_parser_pool", lambda _: nullcontext())
        yield


def changed_pages(files: Mapping[str, bytes], chance: random.Random) -> Iterator[Damage]:
    """Whole pages of the store that are lost, empty or in each other's place."""
    data = files[STORE]
    many = len(data) // PAGE
    for keep in (0, 1, PAGE // 2, PAGE, (many // 2) * PAGE, len(data) - PAGE, len(data) - 1):
        yield Damage(f"cut off after {keep} bytes", STORE, data[:keep])
    for page in sorted(chance.sample(range(1, many), 8)):
        begin, end = page * PAGE, (page + 1) * PAGE
        yield Damage(f"page {page} is empty", STORE, data[:begin] + bytes(PAGE) + data[end:])
    for _ in range(8):
        one, two = sorted(chance.sample(range(1, many), 2))
        pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
        pages[one], pages[two] = pages[two], pages[one]
        yield Damage(f"pages {one} and {two} changed places", STORE, b"".join(pages))
    for size in (31, 32, 4_000):
        garbage = chance.randbytes(size)
        yield Damage(f"a log of {size} bytes that is none", f"{STORE}-wal", garbage)
        yield Damage(f"a shared file of {size} bytes that is none", f"{STORE}-shm", garbage)
