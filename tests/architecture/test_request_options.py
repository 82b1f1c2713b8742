"""An option of a request is offered by every interface that its field names, and by no other.

A new field of QuestionRequest fails here until it has a value in VALUES, a parameter in each
interface, and a line in that interface's page.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main
from mcp import ClientSession
from typer.testing import CliRunner

import docgraph
from docgraph.integrations.base import RetrieverFields, RetrieverOptions
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.cli.app import app
from docgraph.interfaces.http.requests import RetrieveBody
from docgraph.interfaces.mcp.server import mcp_server
from docgraph.interfaces.mcp.tool_context import ToolContext, load_pipelines
from docgraph.interfaces.mcp.tools.context import CONTEXT
from docgraph.interfaces.python.options import QuestionOptions
from docgraph.pipeline.request import INTERFACES, OVERRIDES, Override
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.build import build_engine
from docgraph.wiring.settings import Settings
from tests.architecture.test_docs import page
from tests.support.http_app import open_app, settings_of
from tests.support.mcp_clients import call_tool, in_memory
from tests.support.notes_store import QUESTION, ingest_notes

VALUES: Mapping[str, Any] = {"top": 3, "max_tokens": 77}  # none is a pipeline's own


@dataclass(frozen=True, slots=True)
class Row:
    """One interface: its page, how it spells an option, the help it shows, and a real call.

    `shown` gives None where the interface does not have the option. `call` gives a receipt.
    """

    page: str
    spelled: Callable[[str], str]
    shown: Callable[[str], str | None]
    call: Callable[[Path, Mapping[str, Any]], Mapping[str, Any]]


def flag(option: str) -> str:
    return f"--{option.replace('_', '-')}"


def help_of_cli(option: str) -> str | None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return next((one.help for one in commands["context"].params if flag(option) in one.opts), None)


def help_of_http(option: str) -> str | None:
    return description_of(RetrieveBody.model_json_schema()["properties"], option)


def help_of_mcp(option: str) -> str | None:
    return description_of(CONTEXT.definition(()).inputSchema["properties"], option)


def description_of(properties: Mapping[str, Any], option: str) -> str | None:
    return properties[option].get("description", "") if option in properties else None


def help_of_python(option: str) -> str | None:
    """A TypedDict holds no help; its page does."""
    keys = QuestionOptions.__optional_keys__
    return OVERRIDES[option].help if option in keys and option in OVERRIDES else None


def call_cli(folder: Path, options: Mapping[str, Any]) -> Mapping[str, Any]:
    words = [word for name, value in options.items() for word in (flag(name), str(value))]
    store, file = str(folder / "store.db"), folder / "receipt.json"
    command = ["context", QUESTION, "--store", store, "--receipt", str(file), *words]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    return dict(json.loads(file.read_text(encoding="utf-8")))


def call_http(folder: Path, options: Mapping[str, Any]) -> Mapping[str, Any]:
    body = {"question": QUESTION, "receipt": True, **options}
    with open_app(settings_of(folder)) as server:
        answer = server.post("/v1/retrieve", body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["receipt"])


def call_mcp(folder: Path, options: Mapping[str, Any]) -> Mapping[str, Any]:
    context = ToolContext(build_engine(Settings(str(folder / "store.db"))), load_pipelines())
    server = mcp_server(context, lambda _: local(), from_afar=False)

    async def call() -> Any:
        async with in_memory(server) as client:
            return await ask(client)

    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "context", question=QUESTION, receipt=True, **options)

    return dict(asyncio.run(call())["receipt"])


def call_python(folder: Path, options: Mapping[str, Any]) -> Mapping[str, Any]:
    with docgraph.open(folder / "store.db") as store:
        return dict(json.loads(store.retrieve(QUESTION, **options).receipt().to_json()))


ROWS = {
    "cli": Row("cli.md", flag, help_of_cli, call_cli),
    "http": Row("http.md", str, help_of_http, call_http),
    "mcp": Row("mcp.md", str, help_of_mcp, call_mcp),
    "python": Row("python.md", str, help_of_python, call_python),
}
OFFERED = [(name, interface) for name, one in OVERRIDES.items() for interface in one.interfaces]


@contextmanager
def stand_in_embedder() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docgraph.wiring.models.preload_embedder", lambda _: HashedWords)
        patch.setattr("docgraph.wiring.build.open_embedder", lambda _: HashedWords())
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with stand_in_embedder():
        place = tmp_path_factory.mktemp("notes")
        ingest_notes(place)
        yield place


def problems(option: str, override: Override) -> list[str]:
    """What is missing where, or offered by an interface that the field does not name."""
    found = [f"no value for {option}"] if option not in VALUES else []
    for interface, row in ROWS.items():
        shown = row.shown(option)
        if interface not in override.interfaces:
            found += [f"{interface} offers {option}"] if shown is not None else []
        elif shown != override.help:
            found.append(f"{interface} does not offer {option} with its help")
        elif row.spelled(option) not in page(row.page):
            found.append(f"{row.page} does not name {option}")
    return found


def setting(receipt: Mapping[str, Any], override: Override) -> Any:
    (step,) = (one for one in receipt["steps"] if one["action"] == override.action)
    return dict(step["options"])[override.option]


def test_every_interface_has_a_row() -> None:
    assert tuple(ROWS) == INTERFACES
    assert {name for one in OVERRIDES.values() for name in one.interfaces} <= set(INTERFACES)


@pytest.mark.parametrize("option", OVERRIDES)
def test_an_option_is_offered_where_its_field_says_and_documented(option: str) -> None:
    assert problems(option, OVERRIDES[option]) == []


def test_an_option_that_no_interface_offers_is_found() -> None:
    planned = Override("search_nodes", "rerank", "How many candidates are reranked.", INTERFACES)
    assert problems("rerank", planned) == [
        "no value for rerank",
        *(f"{interface} does not offer rerank with its help" for interface in INTERFACES),
    ]


def test_an_interface_that_offers_more_than_the_field_names_is_found() -> None:
    help_text = OVERRIDES["max_tokens"].help
    fewer = Override("assemble_context", "max_tokens", help_text, ("cli", "http", "python"))
    assert problems("max_tokens", fewer) == ["mcp offers max_tokens"]


@pytest.mark.parametrize(("option", "interface"), OFFERED)
def test_a_call_sets_the_option(option: str, interface: str, folder: Path) -> None:
    override, call = OVERRIDES[option], ROWS[interface].call
    assert setting(call(folder, {}), override) != VALUES[option]
    assert setting(call(folder, {option: VALUES[option]}), override) == VALUES[option]


def test_frameworks_take_every_option_of_a_python_question(folder: Path) -> None:
    assert set(RetrieverFields.model_fields) == QuestionOptions.__optional_keys__
    options: Any = {name: VALUES[name] for name in VALUES if "python" in OVERRIDES[name].interfaces}
    with docgraph.open(folder / "store.db") as store:
        evidence = RetrieverOptions(store, options).retrieve(QUESTION)
        assert evidence
        digests = {item.metadata["context_digest"] for item in evidence}
        assert digests == {store.retrieve(QUESTION, **options).context.digest}
        assert digests != {store.retrieve(QUESTION).context.digest}
