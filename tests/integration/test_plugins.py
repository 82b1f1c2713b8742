"""Real distributions, with the code that docs/plugins.md shows, in every group."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import docgraph
from docgraph.ingest.result import IngestResult
from docgraph.model.errors import BadInput, BadPipeline, WrongEmbedder
from docgraph.wiring.plugins import ACTIONS, BACKENDS, FORMATS, MINERS, MODELS, SOURCES
from tests.support.distributions import write_distribution
from tests.support.http_server import DOCGRAPH

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
EMBEDDER, PIPELINE = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
HARBOUR = {
    MINERS: {"tickets": "TICKETS"},
    SOURCES: {"zip": "ZIP"},
    MODELS: {"hashing": "HASHING"},
    ACTIONS: {"keep_strong_seeds": "keep_strong_seeds"},
}
BACKEND = """
from dataclasses import replace
from docgraph.adapters.sqlite.backend import SQLITE

def path_of(address):
    return address.removeprefix("filestore://")

FILESTORE = replace(
    SQLITE,
    schemes=("filestore",),
    redact=lambda address: "filestore://…",
    open=lambda address, options: SQLITE.open(path_of(address), options),
    exists=lambda address: SQLITE.exists(path_of(address)),
)
"""
NOTES = {
    "notes.md": "# Night shift\n\nThe crane stopped, see HARBOUR-12.\n",
    "tickets/12.md": "# Crane\n\nThe hydraulic pump of the crane leaks oil.\n",
    "pyproject.toml": '[project]\nname = "harbour"\n\n[tool.lighthouse]\nwavelength = 532\n',
}
SETTINGS = f"{EMBEDDER}plugins: [harbour-plugins, docgraph-toml]\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with documents, and the page's plug-ins on the path of this process."""
    for path, text in NOTES.items():
        file = tmp_path / "notes" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    packages = tmp_path / "packages"
    packages.mkdir()
    write_distribution(packages, "harbour-plugins", CODE, HARBOUR)
    monkeypatch.syspath_prepend(str(packages))
    monkeypatch.delitem(sys.modules, "harbour_plugins", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docgraph.yaml").write_text(SETTINGS)
    return tmp_path


def ingest(source: str = "notes") -> IngestResult:
    return docgraph.open("s.db").ingest(source)


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(place / "packages")}
    return subprocess.run(
        [*DOCGRAPH, *words], cwd=place, env=environment, capture_output=True, text=True, check=False
    )


def found(question: str) -> list[str]:
    return [seed.id for seed in docgraph.open("s.db").search(question).seeds.ranked]


def test_a_file_of_an_installed_format_is_ingested_and_found_by_its_keys(place: Path) -> None:
    assert ingest().added == 3
    store = docgraph.open("s.db")
    found = store.retrieve("lighthouse wavelength")
    assert found.seeds.ids[0] == "notes:pyproject.toml"
    assert "wavelength = 532" in found.context.text
    assert store.node("notes:pyproject.toml#toollighthouse").title == "tool.lighthouse"


def test_without_its_plug_in_the_file_is_skipped(place: Path) -> None:
    (place / "docgraph.yaml").write_text("plugins: []\n")
    result = ingest()
    assert (result.added, result.skipped) == (2, ((".toml", 1),))


def test_an_installed_miner_emits_edges_with_its_name(place: Path) -> None:
    ingest()
    (edge,) = [
        one
        for one in docgraph.open("s.db").relations("notes:notes.md", relation="references")
        if "tickets" in one.origins
    ]
    assert edge.edge.target == "notes:tickets/12.md"


def test_an_installed_miner_can_be_switched_off(place: Path) -> None:
    docgraph.open("s.db").ingest("notes", without=["tickets"])
    assert docgraph.open("s.db").relations(relation="references") == ()
    with pytest.raises(BadInput, match=r"no miner is called tikets; known: .*, tables, tickets"):
        docgraph.open("s.db").ingest("notes", without=["tikets"])


def test_files_are_read_again_when_a_miner_comes_or_goes(place: Path) -> None:
    (place / "docgraph.yaml").write_text(f"{EMBEDDER}plugins: [harbour-plugins]\n")
    assert ingest().added == 2
    assert ingest().unchanged == 2
    (place / "docgraph.yaml").write_text("plugins: []\n")
    assert ingest().changed == 2
    assert docgraph.open("s.db").relations(relation="references") == ()


def test_an_address_of_an_installed_scheme_is_ingested(place: Path) -> None:
    with zipfile.ZipFile(place / "archive.zip", "w") as archive:
        for path, text in NOTES.items():
            archive.writestr(path, text)
    done = run(place, "ingest", "zip://archive.zip", "--store", "s.db", "--json")
    assert json.loads(done.stdout)["added"] == 3, done.stderr
    assert "archive:tickets/12.md" in found("hydraulic pump")


@pytest.mark.parametrize("address", ["ftp://host/notes", "folder://notes", "git://host/notes"])
def test_an_address_that_no_plug_in_reads_is_refused(place: Path, address: str) -> None:
    scheme = address.partition("://")[0]
    with pytest.raises(BadInput, match=f"no source is called {scheme}://; give a folder"):
        ingest(address)
    assert not (place / "s.db").exists()


def test_a_store_of_an_installed_scheme_opens(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_distribution(
        place / "packages", "pl-store", BACKEND, {BACKENDS: {"filestore": "FILESTORE"}}
    )
    address = f"filestore://{place}/own.db"
    with pytest.raises(BadInput, match=r"filestore://…: a store is the path of a SQLite file"):
        docgraph.open(address)
    (place / "docgraph.yaml").write_text("plugins: [pl-store]\n")
    with docgraph.open(address) as store:
        assert store.ingest("notes").added == 2
        assert store.store == "filestore://…"
        assert store.search("crane").seeds.ids
    assert (place / "own.db").is_file()


def test_settings_choose_the_embedder_of_a_provider_and_its_options(place: Path) -> None:
    ingest()
    embedder = docgraph.open("s.db").status().embedder
    assert embedder is not None
    assert (embedder.name, embedder.dimensions) == ("hashing", 64)
    (place / "docgraph.yaml").write_text(SETTINGS.replace("64", "32"))
    with pytest.raises(WrongEmbedder, match="embedded by hashing"):
        found("crane")


def test_a_document_with_a_label_is_not_sent_to_the_embedder_of_a_plug_in(place: Path) -> None:
    with pytest.raises(BadInput, match="not sent to the embedder"):
        docgraph.open("s.db").ingest("notes", labels=["internal"])
    text = SETTINGS.replace("provider: hashing", "provider: hashing\n  labels: [internal]")
    (place / "docgraph.yaml").write_text(text)
    assert docgraph.open("s.db").ingest("notes", labels=["internal"]).added == 3


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ("embedder: {provider: hashng}", "no model provider is called 'hashng'"),
        ("reranker: {provider: hashing}", "the model provider 'hashing' has no reranker"),
        ("answer: [{provider: hashing}]", "the model provider 'hashing' has no chat"),
        ("embedder: {provider: hashing, folder: f}", "name a provider or a folder, not both"),
        ("embedder: {provider: hashing}\nplugins: []", "no model provider is called 'hashing'"),
    ],
)
def test_a_provider_that_does_not_fit_is_an_error(place: Path, settings: str, reason: str) -> None:
    ingest()
    (place / "docgraph.yaml").write_text(
        settings if "embedder" in settings else f"{EMBEDDER}{settings}\n"
    )
    rerank = "pipeline: p\nextends: documents\nchange:\n  search_nodes: {rerank: 3}\n"
    (place / "p.yaml").write_text(rerank)
    with pytest.raises(BadInput, match=reason):
        docgraph.open("s.db").ask("crane", pipeline="p.yaml")


def test_a_pipeline_uses_an_installed_action_and_its_receipt_replays(place: Path) -> None:
    (place / "strong.yaml").write_text(PIPELINE)
    ingest()
    store = docgraph.open("s.db")
    every = store.retrieve("crane oil", pipeline="flat").seeds.ids
    strong = store.retrieve("crane oil", pipeline="strong.yaml")
    assert 0 < len(strong.seeds.ids) < len(every)
    receipt = strong.receipt()
    assert store.replay(receipt).same
    (place / "docgraph.yaml").write_text("plugins: [docgraph-toml]\n")
    replayed = docgraph.open("s.db").replay(receipt)
    assert replayed.difference is not None
    assert "no action is called 'keep_strong_seeds'" in replayed.difference.why
    with pytest.raises(BadPipeline, match=r"strong.yaml:4: step 2 .* no action is called"):
        docgraph.open("s.db").retrieve("crane", pipeline="strong.yaml")


def test_the_command_line_checks_a_pipeline_with_an_installed_action(place: Path) -> None:
    (place / "strong.yaml").write_text(PIPELINE.replace("share: 0.8", "share: 2"))
    done = run(place, "check", "strong.yaml")
    assert "keep_strong_seeds" in done.stderr
    assert "less than or equal to 1" in done.stderr
    (place / "strong.yaml").write_text(PIPELINE)
    assert "keep_strong_seeds" in run(place, "check", "strong.yaml").stdout


def test_doctor_lists_what_came_from_where(place: Path) -> None:
    write_distribution(place / "packages", "pl-taker", "", {FORMATS: {"markdown": "MD"}})
    write_distribution(place / "packages", "pl-broken", "1 / 0\n", {MINERS: {"zero": "ZERO"}})
    (place / "docgraph.yaml").write_text("")
    done = run(place, "doctor", "--store", "s.db")
    lines = done.stdout.splitlines()
    assert "ok   plugins    docgraph.formats toml: docgraph-toml 0.1.0" in lines
    assert "ok   plugins    docgraph.miners tickets: harbour-plugins 1.0" in lines
    assert done.returncode == 1
    bad = [line for line in lines if line.startswith("BAD")]
    assert [line.partition("' (")[0] for line in bad] == [
        "BAD  plugins    plug-in 'markdown",
        "BAD  plugins    plug-in 'zero",
    ]
    assert "ZeroDivisionError: division by zero" in bad[1]
    (place / "docgraph.yaml").write_text("plugins: [harbour-plugins]\n")
    done = run(place, "doctor", "--store", "s.db")
    assert done.returncode == 0
    assert "docgraph.miners zero: pl-broken 1.0, not loaded: settings do not name it" in done.stdout


def test_a_broken_plug_in_is_a_problem_of_an_ingest_and_the_rest_goes_on(place: Path) -> None:
    write_distribution(place / "packages", "pl-broken", "1 / 0\n", {MINERS: {"zero": "ZERO"}})
    raising = CODE.replace("path:tickets/{match[1]}.md", "{1 / 0}")
    write_distribution(place / "packages", "pl-raising", raising, {MINERS: {"tickets": "TICKETS"}})
    (place / "docgraph.yaml").write_text("plugins: [pl-broken, docgraph-toml]\n")
    result = ingest()
    assert result.added == 3
    (problem,) = result.problems
    assert problem.path == "pl-broken"
    assert "plug-in 'zero' (docgraph.miners) of pl-broken 1.0 cannot be loaded" in problem.reason
    (place / "docgraph.yaml").write_text("plugins: [pl-raising]\n")
    result = ingest()
    (problem,) = result.problems
    assert (result.removed, problem.path) == (2, "notes.md")
    assert problem.reason.startswith("the plug-in miner 'tickets' failed: ZeroDivisionError")


def test_a_format_that_fails_makes_a_problem_of_its_file(place: Path) -> None:
    code = """
from docgraph.ingest.formats.registry import Format, text_reader
from docgraph.ingest.formats.text import parse_text

def read(path, text):
    return parse_text(path, text[int(text.split()[0]):])

LOG = Format("log", (".log",), text_reader(read), version=VERSION)
"""
    (place / "notes" / "good.log").write_text("3  The tide turned.\n")
    (place / "notes" / "bad.log").write_text("The tide turned.\n")
    for version, (added, changed, unchanged) in enumerate([(3, 0, 0), (0, 1, 2)]):
        name = f"pl-log{version}"
        text = code.replace("VERSION", str(version))
        write_distribution(place / "packages", name, text, {FORMATS: {"log": "LOG"}})
        (place / "docgraph.yaml").write_text(f"plugins: [{name}]\n")
        result = ingest()
        assert (result.added, result.changed, result.unchanged) == (added, changed, unchanged)
        (problem,) = result.problems
        assert problem.path == "bad.log"
        assert problem.reason.startswith("the plug-in format 'log' failed: ValueError")
