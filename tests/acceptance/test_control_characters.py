"""No text from outside controls a terminal: in every command, field, error, log and traceback."""

import json
import logging
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main

from docgraph.interfaces.cli.app import app
from docgraph.interfaces.terminal import (
    EscapedStream,
    LineFormatter,
    escape_controls,
    escape_json,
    escape_line,
)
from docgraph.wiring.models import open_chat_models
from tests.golden.cli_values import CommandLine
from tests.golden.installation import use_fakes
from tests.support.scripted_server import serve_script

# Each kind once: a title of the window, C1, DEL, marks and overrides of direction, separators, a
# tag, a lone surrogate, carriage return and backspace.
HOSTILE = (
    "\x1b]0;owned\x07 \x9b31m \x7f \u202e \u2066 \u200f \u061c \u2028 \u2029 \U000e0041 \r \b \x85"
)
UNPAIRED = f"{HOSTILE} \udc80"
RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
TEXT = (
    f"# Uploads {HOSTILE}\n\nUploads\tare retried {HOSTILE} by `Retry{HOSTILE}`.\n\n"
    f"## Inner {HOSTILE}\n\nMore.\n"
)
QUOTED = json.dumps(HOSTILE)
FILES = {
    "files/uploads.md": TEXT,
    "files/limits.md": f"# Limits\n\nSee [uploads](uploads.md) and [lost](lost{HOSTILE}.md).\n",
    "files/odd \u202e\u200f.md": "# Odd\n\nA name that reads backwards.\n",
    "files/broken.md": f"---\naccess: {{readers: [{HOSTILE!r}]}}\n---\n# Broken\n",
    "corpus/corpus.jsonl": json.dumps({"_id": f"io{HOSTILE}", "title": HOSTILE, "text": TEXT})
    + "\n"
    + json.dumps({"_id": "tides", "title": "Tides", "text": f"Gravity {HOSTILE}"})
    + "\n",
    "corpus/edges.jsonl": json.dumps(
        {"source": "tides", "target": f"io{HOSTILE}", "type": "explains"}
    )
    + "\n",
    "corpus/queries.jsonl": json.dumps({"_id": "q1", "text": f"Gravity {HOSTILE}"}) + "\n",
    "corpus/qrels.tsv": "q1\ttides\t1\n",
    "mine.yaml": "pipeline: mine\nextends: documents\nchange: {search_nodes: {top: 1}}\n",
    "hostile.yaml": f"pipeline: {json.dumps('p' + HOSTILE)}\nextends: documents\n",
    "wrong.yaml": f"pipeline: wrong\nsteps:\n- {json.dumps(HOSTILE)}: {{}}\n",
    "odd.yaml": f"pipeline: odd\nextends: documents\nchange: {{search_nodes: {{{QUOTED}: 1}}}}\n",
    "questions.yaml": f"- question: {QUOTED}\n  must_include: [{QUOTED}]\n",
    "broken.json": json.dumps({"format": f"docgraph.plan/{HOSTILE}"}),
    "anchor.json": json.dumps({HOSTILE: HOSTILE}),
}
QUESTION = f"How are uploads retried? {HOSTILE}"
EDGE = ("files:limits.md", "explains", "files:uploads.md")
# In this order: later ones work on what earlier ones have made.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ingest", "files"),
    ("embed",),
    ("import", "corpus", "--repository", "corpus"),
    ("relations", "add", *EDGE, "--note", HOSTILE),
    ("relations", "list"),
    ("relations", "list", "--node", f"corpus:io{HOSTILE}"),
    ("relations", "stats"),
    ("status",),
    ("snapshots",),
    ("diff-snapshots", "1", "2", "--repository", "files"),
    ("search", QUESTION),
    ("search", f"Gravity {HOSTILE}", "--pipeline", "hostile.yaml"),
    ("plan", QUESTION, "--save", "plan.json", "--receipt", "planned.json"),
    ("plan", "--seed", f"corpus:io{HOSTILE}"),
    ("run", "plan.json"),
    ("context", QUESTION, "--receipt", "receipt.json"),
    ("context", "--seed", f"corpus:io{HOSTILE}"),
    ("ask", QUESTION),
    ("explain", QUESTION),
    ("why", f"corpus:io{HOSTILE}", f"Gravity {HOSTILE}"),
    ("why-not", "files:limits.md", QUESTION, "--max-tokens", "60"),
    ("diff", QUESTION, "-p", "documents", "-p", "hostile.yaml"),
    ("diff", "--receipt", "receipt.json", "--receipt", "planned.json"),
    ("replay", "receipt.json"),
    ("check", "hostile.yaml"),
    ("access", "show"),
    ("access", "explain", "odd \u202e\u200f.md"),
    ("access", "set", "odd \u202e\u200f.md", "--repository", "files", "--reader", "staff"),
    ("access", "revoke", "odd \u202e\u200f.md", "--repository", "files"),
    ("access", "reset", "odd \u202e\u200f.md", "--repository", "files"),
    ("access", "default-branch", "main", "--repository", "files"),
    ("access", "set-source", f"moved {HOSTILE}", "--repository", "files"),
    ("access", "sources"),
    ("principals", "add", "fred", "--group", "staff"),
    ("principals", "list"),
    ("keys", "add", "fred", "--note", "a report"),
    ("keys", "list"),
    ("test", "questions.yaml"),
    ("eval", "corpus"),
    ("check", "wrong.yaml"),
    ("check", "odd.yaml"),
    ("run", "broken.json"),
    ("replay", "broken.json"),
    ("audit", "verify", "--anchor", "anchor.json"),
    ("audit", "list", "--last", "500"),
    ("audit", "verify"),
    ("audit", "anchor"),
    ("relations", "rm", *EDGE),
    ("prune", "--repository", "files"),
    ("verify",),
    ("reindex",),
    ("migrate",),
    ("doctor",),
    ("demo", QUESTION),
    ("principals", "rm", "fred"),
    ("keys", "rm", HOSTILE),
)
NEEDED = {  # of commands that need more than the value that is tried
    "QUESTION": "Uploads?",
    "DIR": "corpus",
    "repository": "files",
}


class HostileLine(CommandLine):
    """Commands in a folder of hostile files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileLine]:
    with use_fakes():
        made = HostileLine(tmp_path_factory.mktemp("hostile"))
        made.run("ingest", "files", "--quiet")
        made.run("import", "corpus", "--repository", "corpus", "--quiet")
        yield made


def leaf_commands(
    command: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
    else:
        for name in sorted(inner):
            yield from leaf_commands(inner[name], (*path, name))


LEAVES = dict(leaf_commands(typer.main.get_command(app)))
ENDLESS = {("serve",), ("watch",), ("mcp",)}


def check(output: str, errors: str) -> None:
    for written in (output, errors):
        found = RAW.search(written)
        assert found is None, ascii(written[max(0, found.start() - 60) : found.end() + 20])


def test_every_command_is_tried() -> None:
    tried = {path for path in LEAVES if any(words[: len(path)] == path for words in COMMANDS)}
    assert tried == set(LEAVES) - ENDLESS


def test_no_command_prints_control_characters(tmp_path: Path) -> None:
    with use_fakes():
        line = HostileLine(tmp_path)
        shown = ""
        for words in COMMANDS:
            code, output, errors = line.run(*words)
            assert code in (0, 1), (words, output, errors)
            check(output, errors)
            shown += output
    assert "\\x1b]0;owned\\x07" in shown  # it was there to be printed
    assert "\\u202e" in shown


def test_json_escapes_control_characters_and_has_the_same_values(tmp_path: Path) -> None:
    with use_fakes():
        line = HostileLine(tmp_path)
        values = {}
        for words in COMMANDS:
            _, output, errors = line.run(*words, "--json")
            check(output, errors)
            values[words] = json.loads(output)
    context = values["context", QUESTION, "--receipt", "receipt.json"]["context"]
    assert "\x1b]0;owned\x07 \x9b31m \x7f \u202e" in context["text"]


@pytest.mark.parametrize("path", sorted(LEAVES), ids=" ".join)
def test_an_error_on_any_option_prints_no_control_characters(
    line: HostileLine, path: tuple[str, ...]
) -> None:
    """Every option and argument of every command, with what no command expects."""
    for one in LEAVES[path].params:
        words = [*path]
        for other in LEAVES[path].params:
            value = UNPAIRED if other is one else _needed(other)
            if value is not None and not getattr(other, "is_flag", False):
                words += [value] if isinstance(other, click.Argument) else [other.opts[0], value]
        if path in ENDLESS:
            words += ["--store", f"nowhere://{HOSTILE}"]  # so that no server starts
        _, output, errors = line.run(*words)
        check(output, errors)
    _, output, errors = line.run(*path, f"--{HOSTILE}", HOSTILE)
    check(output, errors)


def _needed(parameter: Any) -> str | None:
    if not parameter.required:
        return None
    return NEEDED.get(parameter.name, "files:uploads.md")


def test_a_settings_file_cannot_control_a_terminal(line: HostileLine, tmp_path: Path) -> None:
    with use_fakes():
        own = HostileLine(tmp_path)
        for text in (f"{json.dumps(HOSTILE)}: 1\n", f"store: {json.dumps(HOSTILE)}\n", HOSTILE):
            (tmp_path / "docgraph.yaml").write_text(text, encoding="utf-8")
            code, output, errors = own.run("status")
            assert code == 1
            check(output, errors)


def test_the_error_of_a_model_server_cannot_control_a_terminal(tmp_path: Path) -> None:
    body = json.dumps({"error": {"message": UNPAIRED}}, ensure_ascii=False)
    raw = body.encode("utf-8", "surrogatepass")
    with use_fakes():
        line = HostileLine(tmp_path)
        line.run("ingest", "files", "--quiet")
    with serve_script(lambda _: (400, raw, {"Content-Type": "application/json"})) as server:
        model = f"{{endpoint: '{server.base}', model: tiny, context_window: 4096}}"
        (tmp_path / "docgraph.yaml").write_text(f"answer: [{model}]\n", encoding="utf-8")
        with use_fakes(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("docgraph.wiring.build.open_chat_models", open_chat_models)
            for words in (("ask", "Uploads?"), ("ask", "Uploads?", "--json")):
                _, output, errors = line.run(*words)
                check(output, errors)
                assert "owned" in output + errors
                assert server.asked


def test_a_terminal_gets_colours_and_no_hostile_sequence(tmp_path: Path) -> None:
    """In a real terminal, where rich and click colour what they print."""
    with use_fakes():
        line = HostileLine(tmp_path)
        line.run("ingest", "files", "--quiet")
    colours = set()
    for words in (
        ("status",),
        ("plan", "--seed", "files:uploads.md"),
        ("context", "--seed", "files:uploads.md"),
        ("access", "show"),
    ):
        shown = run_in_terminal(tmp_path, *words)
        rest = re.sub("\x1b\\[[0-9;]*m", "", shown.replace("\r\n", "\n"))
        colours |= set(re.findall("\x1b\\[[0-9;]*m", shown))
        assert "owned" not in rest or "\\x1b]0;owned\\x07" in rest
        check(rest, "")
        assert "31m" not in "".join(re.findall("\x9b31m", shown))
    assert colours


def run_in_terminal(folder: Path, *words: str) -> str:
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "docgraph.interfaces.cli.main", *words]
    with subprocess.Popen(
        command, cwd=folder, stdin=side, stdout=side, stderr=side, env=environment
    ) as process:
        os.close(side)
        read = b""
        while True:
            try:
                part = os.read(main, 65536)
            except OSError:  # the other side has closed
                break
            if not part:
                break
            read += part
    os.close(main)
    assert process.returncode == 0, ascii(read)
    return read.decode()


def test_an_unexpected_error_prints_no_control_characters(tmp_path: Path) -> None:
    code = (
        "import sys, warnings\n"
        "from docgraph.interfaces.terminal import escape_streams\n"
        "escape_streams()\n"
        f"warnings.warn({HOSTILE!a})\n"
        f"raise RuntimeError({UNPAIRED!a})\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    check(done.stdout.decode(), done.stderr.decode())
    assert b"\\x1b]0;owned" in done.stderr


def test_a_log_line_is_one_line_without_control_characters(
    capsys: pytest.CaptureFixture[str],
) -> None:
    formatter = LineFormatter("%(levelname)s %(message)s")
    failure = (ValueError, ValueError(f"a\n{UNPAIRED}"), None)
    plain = logging.LogRecord("x", logging.INFO, "", 0, "%s", (f"a\nb\t{UNPAIRED}",), None)
    traced = logging.LogRecord("x", logging.INFO, "", 0, "%s", ("a\nb",), failure)
    assert formatter.format(plain).startswith("INFO a\\nb\\t\\x1b]0;owned\\x07 ")
    assert "\n" not in formatter.format(plain)
    assert formatter.format(traced).startswith("INFO a\\nb\nValueError: a\n\\x1b]0;owned")
    check(formatter.format(plain), formatter.format(traced))


def test_json_text_is_escaped_without_another_value() -> None:
    value = {UNPAIRED: [UNPAIRED, "plain ü 🙂"]}
    text = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    check(text, "")
    assert json.loads(text) == value
    assert "ü 🙂" in text


def test_tabs_newlines_and_other_scripts_stay() -> None:
    text = "a\tb\nü 🙂 שלום \u200d क्‍ष"
    assert escape_controls(text) == text
    assert escape_line("a\tb\n") == "a\\tb\\n"
    assert escape_controls("\r\x85\u2028\U000e0041\udc80") == "\\x0d\\x85\\u2028\\U000e0041\\udc80"


def test_a_stream_writes_escapes_and_is_otherwise_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = EscapedStream(sys.stdout)
    assert stream.write("a\x1bb") == 3
    stream.writelines(["c\n", "\x9bd"])
    assert capsys.readouterr().out == "a\\x1bbc\n\\x9bd"
    assert stream.encoding == sys.stdout.encoding


def test_commands_print_through_the_writer_alone() -> None:
    """Else a text would reach a terminal under a test's runner, or without its colour."""
    folder = Path(__file__).parents[2] / "src/docgraph/interfaces/cli"
    for file in sorted(folder.glob("*.py")):
        if file.name not in ("output.py", "console.py", "main.py"):
            text = file.read_text(encoding="utf-8")
            assert not re.search(
                r"typer\.s?echo|\bprint\(|stdout\.write|Console\(\)", text.replace("out.print(", "")
            ), file
