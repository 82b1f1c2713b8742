"""docgraph mcp as a process that a client starts, with the real embedder."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.acceptance.conftest import Run, data
from tests.support.mcp_clients import call_error, call_tool, over_http, over_stdio

DOCGRAPH = str(Path(sys.executable).with_name("docgraph"))
QUESTION = "How does the engine start?"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_stdio_gives_the_same_results_as_the_command_line(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    own = data(docgraph("context", QUESTION, "--store", str(rocket), "--json"))
    seeds = data(docgraph("search", QUESTION, "--store", str(rocket), "--json"))["seeds"]
    log = elsewhere / "log"

    async def call_tools() -> Any:
        command = (DOCGRAPH, "mcp", "--store", str(rocket))
        async with over_stdio(*command, folder=elsewhere, log=log) as client:
            tools = (await client.list_tools()).tools
            found = await call_tool(client, "search", query=QUESTION)
            first = await call_tool(client, "fetch", id=found["results"][0]["id"])
            many = await asyncio.gather(
                *(call_tool(client, "context", question=QUESTION) for _ in range(6)),
                *(call_error(client, "fetch", id="rocket:none.md") for _ in range(2)),
            )
            return tools, found, first, many

    tools, found, first, (*contexts, no, neither) = asyncio.run(call_tools())
    assert len(tools) == 6
    ids = [one["id"] for one in found["results"]]
    assert sorted(ids) == sorted(
        [*(s["id"] for s in seeds["ranked"]), *seeds["selection"]["dropped"]]
    )
    assert first["id"] == ids[0] == seeds["ranked"][0]["id"]
    assert first["text"]
    assert {c["digest"] for c in contexts} == {own["digest"]}
    assert {c["plan_digest"] for c in contexts} == {own["plan_digest"]}
    assert {c["text"] for c in contexts} == {own["context"]["text"]}
    assert no == neither
    assert no.startswith("no visible node has the id 'rocket:none.md'; ")
    assert log.read_text() == ""


def test_standard_output_has_only_protocol_messages_and_the_process_ends_with_its_input(
    rocket: Path, elsewhere: Path
) -> None:
    command = [DOCGRAPH, "mcp", "--store", str(rocket)]
    lines = [
        json.dumps(INITIALIZE),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no message",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "nobody/knows"}),
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ]
    with subprocess.Popen(
        command,
        cwd=elsewhere,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(f"{line}\n" for line in lines))
        process.stdin.flush()
        responses: list[dict[str, Any]] = []
        while not any(one.get("id") == 2 for one in responses):
            responses.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait(timeout=60) == 0
    assert rest == ""
    assert all(one["jsonrpc"] == "2.0" for one in responses)
    (initialized,) = (one["result"] for one in responses if one.get("id") == 0)
    assert initialized["serverInfo"]["name"] == "docgraph"
    assert "cite" in initialized["instructions"]
    (unknown,) = (one["error"] for one in responses if one.get("id") == 1)
    assert "nobody/knows" not in unknown["message"]


def test_printed_text_goes_to_standard_error() -> None:
    program = """
import os, sys
from docgraph.interfaces.mcp.transports import redirect_stdout
with redirect_stdout():
    protocol, sys.stdout = sys.stdout, sys.stderr
    print("printed", flush=True)
    os.write(1, b"written\\n")
    protocol.buffer.write(b"message\\n")
    protocol.flush()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "message\n"
    assert done.stderr == "printed\nwritten\n"


@pytest.mark.requirement(38)
def test_the_person_is_fixed_at_the_start(docgraph: Run, rocket: Path, elsewhere: Path) -> None:
    store = elsewhere / "own.db"
    shutil.copy(rocket, store)
    data(docgraph("principals", "add", "guest", "--store", str(store), "--json"))

    async def call_tools() -> Any:
        command = (DOCGRAPH, "mcp", "--store", str(store), "--as", "guest")
        async with over_stdio(*command, folder=elsewhere, log=elsewhere / "log") as client:
            found = await call_tool(client, "search", query=QUESTION)
            refusal = await call_error(client, "search", query=QUESTION, as_="local")
            return found["results"], refusal

    found, refusal = asyncio.run(call_tools())
    assert found == []
    assert refusal == "no argument is called 'as_'; known: query"
    nobody = docgraph("mcp", "--store", str(store), "--as", "nobody")
    assert str(nobody.exception).startswith("nobody is called 'nobody'")


@contextmanager
def run_server(store: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process in the current folder, and its URL."""
    command = [DOCGRAPH, "mcp", "--http", "--port", "0", "--store", str(store), *words]
    with subprocess.Popen(
        command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout
        try:
            line = process.stdout.readline()
            assert re.fullmatch(r"listening on http://[\d.]+:\d+/mcp\n", line), line
            yield process, line.split()[-1]
        finally:
            process.kill()


def test_http_gives_the_same_results_and_the_process_ends_on_sigterm(
    docgraph: Run, rocket: Path
) -> None:
    own = data(docgraph("context", QUESTION, "--store", str(rocket), "--json"))

    async def call_tools(url: str) -> Any:
        async with over_http(url) as client:
            return await call_tool(client, "context", question=QUESTION)

    with run_server(rocket) as (process, url):
        assert asyncio.run(call_tools(url))["digest"] == own["digest"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr
        assert process.stderr.read() == ""


@pytest.mark.requirement(38)
def test_with_authentication_only_callers_with_a_key_are_accepted(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    """With API keys the server may also listen on other addresses than loopback."""
    store = elsewhere / "own.db"
    shutil.copy(rocket, store)
    (elsewhere / "docgraph.yaml").write_text("login:\n  keys: true\n")
    secrets = {}
    for name, group in (("ann", "local"), ("ben", "guests")):
        data(docgraph("principals", "add", name, "--group", group, "--store", str(store), "--json"))
        secrets[name] = data(docgraph("keys", "add", name, "--store", str(store), "--json"))[
            "secret"
        ]

    async def call_tools(url: str, secret: str) -> Any:
        async with over_http(url, secret) as client:
            return (await call_tool(client, "search", query=QUESTION))["results"]

    with run_server(store, "--host", "0.0.0.0") as (_, bound_to):
        url = bound_to.replace("0.0.0.0", "127.0.0.1")
        assert asyncio.run(call_tools(url, secrets["ann"]))
        assert asyncio.run(call_tools(url, secrets["ben"])) == []
        assert httpx.post(url, json={}).status_code == 401


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--http", "--host", "0.0.0.0", "--port", "0"], "no login is configured"),
        (["--http", "--as", "guest"], "--as is not for --http"),
        (["--store", "none.db"], "there is no store at none.db"),
    ],
)
def test_an_invalid_configuration_is_refused_at_the_start(
    docgraph: Run, rocket: Path, words: list[str], message: str
) -> None:
    assert message in str(docgraph("mcp", "--store", str(rocket), *words).exception)


def test_without_the_extra_the_error_says_what_to_install(
    docgraph: Run, rocket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    error = str(docgraph("mcp", "--store", str(rocket)).exception)
    assert error.endswith("pip install 'docgraph[mcp]'")
