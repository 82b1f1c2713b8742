"""An unknown name is an error that says what would fit, on every interface.

A hidden name gives the same bytes as a missing one: each is asked of a store with hidden content
and of one without it.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from typer.testing import CliRunner

import docgraph
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.interfaces.cli.app import app
from docgraph.interfaces.mcp.server import mcp_server
from docgraph.interfaces.mcp.tool_context import ToolContext, load_pipelines
from docgraph.model.access import AccessRule, Person
from docgraph.model.errors import DocgraphError
from tests.support.http_app import HttpApp, key_for, open_app, settings_of
from tests.support.mcp_clients import call_error, in_memory
from tests.support.memory_source import MemorySource
from tests.support.notes_store import use_hashed_words

QUEUE = "# Queue\n\nUploads wait here; see the [worker](worker.md).\n\n## Pause\n\nA while.\n"
OPEN = {
    "queue.md": QUEUE,
    "worker.md": "# Worker\n\nThe worker takes uploads.\n",
    "old/README.md": "# Old\n\nUploads were sent manually.\n",
}
HIDDEN = {"secret.md": "# Secret\n\nThe worker of the secret queue.\n"}
STAFF = AccessRule("local", frozenset({"staff"}))
BOARD = AccessRule("local", frozenset({"board"}))
ASKED = "uploads"


@dataclass(frozen=True, slots=True)
class Installation:
    """A store, and ann of the staff who asks it."""

    path: str
    http: HttpApp
    key: str


@dataclass(frozen=True, slots=True)
class Request:
    """The same question on each interface; None where an interface does not offer it."""

    cli: tuple[str, ...] | None
    python: Callable[[docgraph.Docgraph], object]
    http: tuple[str, str, Mapping[str, Any]]
    mcp: tuple[str, Mapping[str, Any]] | None
    status: int = 404


def context(**names: Any) -> Request:
    options = [word for name, value in names.items() for word in (f"--{name}", str(value))]
    return Request(
        ("context", ASKED, *options),
        lambda opened: opened.retrieve(ASKED, as_="ann", **names),
        ("POST", "/v1/retrieve", {"question": ASKED, **names}),
        ("context", {"question": ASKED, **names}),
        status=422 if "pipeline" in names else 404,
    )


def seeded(command: str, *seeds: str) -> Request:
    method = {"context": "retrieve"}.get(command, command)
    return Request(
        (command, *(word for one in seeds for word in ("--seed", one))),
        lambda opened: getattr(opened, method)(seeds=seeds, as_="ann"),
        ("POST", {"context": "/v1/retrieve", "plan": "/v1/plans"}[command], {"seeds": list(seeds)}),
        (command, {"seeds": list(seeds)}),
    )


def related(**names: str) -> Request:
    options = [word for name, value in names.items() for word in (f"--{name}", value)]
    node, relation = names.get("node"), names.get("type")
    return Request(
        ("relations", "list", *options),
        lambda opened: opened.relations(node, relation=relation, as_="ann"),
        ("GET", "/v1/relations", names),
        ("relations", {"node": "notes:queue.md", **names}),
        status=422 if relation else 404,
    )


def listed(**names: str) -> Request:
    options = [word for name, value in names.items() for word in (f"--{name}", value)]
    return Request(
        ("snapshots", *options),
        lambda opened: opened.snapshots(as_="ann", **names),
        ("GET", "/v1/snapshots", names),
        None,
    )


def why(*seeds: str, node: str = "notes:queue.md") -> Request:
    return Request(
        ("why", node, *(word for one in seeds for word in ("--seed", one))),
        lambda opened: opened.why(node, seeds=seeds, as_="ann"),
        ("POST", "/v1/explain", {"node": node, "seeds": list(seeds)}),
        ("explain", {"node": node, "seeds": list(seeds)}),
    )


def fetched(node: str) -> Request:
    return Request(
        None,
        lambda opened: opened.node(node, as_="ann"),
        ("GET", f"/v1/nodes/{quote(node)}", {}),
        ("fetch", {"id": node}),
    )


def fetched_together(*nodes: str) -> Request:
    """Only the method takes several."""
    return replace(fetched(nodes[0]), python=lambda opened: opened.nodes(nodes, as_="ann"))


UNKNOWN = {
    "a repository": (
        context(repository="nots"),
        "nothing visible in repository 'nots'; did you mean 'notes'?",
    ),
    "a repository like no other": (
        context(repository="zz"),
        "nothing visible in repository 'zz'; known: notes",
    ),
    "a branch": (context(branch="wrk"), "nothing visible on branch 'wrk'; did you mean 'work'?"),
    "a branch of a repository": (
        context(repository="notes", branch="zz"),
        "nothing visible in repository 'notes' on branch 'zz'; known: main, work",
    ),
    "a branch of an unknown repository": (
        context(repository="nots", branch="main"),
        "nothing visible in repository 'nots' on branch 'main'; did you mean 'notes'?",
    ),
    "a snapshot": (
        context(repository="notes", branch="main", snapshot=9),
        (
            "nothing visible in repository 'notes' on branch 'main' in snapshot 9; "
            "`snapshots` lists their numbers"
        ),
    ),
    "a pipeline": (
        context(pipeline="documnts"),
        "no pipeline is called 'documnts'; did you mean 'documents'?",
    ),
    "a seed": (
        seeded("context", "notes:quue.md"),
        "no visible node has the id 'notes:quue.md'; did you mean 'notes:queue.md'?",
    ),
    "a seed beside a visible one": (
        seeded("plan", "notes:queue.md", "notes:workers.md"),
        "no visible node has the id 'notes:workers.md'; did you mean 'notes:worker.md'?",
    ),
    "a section as a seed": (
        seeded("plan", "notes:queue.md#pauze"),
        "no visible node has the id 'notes:queue.md#pauze'; did you mean 'notes:queue.md#pause'?",
    ),
    "a seed like no other": (
        seeded("context", "gone"),
        "no visible node has the id 'gone'; `search` gives the ids of what is visible",
    ),
    "a seed of an explanation": (
        why("notes:wrker.md"),
        "no visible node has the id 'notes:wrker.md'; did you mean 'notes:worker.md'?",
    ),
    "a node": (
        related(node="notes:quue.md"),
        "no visible node has the id 'notes:quue.md'; did you mean 'notes:queue.md'?",
    ),
    "a path as a seed": (
        seeded("plan", "queue.md"),
        "no visible node has the id 'queue.md'; did you mean 'notes:queue.md'?",
    ),
    "a name in capitals": (
        seeded("plan", "notes:WORKER.md"),
        "no visible node has the id 'notes:WORKER.md'; did you mean 'notes:worker.md'?",
    ),
    "a document in another folder": (
        seeded("plan", "notes:new/README.md"),
        "no visible node has the id 'notes:new/README.md'; did you mean 'notes:old/README.md'?",
    ),
    "a document in another repository": (
        seeded("plan", "code:worker.md"),
        "no visible node has the id 'code:worker.md'; did you mean 'notes:worker.md'?",
    ),
    "a section like no other": (
        seeded("plan", "notes:queue.md#zzzz"),
        "no visible node has the id 'notes:queue.md#zzzz'; did you mean 'notes:queue.md'?",
    ),
    "a document like no other": (
        seeded("plan", "notes:zz.md"),
        "no visible node has the id 'notes:zz.md'; `search` gives the ids of what is visible",
    ),
    "a node to explain": (
        why("notes:queue.md", node="notes:wrker.md"),
        "no visible node has the id 'notes:wrker.md'; did you mean 'notes:worker.md'?",
    ),
    "a path to explain": (
        why("notes:queue.md", node="wrker.md"),
        "no visible node has the id 'wrker.md'; did you mean 'notes:worker.md'?",
    ),
    "a chunk to explain": (
        why("notes:queue.md", node="notes:worker.md@99"),
        "no visible node has the id 'notes:worker.md@99'; did you mean 'notes:worker.md'?",
    ),
    "a node to fetch": (
        fetched("notes:quue.md"),
        "no visible node has the id 'notes:quue.md'; did you mean 'notes:queue.md'?",
    ),
    "a section to fetch": (
        fetched("notes:queue.md#pauze"),
        "no visible node has the id 'notes:queue.md#pauze'; did you mean 'notes:queue.md#pause'?",
    ),
    "nodes to fetch": (
        fetched_together("notes:quue.md", "notes:wrker.md"),
        "no visible node has the id 'notes:quue.md'; did you mean 'notes:queue.md'?",
    ),
    "a relation": (
        related(type="referencs"),
        "no relation is called 'referencs'; did you mean 'references'?",
    ),
    "snapshots of a repository": (
        listed(repository="nots"),
        "nothing visible in repository 'nots'; did you mean 'notes'?",
    ),
    "snapshots of a branch": (
        listed(branch="wrk"),
        "nothing visible on branch 'wrk'; did you mean 'work'?",
    ),
}
HIDDEN_NAMES = {
    "a repository": context(repository="minutes"),
    "a branch": context(branch="board"),
    "a branch of a repository": context(repository="notes", branch="board"),
    "a branch of a hidden repository": context(repository="minutes", branch="main"),
    "a snapshot": context(repository="notes", branch="board", snapshot=1),
    "a name near a hidden repository": context(repository="minute"),
    "a name near a hidden branch": context(branch="boards"),
    "a seed": seeded("context", "notes:secret.md"),
    "a seed of a plan": seeded("plan", "notes:queue.md", "notes:secret.md"),
    "a seed near a hidden one": seeded("plan", "notes:secrets.md"),
    "a section near a hidden one": seeded("plan", "notes:secret.md#secre"),
    "a seed of an explanation": why("notes:secret.md"),
    "a node": related(node="notes:secret.md"),
    "a node of a hidden repository": related(node="minutes:secret.md"),
    "a node to explain": why("notes:queue.md", node="notes:secret.md"),
    "a path to explain": why("notes:queue.md", node="secret.md"),
    "a chunk to explain": why("notes:queue.md", node="notes:secret.md@0"),
    "a node to fetch": fetched("notes:secret.md"),
    "a chunk to fetch": fetched("notes:secret.md@0"),
    "a node near a hidden one": fetched("notes:secrets.md"),
    "a node of a hidden repository to fetch": fetched("minutes:secret.md"),
    "snapshots of a repository": listed(repository="minutes"),
    "snapshots of a branch": listed(branch="board"),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Installation, Installation]]:
    """With hidden content, and without it."""
    with use_hashed_words(), ExitStack() as stack:
        with_hidden = _place(stack, tmp_path_factory.mktemp("hidden"), hidden=True)
        yield with_hidden, _place(stack, tmp_path_factory.mktemp("open"), hidden=False)


def _place(stack: ExitStack, folder: Path, *, hidden: bool) -> Installation:
    settings = settings_of(folder, keys=True)
    http = stack.enter_context(open_app(settings))
    content = [("notes", "main", OPEN), ("notes", "work", OPEN)]
    if hidden:
        content[0] = ("notes", "main", {**OPEN, **HIDDEN})
        content += [("notes", "board", HIDDEN), ("minutes", "main", HIDDEN)]
    for repository, branch, texts in content:
        http.state.engine.content.ingest(
            local(),
            MemorySource(texts),
            repository=repository,
            branch=branch,
            rule_for=lambda path: BOARD if path in HIDDEN else STAFF,
        )
    return Installation(settings.store, http, key_for(settings, "ann", "staff"))


def on_cli(place: Installation, asked: Request) -> str:
    if asked.cli is None:
        pytest.skip("no command for it")
    found = CliRunner().invoke(app, [*asked.cli, "--as", "ann", "--store", place.path, "--json"])
    assert isinstance(found.exception, DocgraphError), found.output
    return str(found.exception)


def on_python(place: Installation, asked: Request) -> str:
    with docgraph.open(place.path) as opened, pytest.raises(DocgraphError) as caught:
        asked.python(opened)
    return str(caught.value)


def on_http(place: Installation, asked: Request) -> str:
    method, path, given = asked.http
    names: dict[str, Any] = {"params": given} if method == "GET" else {"json": given}
    headers = {"Authorization": place.key}
    found = place.http.client.request(method, path, headers=headers, **names)
    assert (found.status_code, found.headers["content-type"]) == (
        asked.status,
        "application/problem+json",
    ), found.text
    detail: str = found.json()["detail"]
    return detail


def on_mcp(place: Installation, asked: Request) -> str:
    if asked.mcp is None:
        pytest.skip("no tool for it")
    tool, given = asked.mcp
    ann = impersonated(Person("ann", "local", frozenset({"staff"})), local())
    called = ToolContext(place.http.state.engine, load_pipelines())
    server = mcp_server(called, lambda _: ann, from_afar=False)

    async def session() -> str:
        async with in_memory(server) as client:
            return await call_error(client, tool, **given)

    return asyncio.run(session())


INTERFACES = {"cli": on_cli, "python": on_python, "http": on_http, "mcp": on_mcp}


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_an_error_with_a_suggestion(
    places: tuple[Installation, Installation], name: str, interface: str
) -> None:
    asked, message = UNKNOWN[name]
    for place in places:
        found = INTERFACES[interface](place, asked)
        assert found.replace("no pipeline or file is", "no pipeline is") == message


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("name", HIDDEN_NAMES)
def test_a_hidden_name_gives_the_same_error_as_a_missing_one(
    places: tuple[Installation, Installation], name: str, interface: str
) -> None:
    with_hidden, without = (INTERFACES[interface](one, HIDDEN_NAMES[name]) for one in places)
    assert with_hidden == without
