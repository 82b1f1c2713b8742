"""The docs describe every command, option, action and setting of the code, and no others."""

import dataclasses
import json
import re
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
import typer.main
import yaml
from annotated_types import Interval
from packaging.requirements import Requirement

from docgraph.action import Action
from docgraph.evaluation.metrics import Outcome, summarise
from docgraph.ingest.formats.registry import FORMATS, NAMES_WITHOUT_SUFFIX
from docgraph.ingest.miners.registry import ALL_MINERS, MINERS
from docgraph.ingest.progress import READING, Askable, Progress, ProgressEvent
from docgraph.interfaces.cli.app import app
from docgraph.interfaces.cli.progress.json_events import JsonEvents
from docgraph.model.edge import INVERSES, RELATIONS
from docgraph.model.embedding_state import EmbeddingState
from docgraph.model.node import ROOT_KINDS, SECTION, SYMBOL_KINDS
from docgraph.model.snapshot import SnapshotName
from docgraph.pipeline.catalog import ACTIONS, IMPLICIT_ACTIONS
from docgraph.pipeline.load import KEYS, shipped_pipelines
from docgraph.pipeline.retrieval import SavedPlan
from docgraph.wiring.settings import Settings, _Written, read_settings

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
SOURCE = ROOT / "src" / "docgraph"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
CODE = re.compile(r"`([^`]+)`")


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def without_code(text: str) -> str:
    """Examples may contain text that looks like headings, tables and links."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def sections(text: str, level: int) -> dict[str, str]:
    """Headings of that level, each with its section."""
    parts = re.split(rf"^{'#' * level} (.+)\n", without_code(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """The cells of every table row, without headings and rulers."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in without_code(text).splitlines()
        if line.startswith("|")
    ]
    rulers = [at for at, cells in enumerate(found) if set("".join(cells)) <= set(":-")]
    heads = {at - 1 for at in rulers}
    return [cells for at, cells in enumerate(found) if at not in heads | {*rulers}]


# The command line


def commands(found: Any, path: tuple[str, ...] = ("docgraph",)) -> dict[str, Any]:
    """Commands by their full name; a group is a command that has commands."""
    inner = getattr(found, "commands", None)
    if not inner:
        return {" ".join(path): found}
    below = (commands(command, (*path, name)) for name, command in inner.items())
    return {name: command for part in below for name, command in part.items()}


COMMANDS = commands(typer.main.get_command(app))
CLI = sections(page("cli.md"), 2)


def options(command: Any) -> dict[str, object]:
    """Every spelling of every option, with its default."""
    flags = (option for option in command.params if option.param_type_name == "option")
    return {name: o.default for o in flags for name in o.opts if name != "--help"}


def listed_options(section: str) -> Iterator[str]:
    """Options in a section's own table, and in the sentence that names shared ones."""
    for first, *_ in rows(section):
        yield from OPTION.findall(first)
    for sentence in re.findall(
        r"^(?:Also|Options:) .*?\.(?=\s)", section, re.MULTILINE | re.DOTALL
    ):
        yield from OPTION.findall(sentence)


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    assert [name for name in CLI if name.startswith("docgraph")] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_with_exactly_its_options(name: str) -> None:
    assert set(listed_options(CLI[name])) == set(options(COMMANDS[name]))


@pytest.mark.parametrize("name", COMMANDS)
def test_documented_defaults_of_options_are_those_of_the_code(name: str) -> None:
    documented = {
        spelling: cells[-1]
        for section in (CLI["Shared options"], CLI[name])
        for cells in rows(section)
        for spelling in OPTION.findall(cells[0])
    }
    for spelling, default in options(COMMANDS[name]).items():
        if default not in (None, "", False):
            assert documented[spelling] == f"`{default}`"


# Requirements may name options that are not built yet.
USER_PAGES = [ROOT / "README.md", *sorted({*DOCS.glob("*.md")} - {DOCS / "requirements.md"})]


@pytest.mark.parametrize("path", USER_PAGES, ids=lambda p: p.name)
def test_every_option_that_a_page_names_exists(path: Path) -> None:
    known = {name for command in COMMANDS.values() for name in options(command)}
    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*", path.read_text(encoding="utf-8"))
    assert set(named) <= known | {"--help", "--version"}


@pytest.mark.parametrize(
    ("event", "reported"),
    [
        ("progress", Progress(READING, 1, 4)),
        ("askable", Askable(SnapshotName("notes", "main", 1), EmbeddingState())),
    ],
)
def test_events_of_progress_are_documented_with_exactly_their_fields(
    event: str, reported: ProgressEvent
) -> None:
    written: list[str] = []
    JsonEvents(written.append, lambda: 0.0)(reported)
    (cells,) = (row for row in rows(CLI["docgraph ingest"]) if row[0] == f"`{event}`")
    values = {"none", "partial", "complete"} if event == "askable" else set()
    assert {*CODE.findall(cells[2]), "event"} - values == set(json.loads(written[0]))


# Pipelines

ALL_ACTIONS = {**ACTIONS, **{action.name: action for action in IMPLICIT_ACTIONS}}
ACTION_SECTIONS = sections(page("pipelines.md"), 3)


def describe_type(annotation: Any) -> str:
    """The values of an option, as the docs describe them."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is bool:
        return "true or false"
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in inner)
    if origin in {types.UnionType, typing.Union}:
        first, other = inner
        if first is bool:
            return f"true, false or {describe_type(other)}"
        return f"{describe_type(first)}, or null"
    if origin is tuple:
        return "a list of [relations](concepts.md#relations)"
    (bounds,) = (mark for mark in inner if isinstance(mark, Interval))
    below = f"above {bounds.gt}, up" if bounds.gt is not None else bounds.ge
    return f"{below} to {bounds.le}"


def in_yaml(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def test_every_action_has_a_section_and_every_section_an_action() -> None:
    assert sorted(ACTION_SECTIONS) == sorted(ALL_ACTIONS)


@pytest.mark.parametrize("action", ALL_ACTIONS.values(), ids=lambda action: action.name)
def test_an_action_is_documented_with_its_contract(action: Action) -> None:
    section = ACTION_SECTIONS[action.name].partition("\n## ")[0]
    needs = ", ".join(f"`{kind.__name__}`" for _, kind in action.requires)
    said = " ".join(section.split())
    assert f"Needs {needs}; makes `{action.makes.__name__}`." in said
    required = re.findall(r"Requires `(\w+)`: ([^.|]+\.)", said)
    conditions = [(one.__name__, str(one.__doc__)) for _, one in action.preconditions]
    assert required == [(name, text[0].lower() + text[1:]) for name, text in conditions]
    ensured = re.findall(r"Ensures `(\w+)`: ([^.|]+\.)", said)
    claims = [(claim.__name__, str(claim.__doc__)) for claim in action.postconditions]
    assert ensured == [(name, text[0].lower() + text[1:]) for name, text in claims]


@pytest.mark.parametrize("action", ALL_ACTIONS.values(), ids=lambda action: action.name)
def test_an_option_is_documented_with_what_it_takes_and_its_default(action: Action) -> None:
    section = ACTION_SECTIONS[action.name].partition("\n## ")[0]
    documented = [cells[:3] for cells in rows(section)]
    assert documented == [
        [f"`{o.name}`", describe_type(o.annotation), f"`{in_yaml(o.default)}`"]
        for o in action.options
    ]


@pytest.mark.requirement(43)
def test_built_in_pipelines_are_shown_completely() -> None:
    shown = [yaml.safe_load(block) for block in blocks(page("pipelines.md"), "yaml")]
    files = {
        name: yaml.safe_load(path.read_text("utf-8")) for name, path in shipped_pipelines().items()
    }
    assert {pipeline["pipeline"]: pipeline for pipeline in shown} == files
    assert {"documents", "code"} <= set(files)


def test_the_keys_of_a_pipeline_are_documented() -> None:
    own = sections(page("pipelines.md"), 2)["A pipeline of your own"]
    assert sorted(cells[0] for cells in rows(own)) == sorted(f"`{key}`" for key in KEYS)


# Concepts

CONCEPTS = sections(page("concepts.md"), 2)


def miners_of(relation: str) -> str:
    """The miners that find the relation, or its inverse; containment is found in the structure."""
    either = {relation, INVERSES.get(relation, relation)}
    miners = sorted(one.name for one in MINERS if not either.isdisjoint(one.relations))
    return ", ".join(f"`{name}`" for name in miners)


def test_every_relation_is_documented_with_its_inverse_and_its_miners() -> None:
    assert rows(CONCEPTS["Relations"]) == [
        [f"`{name}`", said, f"`{INVERSES[name]}`" if name in INVERSES else "", miners_of(name)]
        for name, said in RELATIONS.items()
    ]


def test_every_miner_is_documented() -> None:
    documented = [cells[0] for cells in rows(CONCEPTS["Miners"])]
    assert documented == [f"`{name}`" for name in sorted(ALL_MINERS)]


def test_every_kind_of_node_is_documented() -> None:
    documented = [name for cells in rows(CONCEPTS["Nodes"]) for name in CODE.findall(cells[0])]
    assert sorted(documented) == sorted([*ROOT_KINDS, SECTION, *SYMBOL_KINDS])


def keys(kind: Any) -> Any:
    """The shape of a value: its fields as JSON names them, and theirs."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return {
            field.metadata.get("alias", field.name): keys(hints[field.name])
            for field in dataclasses.fields(kind)
        }
    inner = [keys(part) for part in typing.get_args(kind)]
    return next((part for part in inner if part), None)


def shape(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: shape(part) for key, part in value.items()}
    parts = map(shape, value) if isinstance(value, list) else ()
    return next((part for part in parts if part), None)


def test_the_annotated_plan_has_exactly_the_keys_of_a_plan() -> None:
    (block,) = blocks(page("concepts.md"), "jsonc")
    shown = shape(json.loads(re.sub(r"\s//.*", "", block)))
    real = keys(SavedPlan)
    assert shown["plan"].pop("cut") is None  # nothing was cut there
    real["plan"].pop("cut")
    assert shown == real


# Formats

READ = sections(page("formats.md"), 2)


def extras() -> dict[str, list[str]]:
    """The packages of each extra; an extra of extras has their names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        extra: [name for needed in map(Requirement, written) for name in packages_of(needed)]
        for extra, written in project["optional-dependencies"].items()
    }


def packages_of(needed: Requirement) -> list[str]:
    return sorted(needed.extras) if needed.name == "docgraph" else [needed.name]


def test_every_format_is_documented_with_its_suffixes_and_its_extra() -> None:
    documented = [[CODE.findall(cell) for cell in cells] for cells in rows(READ["What is read"])]
    assert documented == [
        [[known.name], list(known.suffixes), [known.extra] if known.extra else []]
        for known in sorted(FORMATS, key=lambda known: known.name)
    ]


def test_every_name_that_is_read_without_a_suffix_is_documented() -> None:
    documented = re.search(r"without a suffix \(([^)]+)\)", READ["What is read"])
    assert documented is not None
    assert [name.casefold() for name in CODE.findall(documented[1])] == list(NAMES_WITHOUT_SUFFIX)


def test_every_extra_is_documented_with_what_it_installs() -> None:
    documented = {CODE.findall(name)[0]: CODE.findall(what) for name, what in rows(READ["Extras"])}
    assert documented == extras()


def test_every_extra_that_a_format_needs_can_be_installed() -> None:
    assert {known.extra for known in FORMATS} <= {"", *extras()}


# Settings


def environment() -> set[str]:
    """Every variable that the code reads; an endpoint's are named after what it serves."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    names = set(re.findall(r"DOCGRAPH_[A-Z{}a-z_]+", code)) - {"DOCGRAPH_{name}"}
    served = re.findall(r'parse_endpoint\("(\w+)"', code)
    limited = re.findall(r'_clearance\("(\w+)"', code)
    switches = re.findall(r'_switch\("(\w+)"', code)
    return (
        {name.format(name=word) for name in names for word in served}
        | {f"DOCGRAPH_{word}_{mark}" for word in limited for mark in ("LABELS", "LEVEL")}
        | {f"DOCGRAPH_{word}" for word in switches}
    )


def written_keys(kind: Any, front: str = "") -> Iterator[str]:
    for field in dataclasses.fields(kind):
        inner = typing.get_type_hints(kind)[field.name]
        if typing.get_origin(inner) is tuple:  # a list of such
            inner = typing.get_args(inner)[0]
        if dataclasses.is_dataclass(inner):
            yield from written_keys(inner, f"{front}{field.name}.")
        else:
            yield f"{front}{field.name}"


def test_every_setting_is_documented_and_no_other() -> None:
    documented = [
        [*CODE.findall(cells[0]), *CODE.findall(cells[1])] for cells in rows(page("settings.md"))
    ]
    names = {name for cells in documented for name in cells}
    assert names == environment() | set(written_keys(_Written))


def test_documented_defaults_are_those_of_the_code() -> None:
    documented = {cells[0]: cells[-1] for cells in rows(page("settings.md"))}
    defaults = Settings()
    assert documented["`store`"] == f"`{defaults.store}`"
    assert documented["`wait`"] == f"`{defaults.wait:g}`"


def test_the_settings_file_that_is_shown_can_be_read(tmp_path: Path) -> None:
    (block,) = blocks(page("settings.md"), "yaml")
    (tmp_path / "docgraph.yaml").write_text(block, encoding="utf-8")
    found = read_settings({}, tmp_path)
    assert found.embedder_endpoint is not None
    assert found.reranker_endpoint is not None
    assert found.embedder_endpoint.model in block


# Measuring


def test_every_measure_is_documented() -> None:
    compared = sections(page("eval.md"), 2)["What is compared"]
    documented = [name for cells in rows(compared) for name in CODE.findall(cells[0])]
    assert documented == list(summarise([Outcome(("a",), {"a": 1}, 1, 1, 1.0)]))


# All pages


def slug(heading: str) -> str:
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def anchors(text: str) -> set[str]:
    return {slug(h) for h in re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_has_a_target(path: Path) -> None:
    text = without_code(path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if "://" in target:
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file) if file else path
        assert there.exists(), target
        if anchor:
            assert anchor in anchors(there.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_page_contains_a_path_of_one_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"(?<![\w.])(?:/(?:home|root|Users|work|tmp|var)/|[A-Z]:\\)\S*", text)


def test_the_readme_shows_both_commands_that_set_docgraph_up() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert re.search(rf"^make {target}\b", readme, re.MULTILINE)
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_architecture_page_names_every_package_and_no_other() -> None:
    layers = sections(page("architecture.md"), 2)["Layers"]
    names = [name for cells in rows(layers) for name in CODE.findall(cells[0])]
    packages = {f"{path.parent.name}/" for path in SOURCE.glob("*/__init__.py")}
    modules = {path.name for path in SOURCE.glob("*.py")} - {"__init__.py"}
    assert sorted(names) == sorted(packages | modules)


def paths(text: str) -> list[str]:
    """Quoted names that can only be paths: with a folder, or of a module."""
    quoted = CODE.findall(re.sub(r"^    .*$", "", without_code(text), flags=re.MULTILINE))
    return [name for name in quoted if re.fullmatch(r"[\w.-]+(?:/[\w.-]*)+|\w+\.py", name)]


def test_every_path_that_the_architecture_page_names_exists() -> None:
    named = paths(page("architecture.md"))
    assert len(named) > 50
    assert [name for name in named if not any((at / name).exists() for at in (SOURCE, ROOT))] == []


def test_the_glossary_is_in_alphabetical_order_and_has_an_example_of_each_term() -> None:
    entries = rows(page("glossary.md"))
    terms = [cells[0].strip("*") for cells in entries]
    assert terms == sorted(set(terms))
    assert all(len(cells) == 3 and all(cells) for cells in entries)


def test_a_picture_fetches_nothing() -> None:
    for picture in sorted((DOCS / "pictures").iterdir()):
        text = picture.read_text(encoding="utf-8")
        assert set(re.findall(r"\w+://[^\s\"']+", text)) <= {"http://www.w3.org/2000/svg"}
        assert "@import" not in text
        assert "@font-face" not in text
