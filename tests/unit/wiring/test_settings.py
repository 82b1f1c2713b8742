"""Precedence of settings: command line, environment, docgraph.yaml, defaults; and their checks."""

import json
import typing
from dataclasses import fields, replace
from pathlib import Path

import pytest

from docgraph.adapters.onnx.session import PROVIDERS
from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import BadInput
from docgraph.wiring.embedder_settings import ExecutionProvider
from docgraph.wiring.model_settings import Endpoint
from docgraph.wiring.settings import Settings, _Written, read_settings

KNOWN = ", ".join(key.name for key in fields(_Written))
EVERY_KEY = """\
store: written.db
wait: 30
embedder:
  folder: models/tiny
  endpoint: http://written/v1
  model: written-embedder
  labels: [board, eu]
  level: 2
  dimensions: 3072
  concurrency: 8
  requests_per_minute: 60
  execution_providers: [cuda, cpu]
reranker:
  folder: models/cross
  endpoint: http://written/v2
  model: written-reranker
  labels: [hr]
  level: 1
"""
EVERY_VARIABLE = {
    "DOCGRAPH_STORE": "given.db",
    "DOCGRAPH_WAIT": "2.5",
    "DOCGRAPH_EMBEDDER_FOLDER": "models/given",
    "DOCGRAPH_EMBEDDER_ENDPOINT": "http://given/v1",
    "DOCGRAPH_EMBEDDER_MODEL": "given-embedder",
    "DOCGRAPH_EMBEDDER_KEY": "embedder-secret",
    "DOCGRAPH_EMBEDDER_LABELS": "eu, staff only",
    "DOCGRAPH_EMBEDDER_LEVEL": "3",
    "DOCGRAPH_EMBEDDER_DIMENSIONS": "1536",
    "DOCGRAPH_EMBEDDER_CONCURRENCY": "64",
    "DOCGRAPH_EMBEDDER_REQUESTS_PER_MINUTE": "3000",
    "DOCGRAPH_RERANKER_FOLDER": "models/given-cross",
    "DOCGRAPH_RERANKER_ENDPOINT": "http://given/v2",
    "DOCGRAPH_RERANKER_MODEL": "given-reranker",
    "DOCGRAPH_RERANKER_KEY": "reranker-secret",
    "DOCGRAPH_RERANKER_LABELS": "board",
    "DOCGRAPH_RERANKER_LEVEL": "4",
}
GIVEN = Settings(
    store="given.db",
    wait=2.5,
    embedder_folder="models/given",
    embedder_endpoint=Endpoint(
        "http://given/v1",
        "given-embedder",
        "embedder-secret",
        Clearance(frozenset({"eu", "staff only"}), 3),
        dimensions=1536,
        concurrency=64,
        requests_per_minute=3000,
    ),
    reranker_folder="models/given-cross",
    reranker_endpoint=Endpoint(
        "http://given/v2", "given-reranker", "reranker-secret", Clearance(frozenset({"board"}), 4)
    ),
)
WRITTEN_EMBEDDER = Endpoint(
    "http://written/v1",
    "written-embedder",
    clearance=Clearance(frozenset({"board", "eu"}), 2),
    dimensions=3072,
    concurrency=8,
    requests_per_minute=60,
)
WRITTEN_RERANKER = Endpoint(
    "http://written/v2", "written-reranker", clearance=Clearance(frozenset({"hr"}), 1)
)


class SettingsFolder:
    """A current folder with a docgraph.yaml."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "docgraph.yaml"

    def read(self, written: str | bytes = "", store: str | None = None, **given: str) -> Settings:
        self.file.write_bytes(written if isinstance(written, bytes) else written.encode())
        return read_settings(given, self.folder, store)

    def refusal(self, written: str | bytes = "", **given: str) -> str:
        """The error message, without the name of the file."""
        with pytest.raises(BadInput) as caught:
            self.read(written, **given)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(str(self.file))


@pytest.fixture
def settings_folder(tmp_path: Path) -> SettingsFolder:
    return SettingsFolder(tmp_path)


# Precedence


def test_every_setting_has_a_default(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path) == Settings(".docgraph/docgraph.db", wait=600)


@pytest.mark.parametrize("written", ["", "# nothing yet\n", "{}\n", "---\n"])
def test_an_empty_file_sets_nothing(settings_folder: SettingsFolder, written: str) -> None:
    assert settings_folder.read(written) == Settings(config=str(settings_folder.file))


def test_every_key_of_the_file_is_used(settings_folder: SettingsFolder) -> None:
    assert settings_folder.read(EVERY_KEY) == Settings(
        store="written.db",
        wait=30,
        embedder_folder="models/tiny",
        embedder_endpoint=WRITTEN_EMBEDDER,
        execution_providers=("cuda", "cpu"),
        reranker_folder="models/cross",
        reranker_endpoint=WRITTEN_RERANKER,
        config=str(settings_folder.file),
    )


def test_every_variable_is_used(tmp_path: Path) -> None:
    assert read_settings(EVERY_VARIABLE, tmp_path) == GIVEN


def test_every_variable_comes_before_the_file(settings_folder: SettingsFolder) -> None:
    found = settings_folder.read(EVERY_KEY, **EVERY_VARIABLE)
    assert found == replace(
        GIVEN, config=str(settings_folder.file), execution_providers=("cuda", "cpu")
    )


def test_the_command_line_comes_before_everything(settings_folder: SettingsFolder) -> None:
    assert settings_folder.read(EVERY_KEY, store="option.db", **EVERY_VARIABLE).store == "option.db"
    assert settings_folder.read(EVERY_KEY, store="option.db").store == "option.db"
    assert settings_folder.read(store="option.db").store == "option.db"


def test_a_variable_overrides_only_its_own_key(settings_folder: SettingsFolder) -> None:
    found = settings_folder.read(EVERY_KEY, DOCGRAPH_RERANKER_MODEL="given-reranker")
    assert found.reranker_endpoint == replace(WRITTEN_RERANKER, model="given-reranker")
    assert found.store == "written.db"
    assert found.wait == 30


def test_an_empty_variable_sets_nothing(settings_folder: SettingsFolder) -> None:
    empty = dict.fromkeys([*EVERY_VARIABLE, "DOCGRAPH_CONFIG"], "")
    assert settings_folder.read(EVERY_KEY, **empty) == settings_folder.read(EVERY_KEY)


def test_an_empty_string_in_the_file_sets_nothing(settings_folder: SettingsFolder) -> None:
    empty = "{folder: '', endpoint: '', model: ''}"
    found = settings_folder.read(f"store: ''\nembedder: {empty}\nreranker: {empty}\n")
    assert found.store == Settings().store
    assert not found.embedder_folder
    assert not found.reranker_folder
    assert found.embedder_endpoint is None
    assert found.reranker_endpoint is None


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_endpoint_in_the_environment_overrides_a_folder_in_the_file(
    settings_folder: SettingsFolder, name: str
) -> None:
    def selected(written: str = "", **given: str) -> tuple[str | None, Endpoint | None]:
        known = {f"DOCGRAPH_{name.upper()}_{key.upper()}": value for key, value in given.items()}
        found = settings_folder.read(written, **known)
        if name == "embedder":
            return found.embedder_folder, found.embedder_endpoint
        return found.reranker_folder, found.reranker_endpoint

    written, server = f"{name}: {{folder: models/tiny}}\n", Endpoint("http://given/v1", "m")
    assert selected(written) == ("models/tiny", None)
    assert selected(written, endpoint=server.url, model="m") == (None, server)
    both = selected(written, endpoint=server.url, model="m", folder="models/given")
    assert both == ("models/given", server)


def test_the_wait_may_be_zero(settings_folder: SettingsFolder) -> None:
    assert settings_folder.read("wait: 0\n").wait == 0
    assert settings_folder.read("wait: 30\n", DOCGRAPH_WAIT="0").wait == 0


# Clearance of endpoints


@pytest.mark.requirement(47)
@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_the_default_clearance_of_an_endpoint_is_unclassified(
    settings_folder: SettingsFolder, name: str
) -> None:
    found = settings_folder.read(f"{name}: {{endpoint: http://h/v1, model: m}}\n")
    endpoint = found.embedder_endpoint or found.reranker_endpoint
    assert endpoint is not None
    assert endpoint.clearance == UNCLASSIFIED


@pytest.mark.requirement(47)
@pytest.mark.parametrize("name", ["EMBEDDER", "RERANKER"])
def test_the_clearance_in_the_file_applies_to_the_server_in_the_file_only(
    settings_folder: SettingsFolder, name: str
) -> None:
    def clearance(**given: str) -> Clearance:
        known = {f"DOCGRAPH_{name}_{key.upper()}": value for key, value in given.items()}
        found = settings_folder.read(EVERY_KEY, **known)
        endpoint = found.embedder_endpoint if name == "EMBEDDER" else found.reranker_endpoint
        assert endpoint is not None
        return endpoint.clearance

    written = WRITTEN_EMBEDDER if name == "EMBEDDER" else WRITTEN_RERANKER
    assert clearance(model="other", key="sesame") == written.clearance
    assert clearance(endpoint=written.url) == written.clearance
    assert clearance(endpoint="http://other/v1") == UNCLASSIFIED
    assert clearance(endpoint="http://other/v1", level="1") == Clearance(level=1)
    assert clearance(endpoint="http://other/v1", labels="eu") == Clearance(frozenset({"eu"}))
    assert clearance(level="0") == Clearance(written.clearance.labels, 0)
    assert clearance(labels="x") == Clearance(frozenset({"x"}), written.clearance.level)


@pytest.mark.parametrize("name", ["EMBEDDER", "RERANKER"])
@pytest.mark.parametrize("level", ["high", "-1", "1.5", "nan", "1,2", "9" * 5000])
def test_a_level_that_is_not_a_number_is_refused(
    settings_folder: SettingsFolder, name: str, level: str
) -> None:
    message = settings_folder.refusal(**{f"DOCGRAPH_{name}_LEVEL": level})
    assert message == f"DOCGRAPH_{name}_LEVEL: {level!r} is not a whole number, 0 or more"


@pytest.mark.parametrize("name", ["EMBEDDER", "RERANKER"])
@pytest.mark.parametrize("labels", [",", " ", "board,", "board, ,eu"])
def test_an_empty_label_is_refused(settings_folder: SettingsFolder, name: str, labels: str) -> None:
    message = settings_folder.refusal(**{f"DOCGRAPH_{name}_LABELS": labels})
    assert message.startswith(f"DOCGRAPH_{name}_LABELS: {labels!r} names an empty label")


# The file


@pytest.mark.parametrize("absolute", [True, False])
def test_another_file_can_be_named(settings_folder: SettingsFolder, absolute: bool) -> None:
    other = settings_folder.folder / "other.yaml"
    other.write_text("store: other.db\n")
    found = settings_folder.read(
        "store: written.db\n", DOCGRAPH_CONFIG=str(other if absolute else other.name)
    )
    assert found.store == "other.db"
    assert found.config == str(other)


@pytest.mark.parametrize("name", ["missing.yaml", "."])
def test_a_file_that_is_named_must_exist(settings_folder: SettingsFolder, name: str) -> None:
    message = settings_folder.refusal(EVERY_KEY, DOCGRAPH_CONFIG=name)
    assert message == f"DOCGRAPH_CONFIG: there is no file {name}"


# Invalid settings


@pytest.mark.parametrize(
    ("written", "message"),
    {
        "stor: a.db": "no setting is called 'stor'; did you mean 'store'?",
        "colour: red": (f"no setting is called 'colour'; known: {KNOWN}"),
        "embedder: {modle: m}": "no setting is called 'embedder.modle'; did you mean 'model'?",
        "reranker: {pack: f}": (
            "no setting is called 'reranker.pack'; "
            "known: folder, endpoint, model, labels, level, provider, options"
        ),
        "1: a": f"no setting is called '1'; known: {KNOWN}",
        "store: 7": "store: Input should be a valid string",
        "store: [a.db]": "store: Input should be a valid string",
        "store: 2024-01-01": "store: Input should be a valid string",
        "wait: soon": "wait: Input should be a valid number",
        "wait: '30'": "wait: Input should be a valid number",
        "wait: true": "wait: Input should be a valid number",
        "wait: -1": "wait: Input should be greater than or equal to 0",
        "wait: .nan": "wait: Input should be a finite number",
        "wait: .inf": "wait: Input should be a finite number",
        "embedder: granite": "embedder: Input should be an object",
        "embedder: {folder: 1}": "embedder.folder: Input should be a valid string",
        "embedder: {endpoint: [], model: m}": "embedder.endpoint: Input should be a valid string",
        "embedder: {endpoint: e, model: 1}": "embedder.model: Input should be a valid string",
        "reranker: {folder: [f]}": "reranker.folder: Input should be a valid string",
        "reranker: {endpoint: 1, model: m}": "reranker.endpoint: Input should be a valid string",
        "reranker: {endpoint: e, model: {}}": "reranker.model: Input should be a valid string",
        "embedder: {labels: board}": "embedder.labels: Input should be a valid array",
        "embedder: {labels: [7]}": "embedder.labels.0: Input should be a valid string",
        "reranker: {labels: [a, '']}": "reranker.labels.1: String should have at least 1 character",
        "reranker: {level: high}": "reranker.level: Input should be a valid integer",
        "reranker: {level: '1'}": "reranker.level: Input should be a valid integer",
        "reranker: {level: true}": "reranker.level: Input should be a valid integer",
        "embedder: {level: 1.5}": "embedder.level: Input should be a valid integer",
        "embedder: {level: -1}": "embedder.level: Input should be greater than or equal to 0",
        "embedder: {execution_providers: []}": "embedder.execution_providers: "
        "List should have at least 1 item after validation, not 0",
        "embedder: {execution_providers: [gpu]}": "embedder.execution_providers.0: "
        "Input should be 'coreml', 'cpu', 'cuda', 'directml' or 'openvino'",
        "reranker: {execution_providers: [cpu]}": "no setting is called "
        "'reranker.execution_providers'; "
        "known: folder, endpoint, model, labels, level, provider, options",
        "embedder: {dimensions: wide}": "embedder.dimensions: Input should be a valid integer",
        "embedder: {dimensions: 0}": "embedder.dimensions: "
        "Input should be greater than or equal to 1",
        "embedder: {dimensions: 16001}": "embedder.dimensions: "
        "Input should be less than or equal to 16000",
        "embedder: {concurrency: 0}": "embedder.concurrency: "
        "Input should be greater than or equal to 1",
        "embedder: {concurrency: 65}": "embedder.concurrency: "
        "Input should be less than or equal to 64",
        "embedder: {requests_per_minute: 0}": "embedder.requests_per_minute: "
        "Input should be greater than or equal to 1",
        "reranker: {concurrency: 8}": "no setting is called 'reranker.concurrency'; "
        "known: folder, endpoint, model, labels, level, provider, options",
        "reranker: {dimensions: 8}": "no setting is called 'reranker.dimensions'; "
        "known: folder, endpoint, model, labels, level, provider, options",
        "[store]": "the file: Input should be an object",
    }.items(),
)
def test_an_error_names_the_file_and_the_key(
    settings_folder: SettingsFolder, written: str, message: str
) -> None:
    assert settings_folder.refusal(written) == f": {message}"


@pytest.mark.parametrize(
    ("written", "message"),
    {
        b"store: a.db\nembedder: [": ":2: not YAML: expected the node content",
        b"store: !!python/name:os.system": ":1: not YAML: could not determine a constructor",
        b"store: \x00": ": not YAML: special characters are not allowed",
        b"store: caf\xe9": ": cannot be read: 'utf-8' codec can't decode byte 0xe9",
        b"store: &a [*a]": ": cannot be read: Circular reference",
        b"[" * 5000: ": cannot be read: nested too deeply",
    }.items(),
    ids=["bad YAML", "tag", "control", "not UTF-8", "circle", "deep"],
)
def test_an_error_names_the_file_that_cannot_be_read(
    settings_folder: SettingsFolder, written: bytes, message: str
) -> None:
    assert settings_folder.refusal(written).startswith(message)


@pytest.mark.parametrize("wait", ["soon", "-1", "nan", "inf", "1,5"])
def test_a_wait_that_is_not_a_number_of_seconds_is_refused(
    settings_folder: SettingsFolder, wait: str
) -> None:
    message = settings_folder.refusal("wait: 30\n", DOCGRAPH_WAIT=wait)
    assert message == f"DOCGRAPH_WAIT: {wait!r} is not a number of seconds, 0 or more"


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_endpoint_needs_a_model(settings_folder: SettingsFolder, name: str) -> None:
    variable = f"DOCGRAPH_{name.upper()}"
    needs = f"needs a model beside it: {name}.model or {variable}_MODEL"
    written = f"{name}: {{endpoint: http://me:secret@written/v1}}\n"
    assert settings_folder.refusal(written) == f": {name}.endpoint: {needs}"
    given = {f"{variable}_ENDPOINT": "http://me:secret@given/v1"}
    assert settings_folder.refusal(**given) == f"{variable}_ENDPOINT: {needs}"


def test_a_model_without_an_address_is_not_an_endpoint(settings_folder: SettingsFolder) -> None:
    found = settings_folder.read("embedder: {model: m}\n", DOCGRAPH_RERANKER_MODEL="m")
    assert found.embedder_endpoint is None
    assert found.reranker_endpoint is None


# Secrets


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_api_key_is_read_from_the_environment_only(
    settings_folder: SettingsFolder, name: str
) -> None:
    server = {"endpoint": "http://h/v1", "model": "m"}
    message = settings_folder.refusal(json.dumps({name: {**server, "key": "sesame"}}))
    assert message.startswith(f": no setting is called '{name}.key'")
    assert "sesame" not in message
    found = settings_folder.read(
        json.dumps({name: server}), **{f"DOCGRAPH_{name.upper()}_KEY": "sesame"}
    )
    endpoint = found.embedder_endpoint or found.reranker_endpoint
    assert endpoint == Endpoint("http://h/v1", "m", "sesame")
    assert "sesame" not in repr(found)


# Numbers for an embedding endpoint


NUMBERS = (
    "embedder: {endpoint: http://written/v1, model: m, dimensions: 3072, concurrency: 8, "
    "requests_per_minute: 60}\n"
)


def test_numbers_of_the_file_are_for_the_server_of_the_file_only(
    settings_folder: SettingsFolder,
) -> None:
    def numbers(**given: str) -> tuple[int | None, ...]:
        endpoint = settings_folder.read(NUMBERS, **given).embedder_endpoint
        assert endpoint is not None
        return endpoint.dimensions, endpoint.concurrency, endpoint.requests_per_minute

    assert numbers() == (3072, 8, 60)
    assert numbers(DOCGRAPH_EMBEDDER_ENDPOINT="http://given/v1") == (None, None, None)
    assert numbers(DOCGRAPH_EMBEDDER_DIMENSIONS="256") == (256, 8, 60)
    assert numbers(DOCGRAPH_EMBEDDER_CONCURRENCY="1") == (3072, 1, 60)
    other = {"DOCGRAPH_EMBEDDER_ENDPOINT": "http://given/v1"}
    rate = {"DOCGRAPH_EMBEDDER_REQUESTS_PER_MINUTE": "5"}
    assert numbers(**other, **rate) == (None, None, 5)


@pytest.mark.parametrize(
    ("variable", "most"),
    [
        ("DOCGRAPH_EMBEDDER_DIMENSIONS", 16_000),
        ("DOCGRAPH_EMBEDDER_CONCURRENCY", 64),
        ("DOCGRAPH_EMBEDDER_REQUESTS_PER_MINUTE", 1_000_000),
    ],
)
def test_a_variable_that_is_no_such_number_is_refused(
    settings_folder: SettingsFolder, variable: str, most: int
) -> None:
    for given in ("0", "-1", str(most + 1), "many", "1.5", "\u0662"):
        message = settings_folder.refusal(NUMBERS, **{variable: given})
        assert message == f"{variable}: {given!r} is not a whole number, 1 to {most}"
    assert settings_folder.read(NUMBERS, **{variable: str(most)}).embedder_endpoint


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("dimensions", "only an endpoint is asked for dimensions"),
        ("concurrency", "only an endpoint has this setting"),
        ("requests_per_minute", "only an endpoint has this setting"),
    ],
)
@pytest.mark.parametrize("other", ["", "folder: models/tiny, ", "provider: hashing, "])
def test_only_an_endpoint_has_these_numbers(
    settings_folder: SettingsFolder, other: str, name: str, rule: str
) -> None:
    refusal = f"{rule}; a plug-in's are among embedder.options"
    written = f"embedder: {{{other}{name}: 16}}"
    assert settings_folder.refusal(written) == f": embedder.{name}: {refusal}"
    variable = f"DOCGRAPH_EMBEDDER_{name.upper()}"
    assert settings_folder.refusal(**{variable: "9"}) == f"{variable}: {refusal}"


# Execution providers


def test_the_names_of_execution_providers_are_those_that_models_know() -> None:
    assert typing.get_args(ExecutionProvider) == tuple(PROVIDERS)


def test_execution_providers_keep_their_order_and_are_each_named_once(
    settings_folder: SettingsFolder,
) -> None:
    found = settings_folder.read("embedder: {execution_providers: [cuda, cpu, cuda]}")
    assert found.execution_providers == ("cuda", "cpu")


@pytest.mark.parametrize("embedder", ["endpoint: http://written/v1, model: m", "provider: hashing"])
def test_only_a_model_of_this_process_has_execution_providers(
    settings_folder: SettingsFolder, embedder: str
) -> None:
    message = settings_folder.refusal(f"embedder: {{{embedder}, execution_providers: [cuda]}}")
    rule = "only the bundled model and one in a folder run on them"
    assert message == f": embedder.execution_providers: {rule}"


@pytest.mark.parametrize("embedder", ["folder: models/tiny", "provider: granite"])
def test_the_bundled_model_and_one_in_a_folder_have_execution_providers(
    settings_folder: SettingsFolder, embedder: str
) -> None:
    found = settings_folder.read(f"embedder: {{{embedder}, execution_providers: [openvino]}}")
    assert found.execution_providers == ("openvino",)
