"""What the command line prints: `--json` of every command, `--help`, and errors.

Not here: `doctor`, which reports on the machine; `demo`, which reads docgraph's own documents;
`serve` and `mcp`, which print no value; `audit anchor`, whose digest is over times. The engine's
own anchor is a golden value, with a clock that stands still.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer.main

from docgraph.interfaces.cli.app import app
from tests.golden.engine_values import CODE, NORTH, RETRY
from tests.golden.history import CORPUS, README_NOTES, read_files
from tests.golden.installation import use_fakes
from tests.golden.values import readable, short_digest
from tests.support.command_line import run_command

MAX_CHARACTERS = 12_000  # characters of a value that is stored in full
MOONS = {
    "corpus.jsonl": '{"_id": "io", "title": "Io", "text": "Volcanoes on one small moon."}\n'
    '{"_id": "tides", "title": "Tidal heating", "text": "Gravity kneads a moon."}\n',
    "edges.jsonl": '{"source": "tides", "target": "io", "type": "explains"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "Which moon has volcanoes?"}\n',
    "qrels.tsv": "q1\tio\t1\n",
}
FILES = {
    "mine.yaml": "pipeline: mine\nextends: documents\nchange: {search_nodes: {top: 1}}\n",
    "wrong.yaml": "pipeline: wrong\nsteps:\n- search_nodes: {}\n- fetch_evidnce: {}\n",
    "odd.yaml": "pipeline: odd\nextends: documents\nchange: {search_nodes: {tip: 1}}\n",
    "questions.yaml": f"- question: {RETRY}\n  must_include: [uploads.md]\n"
    "- question: How large may an upload be?\n  must_not_include: [limits.md]\n",
    "broken.json": '{"format": "docgraph.plan/2"}',
}
EDGE = ("notes:limits.md", "explains", "notes:uploads.md")
# In this order: each of them works on what those before it have made.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ingest", "parcel", "--quiet"),
    ("ingest", "notes"),
    ("ingest", "notes", "--without", "titles"),
    ("import", "moons", "--repository", "moons"),
    ("principals", "add", "fred", "--group", "staff", "--right", "auditor"),
    ("principals", "add", "sam", "--group", "finance", "--label", "secret", "--clearance", "2"),
    ("principals", "list"),
    ("relations", "add", *EDGE, "--note", "the limit holds for every attempt"),
    ("relations", "list", "--repository", "notes"),
    ("relations", "list", "--node", "notes:limits.md"),
    ("relations", "stats", "--repository", "notes"),
    ("relations", "stats"),
    ("status",),
    ("status", "--as", "fred"),
    ("snapshots",),
    ("diff-snapshots", "1", "2", "--repository", "notes"),
    ("search", RETRY, "--repository", "notes"),
    ("search", NORTH, "--as", "fred", "--pipeline", "flat"),
    ("plan", RETRY, "-r", "notes", "--save", "plan.json", "--receipt", "planned.json"),
    ("run", "plan.json"),
    ("context", RETRY, "--repository", "notes", "--receipt", "receipt.json"),
    ("context", RETRY, "--repository", "notes", "--max-tokens", "60"),
    ("context", "--seed", "notes:uploads.md"),
    ("context", CODE, "--pipeline", "code", "--repository", "parcel"),
    ("context", NORTH, "--as", "sam", "--max-tokens", "200"),
    ("ask", RETRY, "--repository", "notes", "--receipt", "answered.json"),
    ("explain", RETRY, "--repository", "notes"),
    ("why", "notes:0005-back-off.md", RETRY),
    ("why-not", "notes:limits.md", RETRY, "--max-tokens", "60"),
    ("diff", RETRY, "--as", "local", "--as", "fred"),
    ("diff", RETRY, "-r", "notes", "-p", "documents", "-p", "mine.yaml"),
    ("diff", "--receipt", "receipt.json", "--receipt", "planned.json"),
    ("replay", "receipt.json"),
    ("replay", "answered.json", "--as", "fred"),
    ("check", "mine.yaml"),
    ("check", "code"),
    ("access", "show", "--repository", "notes"),
    ("access", "set", "limits.md", "--repository", "notes", "--reader", "staff", "--level", "1"),
    ("access", "revoke", "uploads.md", "--repository", "notes"),
    ("access", "explain", "limits.md", "--repository", "notes"),
    ("replay", "receipt.json"),
    ("access", "reset", "limits.md", "uploads.md", "--repository", "notes"),
    ("access", "default-branch", "main", "--repository", "notes"),
    ("access", "explain", "finance/budget.md"),
    ("relations", "rm", *EDGE),
    ("keys", "add", "fred", "--note", "a report", "--expires", "2099-01-31"),
    ("keys", "list"),
    ("test", "questions.yaml"),
    ("eval", "moons"),
    ("audit", "list", "--last", "12"),
    ("audit", "list", "--as", "fred", "--who", "fred"),
    ("audit", "verify"),
    ("prune", "--repository", "notes"),
    ("verify",),
    ("migrate",),
    ("principals", "rm", "fred"),
    ("keys", "list"),
    ("context", "--seed", "notes:absent.md", "--pipeline", "code"),
)
ERRORS: tuple[tuple[str, ...], ...] = (
    ("ingest", "absent"),
    ("ingest", "notes", "--repository", " "),
    ("ingest", "notes", "--without", "titels"),
    ("ingest", "notes", "--ref", "main"),
    ("import", "notes", "--repository", "moons"),
    ("context", RETRY, "--repository", "nots"),
    ("context", RETRY, "--repository", "notes", "--branch", "wrok"),
    ("context", RETRY, "--repository", "notes", "--branch", "main", "--snapshot", "999"),
    ("context", RETRY, "--snapshot", "1"),
    ("context", ""),
    ("context", RETRY, "--max-tokens", "0"),
    ("context", RETRY, "--pipeline", "documnts"),
    ("context", RETRY, "--pipeline", "wrong.yaml"),
    ("context", RETRY, "--pipeline", "absent.yaml"),
    ("check", "odd.yaml"),
    ("ask", RETRY, "--pipeline", "flat"),
    ("context", RETRY, "--as", "smam"),
    ("context", RETRY, "--store", "absent.db"),
    ("context", RETRY, "--store", "mine.yaml"),
    ("context", RETRY, "--receipt", "absent/receipt.json"),
    ("run", "broken.json"),
    ("run", "absent.json"),
    ("replay", "plan.json"),
    ("replay", "mine.yaml"),
    ("why", "notes:absent.md", RETRY),
    ("why", "uploads.md", RETRY),
    ("diff", RETRY, "--receipt", "receipt.json"),
    ("diff", RETRY, "--as", "local", "--as", "local", "--as", "local"),
    ("diff-snapshots", "1", "work", "--repository", "notes"),
    ("relations", "add", "notes:limits.md", "explian", "notes:uploads.md"),
    ("relations", "add", "notes:limits.md", "explains", "notes:absent.md"),
    ("relations", "rm", "notes:uploads.md", "references", "notes:0002-retry.md"),
    ("relations", "list", "--type", "refernces"),
    ("access", "explain", "absent.md"),
    ("access", "set", "absent.md", "--repository", "notes", "--reader", "staff"),
    ("access", "revoke", "limits.md", "--repository", "notes", "--reader", "staf"),
    ("access", "default-branch", "work", "--repository", "notes"),
    ("principals", "add", "local"),
    ("principals", "add", "ann", "--right", "audit"),
    ("principals", "rm", "ann"),
    ("keys", "add", "ann"),
    ("keys", "add", "sam", "--expires", "soon"),
    ("keys", "rm", "absent"),
    ("audit", "list", "--as", "sam"),
    ("audit", "verify", "--anchor", "broken.json"),
    ("prune", "--repository", "absent"),
    ("test", "mine.yaml"),
    ("eval", "notes"),
)


class CommandLine:
    """Runs commands in this process, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = {str(folder.resolve()): "<folder>", str(folder): "<folder>"}
        files = {name: text.encode() for name, text in FILES.items()}
        files |= {f"moons/{name}": text.encode() for name, text in MOONS.items()}
        files |= {f"notes/{name}": data for name, data in read_files(README_NOTES).items()}
        files |= {f"parcel/{name}": data for name, data in read_files(CORPUS).items()}
        for name, data in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def values(self, commands: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
        values = {}
        for number, words in enumerate(commands, start=1):
            code, output, errors = self.run(*words, "--json")
            value = {"stdout": self._value(output)} if output else {"stderr": errors}
            values[f"{number:02} {' '.join(words)}"] = {"exit": code, **value}
        return values

    def run(self, *words: str) -> tuple[int, str, str]:
        """The exit code, standard output and standard error."""
        return run_command(self._folder, *words)

    def _value(self, output: str) -> Any:
        """In full if it is short; a key's id is made by chance."""
        try:
            value = json.loads(output)
        except ValueError:
            return readable(output, self._names)
        for key in re.findall(r"dg_([A-Za-z0-9]{12})_", output):
            self._names[key] = "<key>"
        value = readable(value, self._names)
        return (
            value if len(json.dumps(value)) <= MAX_CHARACTERS else {"digest": short_digest(value)}
        )


def commands_and_errors(folder: Path) -> Mapping[str, Any]:
    with use_fakes():
        line = CommandLine(folder)
        return {"cli": line.values(COMMANDS), "cli_errors": line.values(ERRORS)}


def help_text(folder: Path) -> str:
    line = CommandLine(folder)
    paths = _paths(typer.main.get_command(app))
    return "\n".join(f"$ docgraph {' '.join(p)} --help\n{line.run(*p, '--help')[1]}" for p in paths)


def _paths(command: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    return [path, *(one for name in inner for one in _paths(inner[name], (*path, name)))]
