"""Shipped names come from a table, installed ones from entry points; neither takes the other's."""

import importlib.metadata
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from docgraph.action import contract_of
from docgraph.adapters.sources.jsonl import IMPORTED
from docgraph.model.edge import MANUAL
from docgraph.model.errors import BadInput
from docgraph.pipeline.catalog import IMPLICIT_ACTIONS
from docgraph.ports.store import Backend
from docgraph.wiring import plugins
from docgraph.wiring.plugins import (
    ACTIONS,
    BACKENDS,
    FORMATS,
    MINERS,
    MODELS,
    RESERVED,
    SHIPPED,
    SOURCES,
    TYPES,
    VECTOR_INDEXES,
    check_plugins,
    find_action,
    ingest_registries,
    installed_plugins,
    list_plugins,
    load_plugin,
)
from tests.support.distributions import Entries, write_distribution

ROOT = Path(__file__).parent.parent.parent.parent
SHIPPED_NAMES = [(group, name) for group, names in SHIPPED.items() for name in names]
FORMAT = """
from docgraph.ingest.formats.registry import Format, text_reader
from docgraph.ingest.formats.text import parse_text
"""


class Installed:
    """Distributions on the path of this process, each with a module of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.syspath_prepend(str(folder))

    def add(self, name: str, code: str, entries: Entries) -> str:
        write_distribution(self.folder, name, code, entries)
        return name


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    return Installed(tmp_path, monkeypatch)


def problem_of(name: str) -> str:
    (plugin,) = list_plugins((name,))
    with pytest.raises(BadInput) as error:
        plugin.load()
    return str(error.value)


def test_the_table_is_that_of_the_entry_points() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {
        group: dict(names) for group, names in SHIPPED.items() if names
    }


@pytest.mark.parametrize(("group", "name"), SHIPPED_NAMES)
def test_a_shipped_name_leads_to_the_object_of_that_name(group: str, name: str) -> None:
    loaded: Any = load_plugin(group, name, ())
    module, _, kind = TYPES[group].partition(":")
    assert isinstance(loaded, getattr(importlib.import_module(module), kind))
    if group == BACKENDS:
        assert loaded.schemes == () if name == "sqlite" else name in loaded.schemes
    elif group == ACTIONS:
        assert contract_of(loaded).name == name
    else:
        assert name == (loaded.scheme if group == SOURCES else loaded.name)


def test_names_that_have_a_meaning_already_are_reserved() -> None:
    backends = [load_plugin(BACKENDS, name, ()) for name in SHIPPED[BACKENDS]]
    assert all(isinstance(backend, Backend) for backend in backends)
    assert {index for one in backends for index in one.indexes} == RESERVED[VECTOR_INDEXES]
    assert {action.name for action in IMPLICIT_ACTIONS} == RESERVED[ACTIONS]
    assert {MANUAL, IMPORTED} <= RESERVED[MINERS]


def test_shipped_names_are_not_looked_up_among_installed_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plugins, "list_plugins", lambda _: pytest.fail("looked up"))
    for group, name in SHIPPED_NAMES:
        assert load_plugin(group, name, None) is not None


def test_no_package_is_looked_at_where_none_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("distribution", "distributions"):
        monkeypatch.setattr(importlib.metadata, name, lambda *_: pytest.fail("looked up"))
    assert list_plugins(()) == ()
    assert load_plugin(FORMATS, "toml", ()) is None
    assert not ingest_registries(()).formats.installed


def test_a_distribution_that_is_not_installed_cannot_be_named() -> None:
    with pytest.raises(BadInput, match="plugins: no distribution 'nowhere' is installed"):
        list_plugins(("nowhere",))


def test_a_plug_in_is_found_by_its_name_with_its_distribution_and_version(
    installed: Installed,
) -> None:
    code = f'{FORMAT}LOG = Format("log", (".log",), text_reader(parse_text))\n'
    installed.add("pl-log", code, {FORMATS: {"log": "LOG"}})
    for allowed in (None, ("pl-log",), ("PL_log",)):
        (plugin,) = [one for one in installed_plugins(FORMATS, allowed) if one.name == "log"]
        assert (plugin.distribution, plugin.version) == ("pl-log", "1.0")
        assert load_plugin(FORMATS, "log", allowed).suffixes == (".log",)
    assert load_plugin(FORMATS, "log", ()) is None
    assert load_plugin(FORMATS, "other", None) is None
    assert load_plugin(MINERS, "log", None) is None


def test_a_plug_in_cannot_take_a_shipped_name(installed: Installed) -> None:
    code = f'{FORMAT}MD = Format("markdown", (".x",), text_reader(parse_text))\n'
    installed.add("pl-taker", code, {FORMATS: {"markdown": "MD"}})
    assert installed_plugins(FORMATS, ("pl-taker",)) == ()
    assert load_plugin(FORMATS, "markdown", ("pl-taker",)).suffixes == (".md", ".markdown")
    assert problem_of("pl-taker") == (
        "plug-in 'markdown' (docgraph.formats) of pl-taker 1.0 is not used: "
        "docgraph itself has 'markdown'; a plug-in cannot take a shipped name"
    )


@pytest.mark.parametrize(
    ("group", "name"), [(VECTOR_INDEXES, "packed"), (ACTIONS, "plan_seeds"), (MINERS, "structure")]
)
def test_a_plug_in_cannot_take_a_reserved_name(installed: Installed, group: str, name: str) -> None:
    installed.add("pl-reserved", "X = object()\n", {group: {name: "X"}})
    assert f"docgraph itself has '{name}'" in problem_of("pl-reserved")


def test_of_two_plug_ins_with_one_name_the_first_distribution_has_it(installed: Installed) -> None:
    for name in ("pl-twin-b", "pl-twin-a"):
        code = f'{FORMAT}T = Format("twin", (".{name[-1]}",), text_reader(parse_text))\n'
        installed.add(name, code, {FORMATS: {"twin": "T"}})
    assert load_plugin(FORMATS, "twin", ("pl-twin-b", "pl-twin-a")).suffixes == (".a",)
    second = [one.problem for one in list_plugins(("pl-twin-b", "pl-twin-a"))][1]
    assert second == "pl-twin-a 1.0 has 'twin' already"


@pytest.mark.parametrize(
    ("name", "code", "group", "reason"),
    [
        ("pl-b1", "raise RuntimeError('no licence')", FORMATS, "loaded: RuntimeError: no licence"),
        ("pl-b2", "import pl_missing_library", MINERS, "loaded: ModuleNotFoundError: No module"),
        ("pl-b0", "raise SystemExit(3)", SOURCES, "loaded: SystemExit: 3"),
        ("pl-b3", "", SOURCES, "loaded: AttributeError: module 'pl_b3' has no attribute 'X'"),
        ("pl-b4", "X = 7", BACKENDS, "cannot be used: it leads to int, not Backend"),
        ("pl-b5", "X = 7", MODELS, "cannot be used: it leads to int, not ModelProvider"),
        ("pl-b6", "def x(): ...\nX = x", ACTIONS, "loaded: ContractViolation: x is no action"),
        (
            "pl-b7",
            f'{FORMAT}X = Format("y", (".y",), text_reader(parse_text))',
            FORMATS,
            "cannot be used: its entry point has another name than the object",
        ),
        (
            "pl-b8",
            f'{FORMAT}X = Format("x", (".x", ".md"), text_reader(parse_text))',
            FORMATS,
            "cannot be used: docgraph itself reads .md",
        ),
        (
            "pl-b9",
            "from docgraph.ingest.miners.registry import Miner\nX = Miner('x', ('likes',), iter)",
            MINERS,
            "cannot be used: no relation is called likes",
        ),
    ],
)
def test_a_broken_plug_in_is_an_error_that_names_it(
    installed: Installed, name: str, code: str, group: str, reason: str
) -> None:
    installed.add(name, code, {group: {"x": "X"}})
    assert re.match(rf"plug-in 'x' \({group}\) of {name} 1.0 cannot be", problem_of(name))
    assert reason in problem_of(name)
    with pytest.raises(BadInput, match=name):
        load_plugin(group, "x", (name,))
    with pytest.raises(BadInput, match=name):
        check_plugins((name,))


def test_a_broken_plug_in_does_not_break_others(installed: Installed) -> None:
    good = f'{FORMAT}G = Format("good", (".good",), text_reader(parse_text))\n'
    installed.add("pl-good", good, {FORMATS: {"good": "G"}})
    installed.add("pl-bad", "1 / 0\n", {FORMATS: {"bad": "B"}, MINERS: {"bad": "M"}})
    registries = ingest_registries(("pl-bad", "pl-good"))
    assert [one.name for one in registries.formats.installed] == ["good"]
    assert [problem.path for problem in registries.problems] == ["pl-bad", "pl-bad"]
    assert all("division by zero" in problem.reason for problem in registries.problems)
    assert load_plugin(FORMATS, "good", ("pl-bad", "pl-good")) is not None


def test_an_action_that_nobody_has_is_none() -> None:
    assert find_action("fetch_evidence", ()) is not None
    assert find_action("fetch_evidnce", None) is None
