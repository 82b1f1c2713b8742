"""docgraph mcp, as a client starts it: a process of its own, with the real embedder."""

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
BEGIN = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_over_standard_streams_it_answers_as_the_command_line_does(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    own = data(docgraph("context", QUESTION, "--store", str(rocket), "--json"))
    seeds = data(docgraph("search", QUESTION, "--store", str(rocket), "--json"))["seeds"]
    log = elsewhere / "log"

    async def ask() -> Any:
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

    tools, found, first, (*contexts, no, neither) = asyncio.run(ask())
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
    assert no == neither == "nothing visible under this id"
    assert log.read_text() == ""


def test_standard_output_carries_the_protocol_alone_and_the_process_ends_with_its_input(
    rocket: Path, elsewhere: Path
) -> None:
    command = [DOCGRAPH, "mcp", "--store", str(rocket)]
    lines = [
        json.dumps(BEGIN),
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
        pieces: list[dict[str, Any]] = []
        while not any(one.get("id") == 2 for one in pieces):
            pieces.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait(timeout=20) == 0
    assert rest == ""
    assert all(one["jsonrpc"] == "2.0" for one in pieces)
    (begun,) = (one["result"] for one in pieces if one.get("id") == 0)
    assert begun["serverInfo"]["name"] == "docgraph"
    assert "cite" in begun["instructions"]
    (unknown,) = (one["error"] for one in pieces if one.get("id") == 1)
    assert "nobody/knows" not in unknown["message"]


def test_what_anybody_prints_goes_to_standard_error() -> None:
    program = """
import os, sys
from docgraph.interfaces.mcp.transports import redirect_stdout
with redirect_stdout():
    protocol, sys.stdout = sys.stdout, sys.stderr
    print("printed", flush=True)
    os.write(1, b"written\\n")
    protocol.buffer.write(b"said\\n")
    protocol.flush()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "said\n"
    assert done.stderr == "printed\nwritten\n"


@pytest.mark.requirement(38)
def test_the_name_to_ask_in_is_fixed_when_it_starts(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    store = elsewhere / "own.db"
    shutil.copy(rocket, store)
    data(docgraph("principals", "add", "guest", "--store", str(store), "--json"))

    async def ask() -> Any:
        command = (DOCGRAPH, "mcp", "--store", str(store), "--as", "guest")
        async with over_stdio(*command, folder=elsewhere, log=elsewhere / "log") as client:
            found = await call_tool(client, "search", query=QUESTION)
            refusal = await call_error(client, "search", query=QUESTION, as_="local")
            return found["results"], refusal

    found, refusal = asyncio.run(ask())
    assert found == []
    assert refusal == "no argument is called 'as_'; known: query"
    nobody = docgraph("mcp", "--store", str(store), "--as", "nobody")
    assert str(nobody.exception).startswith("nobody is called 'nobody'")


@contextmanager
def served(store: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that listens, and where. It runs in the folder that the test runs in."""
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


def test_over_http_it_tells_where_it_listens_answers_alike_and_ends_on_a_signal(
    docgraph: Run, rocket: Path
) -> None:
    own = data(docgraph("context", QUESTION, "--store", str(rocket), "--json"))

    async def ask(url: str) -> Any:
        async with over_http(url) as client:
            return await call_tool(client, "context", question=QUESTION)

    with served(rocket) as (process, url):
        assert asyncio.run(ask(url))["digest"] == own["digest"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert process.stderr
        assert process.stderr.read() == ""


@pytest.mark.requirement(38)
def test_with_a_login_who_holds_a_key_comes_in_and_nobody_else(
    docgraph: Run, rocket: Path, elsewhere: Path
) -> None:
    """With real keys; then it may also listen where others can come in."""
    store = elsewhere / "own.db"
    shutil.copy(rocket, store)
    (elsewhere / "docgraph.yaml").write_text("login:\n  keys: true\n")
    secrets = {}
    for name, group in (("ann", "local"), ("ben", "guests")):
        data(docgraph("principals", "add", name, "--group", group, "--store", str(store), "--json"))
        secrets[name] = data(docgraph("keys", "add", name, "--store", str(store), "--json"))[
            "secret"
        ]

    async def ask(url: str, secret: str) -> Any:
        async with over_http(url, secret) as client:
            return (await call_tool(client, "search", query=QUESTION))["results"]

    with served(store, "--host", "0.0.0.0") as (_, bound_to):
        url = bound_to.replace("0.0.0.0", "127.0.0.1")
        assert asyncio.run(ask(url, secrets["ann"]))
        assert asyncio.run(ask(url, secrets["ben"])) == []
        assert httpx.post(url, json={}).status_code == 401


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--http", "--host", "0.0.0.0", "--port", "0"], "no login is configured"),
        (["--http", "--as", "guest"], "--as is not for --http"),
        (["--store", "none.db"], "there is no store at none.db"),
    ],
)
def test_what_cannot_be_served_is_refused_at_the_start(
    docgraph: Run, rocket: Path, words: list[str], message: str
) -> None:
    assert message in str(docgraph("mcp", "--store", str(rocket), *words).exception)


def test_without_the_extra_it_says_what_to_install(
    docgraph: Run, rocket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    refused_with = str(docgraph("mcp", "--store", str(rocket)).exception)
    assert refused_with.endswith("pip install 'docgraph[mcp]'")
