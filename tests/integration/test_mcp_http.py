"""MCP over HTTP: the Authorization header of each request says who asks, and nothing else."""

import asyncio
import itertools
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession

from docgraph.engine import Engine
from docgraph.interfaces.auth.authentication import Authentication
from docgraph.interfaces.mcp.http_transport import mcp_app
from docgraph.interfaces.mcp.tool_context import Limits, load_pipelines
from docgraph.interfaces.server.fair_queue import PARTS
from docgraph.model.access import Person, Principal
from docgraph.model.errors import NotVisible
from docgraph.ports.cancellation import check_cancelled
from tests.support.engines import engine_answering
from tests.support.mcp_clients import call_error, call_tool, over_http
from tests.support.mcp_store import ANN, BEN, SECRETS, engine_at, login_with_keys, serve_mcp

QUESTION = "where is fuel kept?"
MCP = {"Accept": "application/json, text/event-stream"}


def bearer(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {SECRETS[name]}"}


def call(tool: str, **given: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": given}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


@pytest.fixture(scope="module")
def engine(place: Path) -> Engine:
    return engine_at(place)


@pytest.fixture(scope="module")
def url(engine: Engine) -> Iterator[str]:
    with serve_mcp(engine, login_with_keys(), Limits(body=20_000)) as found:
        yield found


def everything(url: str, name: str) -> list[Any]:
    """All that a reader can get, by every tool, and what they are refused."""

    async def ask() -> list[Any]:
        async with over_http(url, SECRETS[name]) as client:
            tools = (await client.list_tools()).model_dump()
            question = {"question": QUESTION}
            given = [
                await call_tool(client, "search", query="fuel at night"),
                await call_tool(client, "fetch", id="r:tank.md"),
                await call_tool(client, "plan", **question),
                await call_tool(client, "context", **question, receipt=True),
                await call_tool(client, "context", seeds=["r:tank.md"]),
                await call_error(client, "context", seeds=["r:secret.md", "r:tank.md"]),
                await call_tool(client, "explain", **question),
                await call_tool(client, "explain", **question, node="r:tank.md"),
                await call_tool(client, "relations", node="r:tank.md"),
            ]
            return [tools, *given]

    return asyncio.run(ask())


@pytest.mark.requirement(36)
def test_what_a_reader_may_not_see_changes_no_byte_of_what_they_get(url: str, place: Path) -> None:
    with serve_mcp(engine_at(place, hidden=False), login_with_keys()) as without:
        theirs, as_if = everything(url, "ben"), everything(without, "ben")
    assert json.dumps(theirs) == json.dumps(as_if)
    assert "stolen" not in json.dumps(theirs)


@pytest.mark.requirement(36)
def test_absent_and_forbidden_are_refused_in_the_same_bytes(url: str) -> None:
    def answered(tool: str, key: str, node: str) -> bytes:
        given = {key: node}
        asked = httpx.post(url, json=call(tool, **given), headers={**MCP, **bearer("ben")})
        assert asked.status_code == 200
        return asked.content.replace(node.encode(), b"ID")

    for tool, key in (("fetch", "id"), ("relations", "node")):
        ids = ("r:secret.md", "r:absent.md", "r:secret.md@0")
        assert len({answered(tool, key, node) for node in ids}) == 1
        assert b"no visible node has the id 'ID'" in answered(tool, key, "r:secret.md")
        address = answered(tool, key, "docgraph://node/r%3Asecret.md")
        assert address.replace(b"r:secret.md", b"ID") == answered(tool, key, "r:secret.md")


@pytest.mark.requirement(38)
def test_each_reader_gets_what_is_theirs_and_no_argument_changes_who_they_are(url: str) -> None:
    async def ask(name: str, client: ClientSession) -> tuple[list[str], str]:
        found = await call_tool(client, "search", query="fuel is stolen at night")
        claimed = await call_error(client, "fetch", id="r:secret.md", principal="ann")
        return [one["id"] for one in found["results"]], claimed

    async def both() -> Any:
        async with over_http(url, SECRETS["ann"]) as ann, over_http(url, SECRETS["ben"]) as ben:
            return await asyncio.gather(ask("ann", ann), ask("ben", ben))

    (ann, _), (ben, claimed) = asyncio.run(both())
    assert "r:secret.md" in ann
    assert sorted(ben) == ["r:fuel.md", "r:tank.md"]
    assert claimed.startswith("no argument is called 'principal'")


@pytest.mark.requirement(38)
def test_nothing_beside_the_authorization_says_who_asks(url: str) -> None:
    """Also not a session: there is none to be taken over."""
    headers = {
        **MCP,
        **bearer("ben"),
        "Mcp-Session-Id": "ann",
        "X-Forwarded-User": "ann",
        "X-User": "ann",
        "Cookie": f"Authorization=Bearer {SECRETS['ann']}",
    }
    found = httpx.post(url, json=call("fetch", id="r:secret.md"), headers=headers)
    assert found.json()["result"]["isError"]
    assert "mcp-session-id" not in found.headers


@pytest.mark.parametrize(
    "shown",
    [
        [],
        [("Authorization", "Bearer wrong")],
        [("Authorization", f"Basic {SECRETS['ann']}")],
        [("Authorization", f"Bearer {SECRETS['ann'][:-1]}x")],
        [("Authorization", f"Bearer {SECRETS['ann']}"), ("Authorization", "Bearer x")],
        [("X-Authorization", f"Bearer {SECRETS['ann']}")],
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_request_without_a_credential_is_refused(
    url: str, method: str, shown: list[tuple[str, str]]
) -> None:
    """Before anything is parsed: what is sent is no JSON, and nobody says so."""
    found = httpx.request(method, url, content=b"{{{", headers=[*MCP.items(), *shown])
    assert found.status_code == 401
    assert found.headers["www-authenticate"] == 'Bearer realm="docgraph"'
    assert found.text == "show who you are\n"


def test_the_official_client_is_turned_away_too(url: str) -> None:
    async def come() -> None:
        async with over_http(url, "dg_wrong"):
            pass

    with pytest.raises(ExceptionGroup) as turned:
        asyncio.run(come())
    assert turned.group_contains(httpx.HTTPStatusError, match="401")


@pytest.mark.requirement(37)
def test_a_right_that_is_taken_away_is_gone_with_the_next_call(engine: Engine) -> None:
    people: dict[str, Person] = {"ann": ANN, "ben": BEN}

    async def ask(url: str) -> None:
        async with over_http(url, SECRETS["ann"]) as client:
            await call_tool(client, "fetch", id="r:secret.md")
            people["ann"] = Person("ann", "local", frozenset({"guests"}))
            await call_error(client, "fetch", id="r:secret.md")

    with serve_mcp(engine, login_with_keys(people)) as url:
        asyncio.run(ask(url))


@pytest.mark.parametrize(
    ("method", "body", "status"),
    [
        ("GET", b"", 405),
        ("DELETE", b"", 405),
        ("PUT", b"{}", 405),
        ("POST", b"", 400),
        ("POST", b"{", 400),
        ("POST", b"\xff\xfe", 400),
        ("POST", b"[" * 15_000, 400),
        ("POST", b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}', 400),
        ("POST", b'{"jsonrpc":"2.0","method":"notifications/\\udfff"}', 400),
        ("POST", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode("utf-16"), 400),
        ("POST", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode("utf-32"), 400),
        ("POST", b'{"a":' * 3_000 + b"1" + b"}" * 3_000, 400),
        ("POST", b"[]", 400),
        ("POST", b'"' + b"x" * 20_000 + b'"', 413),
    ],
)
def test_what_is_no_call_is_refused(url: str, method: str, body: bytes, status: int) -> None:
    headers = {**MCP, **bearer("ben"), "Content-Type": "application/json"}
    assert httpx.request(method, url, content=body, headers=headers).status_code == status


def test_a_body_that_does_not_come_is_not_awaited(engine: Engine) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: {bearer('ben')['Authorization']}\r\n"
    with serve_mcp(engine, login_with_keys(), Limits(seconds=0.3)) as url:
        port = httpx.URL(url).port
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            line.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            assert line.recv(65536).startswith(b"HTTP/1.1 408 ")


def test_who_leaves_while_they_speak_is_no_failure_of_ours(engine: Engine) -> None:
    api = mcp_app(engine, login_with_keys(), load_pipelines())
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    shown = bearer("ben")["Authorization"].encode()
    scope = {"type": "http", "method": "POST", "headers": [(b"authorization", shown)]}
    asyncio.run(api(scope, receive, send))
    assert sent[0]["status"] == 499


def test_many_at_once_get_what_each_would_get_alone(url: str) -> None:
    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "context", question=QUESTION)

    async def many() -> Any:
        async with over_http(url, SECRETS["ann"]) as ann, over_http(url, SECRETS["ben"]) as ben:
            alone = [await ask(ann), await ask(ben)]
            return alone, await asyncio.gather(*(ask(one) for one in (ann, ben) * 10))

    alone, together = asyncio.run(many())
    assert alone[0] != alone[1]
    assert together == alone * 10


class Slow:
    """Works on and on, step by step, until nobody waits."""

    def __init__(self) -> None:
        self.asked, self.ended = threading.Event(), threading.Event()

    def nodes(self, principal: Principal, ids: Any, **_: Any) -> Any:
        self.asked.set()
        try:
            while True:
                check_cancelled()
                self.ended.wait(0.005)
        finally:
            self.ended.set()


def test_work_ends_when_who_asked_has_disconnected() -> None:
    slow = Slow()
    with serve_mcp(engine_answering(slow), login_with_keys()) as url:
        leaving = httpx.Timeout(10, read=0.2)
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(
                url, json=call("fetch", id="r:a"), headers={**MCP, **bearer("ben")}, timeout=leaving
            )
        assert slow.asked.is_set()
        assert slow.ended.wait(60)


def test_a_server_that_is_asked_to_end_answers_who_still_waits() -> None:
    command = [sys.executable, "-m", "tests.support.mcp_shutdown"]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "200 nothing visible under this id\n"


NOTHING = "nothing visible under this id"


class Held:
    """Answers nobody until it is let."""

    def __init__(self) -> None:
        self.asked, self.go_on = list[str](), threading.Event()

    def nodes(self, principal: Principal, ids: Any, **_: Any) -> Any:
        self.asked.append(principal.id)
        assert self.go_on.wait(30)
        raise NotVisible(NOTHING)


def test_one_reader_does_not_fill_the_queue() -> None:
    held, share = Held(), 75

    async def asked(client: httpx.AsyncClient, url: str, name: str) -> str:
        headers = {**MCP, **bearer(name)}
        found = await client.post(url, json=call("fetch", id="r:a"), headers=headers)
        text: str = found.json()["result"]["content"][0]["text"]
        return text

    async def ask(url: str) -> None:
        async with httpx.AsyncClient(
            timeout=30, limits=httpx.Limits(max_connections=200)
        ) as client:
            many = [asyncio.ensure_future(asked(client, url, "ben")) for _ in range(share + 6)]
            refused = [await one for one in itertools.islice(asyncio.as_completed(many), 5)]
            ann = asyncio.ensure_future(asked(client, url, "ann"))
            while "ann" not in held.asked:
                await asyncio.sleep(0.01)
            assert held.asked.count("ben") == 1
            held.go_on.set()
            result = [*await asyncio.gather(*many), await ann]
            assert set(refused) == {"more of yours wait already than may wait; try again"}
            assert result.count(NOTHING) == share + 2

    with serve_mcp(
        engine_answering(held), login_with_keys(), Limits(at_once=1, queue=share * PARTS)
    ) as url:
        asyncio.run(ask(url))
    assert held.asked.count("ann") == 1


# Without a login


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "docs.example.org"}, 421),
        ({"Host": "127.0.0.1.example.org"}, 421),
        ({"Host": "localhost:example.org"}, 421),
        ({"Host": "localhost:80@example.org"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:example.org"}, 403),
        ({"Origin": "https://example.org"}, 403),
        ({"Origin": "http://localhost.example.org"}, 403),
    ],
)
def test_a_page_in_a_browser_does_not_reach_a_store_by_a_name_it_made_up(
    open_url: str, headers: dict[str, str], status: int
) -> None:
    found = httpx.post(open_url, json=call("fetch", id="r:tank.md"), headers={**MCP, **headers})
    assert found.status_code == status
    assert (b"the tank holds fuel" in found.content) == (status == 200)


@pytest.fixture(scope="module")
def open_url(engine: Engine) -> Iterator[str]:
    with serve_mcp(engine, Authentication()) as found:
        yield found
