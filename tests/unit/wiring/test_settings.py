"""The command line before the environment before docgraph.yaml before the defaults."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from docgraph.model.access import UNCLASSIFIED, Clearance
from docgraph.model.errors import BadInput
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
    ),
    reranker_folder="models/given-cross",
    reranker_endpoint=Endpoint(
        "http://given/v2", "given-reranker", "reranker-secret", Clearance(frozenset({"board"}), 4)
    ),
)
WRITTEN_EMBEDDER = Endpoint(
    "http://written/v1", "written-embedder", clearance=Clearance(frozenset({"board", "eu"}), 2)
)
WRITTEN_RERANKER = Endpoint(
    "http://written/v2", "written-reranker", clearance=Clearance(frozenset({"hr"}), 1)
)


class Installation:
    """A folder in which a command runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "docgraph.yaml"

    def read(self, written: str | bytes = "", store: str | None = None, **given: str) -> Settings:
        self.file.write_bytes(written if isinstance(written, bytes) else written.encode())
        return read_settings(given, self.folder, store)

    def refusal(self, written: str | bytes = "", **given: str) -> str:
        """In one line, and after the file's name if it is the file that is wrong."""
        with pytest.raises(BadInput) as caught:
            self.read(written, **given)
        assert "\n" not in str(caught.value)
        return str(caught.value).removeprefix(str(self.file))


@pytest.fixture
def place(tmp_path: Path) -> Installation:
    return Installation(tmp_path)


# What comes first


def test_nothing_needs_to_be_set(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path) == Settings(".docgraph/docgraph.db", wait=600)


@pytest.mark.parametrize("written", ["", "# nothing yet\n", "{}\n", "---\n"])
def test_an_empty_file_sets_nothing(place: Installation, written: str) -> None:
    assert place.read(written) == Settings(config=str(place.file))


def test_every_key_of_the_file_is_used(place: Installation) -> None:
    assert place.read(EVERY_KEY) == Settings(
        store="written.db",
        wait=30,
        embedder_folder="models/tiny",
        embedder_endpoint=WRITTEN_EMBEDDER,
        reranker_folder="models/cross",
        reranker_endpoint=WRITTEN_RERANKER,
        config=str(place.file),
    )


def test_every_variable_is_used(tmp_path: Path) -> None:
    assert read_settings(EVERY_VARIABLE, tmp_path) == GIVEN


def test_every_variable_comes_before_the_file(place: Installation) -> None:
    found = place.read(EVERY_KEY, **EVERY_VARIABLE)
    assert found == replace(GIVEN, config=str(place.file))


def test_the_command_line_comes_before_everything(place: Installation) -> None:
    assert place.read(EVERY_KEY, store="said.db", **EVERY_VARIABLE).store == "said.db"
    assert place.read(EVERY_KEY, store="said.db").store == "said.db"
    assert place.read(store="said.db").store == "said.db"


def test_a_variable_overrides_its_own_key_alone(place: Installation) -> None:
    found = place.read(EVERY_KEY, DOCGRAPH_RERANKER_MODEL="given-reranker")
    assert found.reranker_endpoint == replace(WRITTEN_RERANKER, model="given-reranker")
    assert found.store == "written.db"
    assert found.wait == 30


def test_an_empty_variable_counts_as_none(place: Installation) -> None:
    nothing = dict.fromkeys([*EVERY_VARIABLE, "DOCGRAPH_CONFIG"], "")
    assert place.read(EVERY_KEY, **nothing) == place.read(EVERY_KEY)


def test_an_empty_text_in_the_file_counts_as_none(place: Installation) -> None:
    empty = "{folder: '', endpoint: '', model: ''}"
    found = place.read(f"store: ''\nembedder: {empty}\nreranker: {empty}\n")
    assert found.store == Settings().store
    assert not found.embedder_folder
    assert not found.reranker_folder
    assert found.embedder_endpoint is None
    assert found.reranker_endpoint is None


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_endpoint_from_the_environment_overrides_a_folder_of_the_file(
    place: Installation, name: str
) -> None:
    def chosen(written: str = "", **given: str) -> tuple[str | None, Endpoint | None]:
        known = {f"DOCGRAPH_{name.upper()}_{key.upper()}": value for key, value in given.items()}
        found = place.read(written, **known)
        if name == "embedder":
            return found.embedder_folder, found.embedder_endpoint
        return found.reranker_folder, found.reranker_endpoint

    written, server = f"{name}: {{folder: models/tiny}}\n", Endpoint("http://given/v1", "m")
    assert chosen(written) == ("models/tiny", None)
    assert chosen(written, endpoint=server.url, model="m") == (None, server)
    both = chosen(written, endpoint=server.url, model="m", folder="models/given")
    assert both == ("models/given", server)


def test_no_waiting_can_be_set(place: Installation) -> None:
    assert place.read("wait: 0\n").wait == 0
    assert place.read("wait: 30\n", DOCGRAPH_WAIT="0").wait == 0


# What may leave


@pytest.mark.requirement(47)
@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_endpoint_gets_nothing_marked_until_someone_says_so(
    place: Installation, name: str
) -> None:
    found = place.read(f"{name}: {{endpoint: http://h/v1, model: m}}\n")
    endpoint = found.embedder_endpoint or found.reranker_endpoint
    assert endpoint is not None
    assert endpoint.clearance == UNCLASSIFIED


@pytest.mark.requirement(47)
@pytest.mark.parametrize("name", ["EMBEDDER", "RERANKER"])
def test_what_the_file_lets_out_goes_to_the_files_own_server_alone(
    place: Installation, name: str
) -> None:
    def clearance(**given: str) -> Clearance:
        known = {f"DOCGRAPH_{name}_{key.upper()}": value for key, value in given.items()}
        found = place.read(EVERY_KEY, **known)
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
def test_a_level_that_is_no_number_is_refused(place: Installation, name: str, level: str) -> None:
    said = place.refusal(**{f"DOCGRAPH_{name}_LEVEL": level})
    assert said == f"DOCGRAPH_{name}_LEVEL: {level!r} is not a whole number, 0 or more"


@pytest.mark.parametrize("name", ["EMBEDDER", "RERANKER"])
@pytest.mark.parametrize("labels", [",", " ", "board,", "board, ,eu"])
def test_an_empty_label_is_refused(place: Installation, name: str, labels: str) -> None:
    said = place.refusal(**{f"DOCGRAPH_{name}_LABELS": labels})
    assert said.startswith(f"DOCGRAPH_{name}_LABELS: {labels!r} names an empty label")


# Which file


@pytest.mark.parametrize("absolute", [True, False])
def test_another_file_can_be_named(place: Installation, absolute: bool) -> None:
    other = place.folder / "other.yaml"
    other.write_text("store: other.db\n")
    found = place.read(
        "store: written.db\n", DOCGRAPH_CONFIG=str(other if absolute else other.name)
    )
    assert found.store == "other.db"
    assert found.config == str(other)


@pytest.mark.parametrize("named", ["missing.yaml", "."])
def test_a_file_that_is_named_must_be_there(place: Installation, named: str) -> None:
    said = place.refusal(EVERY_KEY, DOCGRAPH_CONFIG=named)
    assert said == f"DOCGRAPH_CONFIG: there is no file {named}"


# What is refused


@pytest.mark.parametrize(
    ("written", "said"),
    {
        "stor: a.db": "no setting is called 'stor'; did you mean 'store'?",
        "colour: red": (f"no setting is called 'colour'; known: {KNOWN}"),
        "embedder: {modle: m}": "no setting is called 'embedder.modle'; did you mean 'model'?",
        "reranker: {pack: f}": (
            "no setting is called 'reranker.pack'; known: folder, endpoint, model, labels, level"
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
        "[store]": "the file: Input should be an object",
    }.items(),
)
def test_what_does_not_fit_is_refused_by_file_and_key(
    place: Installation, written: str, said: str
) -> None:
    assert place.refusal(written) == f": {said}"


@pytest.mark.parametrize(
    ("written", "said"),
    {
        b"store: a.db\nembedder: [": ":2: not YAML: expected the node content",
        b"store: !!python/name:os.system": ":1: not YAML: could not determine a constructor",
        b"store: \x00": ": not YAML: special characters are not allowed",
        b"store: caf\xe9": ": cannot be read: 'utf-8' codec can't decode byte 0xe9",
        b"store: &a [*a]": ": cannot be read: Circular reference",
        b"[" * 5000: ": cannot be read: maximum recursion depth",
    }.items(),
    ids=["bad YAML", "tag", "control", "not UTF-8", "circle", "deep"],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(
    place: Installation, written: bytes, said: str
) -> None:
    assert place.refusal(written).startswith(said)


@pytest.mark.parametrize("wait", ["soon", "-1", "nan", "inf", "1,5"])
def test_a_wait_that_is_no_number_of_seconds_is_refused(place: Installation, wait: str) -> None:
    said = place.refusal("wait: 30\n", DOCGRAPH_WAIT=wait)
    assert said == f"DOCGRAPH_WAIT: {wait!r} is not a number of seconds, 0 or more"


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_an_endpoint_needs_a_model(place: Installation, name: str) -> None:
    variable = f"DOCGRAPH_{name.upper()}"
    needs = f"needs a model beside it: {name}.model or {variable}_MODEL"
    written = f"{name}: {{endpoint: http://me:secret@written/v1}}\n"
    assert place.refusal(written) == f": {name}.endpoint: {needs}"
    given = {f"{variable}_ENDPOINT": "http://me:secret@given/v1"}
    assert place.refusal(**given) == f"{variable}_ENDPOINT: {needs}"


def test_a_model_alone_is_no_endpoint(place: Installation) -> None:
    found = place.read("embedder: {model: m}\n", DOCGRAPH_RERANKER_MODEL="m")
    assert found.embedder_endpoint is None
    assert found.reranker_endpoint is None


# Secrets


@pytest.mark.parametrize("name", ["embedder", "reranker"])
def test_a_key_comes_from_the_environment_alone(place: Installation, name: str) -> None:
    server = {"endpoint": "http://h/v1", "model": "m"}
    said = place.refusal(json.dumps({name: {**server, "key": "sesame"}}))
    assert said.startswith(f": no setting is called '{name}.key'")
    assert "sesame" not in said
    found = place.read(json.dumps({name: server}), **{f"DOCGRAPH_{name.upper()}_KEY": "sesame"})
    endpoint = found.embedder_endpoint or found.reranker_endpoint
    assert endpoint == Endpoint("http://h/v1", "m", "sesame")
    assert "sesame" not in repr(found)
