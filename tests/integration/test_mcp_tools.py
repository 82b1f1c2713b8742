"""The tools of the MCP interface, called by the official client."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession
from mcp.shared.exceptions import McpError

from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import impersonated, local
from docgraph.interfaces.mcp.arguments import id_of, url_of
from docgraph.interfaces.mcp.server import (
    SOURCE_STATES,
    TOOLS,
    UNAVAILABLE,
    UNEXPECTED,
    mcp_server,
)
from docgraph.interfaces.mcp.tool_context import Limits, Tool, ToolContext, load_pipelines
from docgraph.model.access import Person, Principal
from docgraph.model.digest import plain
from docgraph.model.errors import BadInput, NotVisible, StoreError
from docgraph.model.plan import RetrievalPlan
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_from_json
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.cancellation import check_cancelled
from tests.support.engines import engine_answering
from tests.support.mcp_clients import as_json, call_error, call_tool, in_memory, text
from tests.support.mcp_store import engine_at

QUESTION = "where is fuel kept?"
Ask = Callable[[ClientSession], Coroutine[Any, Any, Any]]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_at(tmp_path_factory.mktemp("mcp"))


def met(
    engine: Engine,
    ask: Ask,
    *,
    limits: Limits | None = None,
    from_afar: bool = False,
    who: Principal | None = None,
) -> Any:
    """One session with `who`, or with the person at the keyboard."""
    called = ToolContext(engine, load_pipelines(), limits or Limits())
    server = mcp_server(called, lambda _: who or local(), from_afar=from_afar)

    async def session() -> Any:
        async with in_memory(server) as client:
            return await ask(client)

    return asyncio.run(session())


@pytest.mark.requirement(56)
@pytest.mark.parametrize("tool", ["context", "plan"])
def test_the_state_of_sources_is_in_the_metadata_for_those_who_may_ingest(
    engine: Engine, tool: str
) -> None:
    async def ask(client: ClientSession) -> Any:
        return await client.call_tool(tool, {"question": QUESTION})

    me = local()
    reader = impersonated(Person(me.id, me.tenant, me.groups), me)
    mine, theirs = met(engine, ask), met(engine, ask, who=reader)
    states = mine.meta[SOURCE_STATES]
    assert {one["state"] for one in states} == {"unknown"}  # nothing was ingested from a folder
    assert states[0].keys() == {"repository", "branch", "state", "files"}
    assert theirs.meta is None
    assert (theirs.content, theirs.structuredContent) == (mine.content, mine.structuredContent)


def test_every_tool_is_read_only_and_has_words_and_shapes(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in met(engine, ask)}
    assert list(tools) == ["search", "fetch", "context", "plan", "explain", "relations"]
    for tool in tools.values():
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(exclude={"title"})
        assert hints == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert len(tool.description) > 100
        assert tool.inputSchema["additionalProperties"] is False
        assert tool.outputSchema["type"] == "object"
    assert tools["search"].inputSchema["required"] == ["query"]
    assert tools["fetch"].inputSchema["required"] == ["id"]
    assert tools["plan"].inputSchema["properties"]["pipeline"]["enum"] == sorted(load_pipelines())


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_text_and_list_that_comes_in_has_a_length(tool: Tool[Any, Any]) -> None:
    shapes = tool.definition(()).inputSchema["properties"].values()
    inner = [one for s in shapes for one in (s, *s.get("anyOf", ()), s.get("items", {}))]
    kinds = [one for one in inner if one.get("type") in {"string", "array"}]
    assert kinds
    for one in kinds:
        assert {"maxLength", "maxItems", "enum"} & set(one), one


def test_search_gives_ids_titles_and_addresses_in_the_engine_s_order(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await client.call_tool("search", {"query": "fuel"})

    found = met(engine, ask)
    assert as_json(found) == found.structuredContent
    known = {
        "r:fuel.md": {"id": "r:fuel.md", "title": "fuel.md", "url": "docgraph://node/r%3Afuel.md"},
        "r:tank.md": {"id": "r:tank.md", "title": "The tank", "url": "docgraph://node/r%3Atank.md"},
    }
    assert found.structuredContent == {
        "results": [known[one["id"]] for one in found.structuredContent["results"]]
    }
    seeds = engine.questions.retrieve(QuestionRequest(local(), load("documents"), "fuel")).seeds
    ids = [one["id"] for one in found.structuredContent["results"]]
    assert sorted(ids) == sorted((*seeds.ids, *seeds.selection.dropped))
    assert ids[: len(seeds.ids)] == list(seeds.ids)


def test_fetch_opens_a_document_a_section_and_a_chunk_by_id_or_address(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        ids = ("r:fuel.md", "r:fuel.md#s1", "r:fuel.md#s1@1", url_of("r:fuel.md#s1"))
        return [await call_tool(client, "fetch", id=one) for one in ids]

    whole, section, chunk, again = met(engine, ask)
    assert whole["text"] == "fuel burns hot\nfuel is kept in the tank"
    assert section["text"] == chunk["text"] == "fuel is kept in the tank"
    assert again == section
    assert (section["title"], section["id"]) == ("part 1", "r:fuel.md#s1")
    assert section["url"] == "docgraph://node/r%3Afuel.md%23s1"
    assert section["metadata"] == {
        "kind": "section",
        "repository": "r",
        "path": "fuel.md",
        "citation": "r:fuel.md:2",
        "document_id": "r:fuel.md",
        "ingestion_id": "r:main:1",
        "node": "r:fuel.md#s1",
        "access": "readable by group local",
    }
    assert chunk["metadata"]["kind"] == "chunk"


def test_a_long_text_is_cut_and_says_so(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "fetch", id="r:fuel.md")

    found = met(engine, ask, limits=Limits(max_characters=4))
    assert found["text"] == "fuel"
    assert found["metadata"]["cut"].startswith("the first 4 of 39 characters")


@pytest.mark.parametrize("node", ["r:a b%#::c@1", "docgraph:x", "r:ä/ü.md#s", "//"])
def test_an_address_holds_every_id(node: str) -> None:
    assert id_of(url_of(node)) == node
    assert id_of(node) == node


def test_context_is_that_of_the_engine_byte_for_byte(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await client.call_tool("context", {"question": QUESTION})

    found = met(engine, ask)
    own = engine.questions.retrieve(QuestionRequest(local(), load("documents"), QUESTION))
    given = found.structuredContent
    assert text(found) == given["text"] == own.context.text
    assert (given["digest"], given["plan_digest"]) == (own.context.digest, own.plan.digest)
    assert given["receipt"] is None
    cited = [item for item in own.context.items if item.number]
    assert [one["id"] for one in given["sources"]] == [item.id for item in cited]
    for one in given["sources"]:
        assert f"[{one['number']}] " in given["text"]
        assert one["citation"] in given["text"]


def test_a_receipt_is_given_where_it_is_asked_for_and_replays(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "context", seeds=["r:tank.md"], receipt=True, max_tokens=300)

    given = met(engine, ask)
    receipt = receipt_from_json(json.dumps(given["receipt"]))
    assert receipt.context_digest == given["digest"]
    assert engine.questions.replay(local(), receipt).same


def test_where_there_is_nothing_the_context_says_why(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await client.call_tool("context", {"question": QUESTION})

    nobody = impersonated(Person("nobody", "local"), local())
    assert text(met(engine, ask, who=nobody)) == "no seeds: nothing visible matches"


def test_a_plan_tells_who_was_admitted_and_by_what(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "plan", seeds=["r:fuel.md"], repository="r", branch="main")

    given = met(engine, ask)
    own = engine.questions.retrieve(
        QuestionRequest(local(), load("documents").up_to(RetrievalPlan), "", seeds=("r:fuel.md",))
    )
    assert given["digest"] == own.plan.digest
    assert [(one["position"], one["id"]) for one in given["admitted"]] == [
        (1, "r:fuel.md"),
        (2, "r:tank.md"),
    ]
    assert "->references->" in given["admitted"][1]["because"]
    assert given["snapshots"] == [{"repository": "r", "branch": "main", "snapshot": 1}]


def test_lists_are_cut_and_what_is_missing_is_counted(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        plan = await call_tool(client, "plan", seeds=["r:fuel.md"])
        relations = await call_tool(client, "relations", node="r:fuel.md", type="contains")
        search = await call_tool(client, "search", query="fuel")
        return plan, relations, search

    plan, relations, search = met(engine, ask, limits=Limits(max_items=1, results=1))
    assert (len(plan["admitted"]), plan["more"]["admitted"]) == (1, 1)
    assert (len(relations["relations"]), relations["more"]) == (1, 1)
    assert len(search["results"]) == 1


def test_explain_tells_why_each_item_is_there(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        return await call_tool(client, "explain", question=QUESTION)

    given = met(engine, ask)
    own = engine.questions.retrieve(QuestionRequest(local(), load("documents"), QUESTION)).context
    assert given["digest"] == own.digest
    assert [(i["id"], i["rule"], i["budget"]) for i in given["items"]] == [
        (i.id, i.why.rule, i.why.budget) for i in own.items
    ]
    assert given["node"] is None


def test_explain_of_one_node_tells_why_not(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        given = {"question": QUESTION, "pipeline": "flat", "max_tokens": 1}
        return await call_tool(client, "explain", node="r:tank.md", **given)

    given = met(engine, ask)
    steps = load("flat").with_options("assemble_context", max_tokens=1)
    assert given["node"] == json.loads(
        json.dumps(
            plain(engine.questions.why(QuestionRequest(local(), steps, QUESTION), "r:tank.md"))
        )
    )
    assert given["node"]["stage"] != "included"


def test_relations_are_those_of_the_node_by_type_and_direction(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        given = [
            {"node": "r:tank.md"},
            {"node": "r:tank.md", "direction": "in"},
            {"node": "r:tank.md", "direction": "out"},
            {"node": "r:fuel.md", "type": "supersedes"},
        ]
        return [await call_tool(client, "relations", **one) for one in given]

    both, entering, leaving, other = met(engine, ask)
    assert both["relations"] == entering["relations"]
    assert [(r["source"], r["type"], r["target"]) for r in both["relations"]] == [
        ("r:fuel.md", "references", "r:tank.md")
    ]
    assert both["relations"][0]["positions"] == [{"path": "fuel.md", "line": 1, "text": "tank"}]
    assert leaving["relations"] == other["relations"] == []


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("fetch", {"id": "r:none.md"}, "no visible node has the id 'r:none.md'; "),
        ("relations", {"node": "r:none.md"}, "no visible node has the id 'r:none.md'; "),
        (
            "fetch",
            {"uri": "r:tank.md"},
            "no argument is called 'uri'; known: repository, branch, snapshot, id",
        ),
        ("search", {}, "query: Field required"),
        ("search", {"query": "x" * 20_001}, "query: String should have at most 20000 characters"),
        ("search", {"query": "x", "as": "ann"}, "no argument is called 'as'; known: query"),
        ("context", {}, "ask a question, or name seeds by id"),
        (
            "context",
            {"question": "x", "max_tokens": 10**9},
            "max_tokens: Input should be less than or equal to 32000",
        ),
        (
            "plan",
            {"question": "x", "pipeline": "../flat.yaml"},
            "no pipeline is called '../flat.yaml'; known: code, documents, flat, strict",
        ),
        (
            "plan",
            {"question": "x", "snapshot": 1},
            "a snapshot number needs its repository and branch beside it",
        ),
        ("plan", {"question": "x", "repository": "none"}, "nothing visible in repository 'none'"),
        ("relations", {"node": "r:tank.md", "type": "refers"}, "no relation is called 'refers'; "),
        (
            "forget",
            {},
            "no tool is called 'forget'; known: search, fetch, context, plan, explain, relations",
        ),
    ],
)
def test_a_refusal_is_a_tool_error_with_a_message(
    engine: Engine, tool: str, given: dict[str, Any], words: str
) -> None:
    async def ask(client: ClientSession) -> str:
        return await call_error(client, tool, **given)

    assert met(engine, ask).startswith(words)


def test_a_pipeline_s_file_is_read_only_where_the_operator_names_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("pipeline: anything\nextends: flat\n")
    offered = load_pipelines({"mine": str(file)})
    assert list(offered) == ["code", "documents", "flat", "mine", "strict"]
    called = ToolContext(engine_answering(Broken()), offered)
    assert called.pipeline("mine").steps == offered["flat"].steps
    with pytest.raises(BadInput, match="no pipeline is called"):
        called.pipeline(str(file))


class Broken:
    """Whatever is asked of it fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error or RuntimeError("password=hunter2")

    def nodes(self, *_: Any, **__: Any) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("error", "near", "far"),
    [
        (RuntimeError("password=hunter2"), UNEXPECTED, UNEXPECTED),
        (StoreError("s.db is of another schema"), "s.db is of another schema", UNAVAILABLE),
    ],
)
def test_what_nobody_foresaw_tells_nothing_internal(
    engine: Engine, error: Exception, near: str, far: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(client: ClientSession) -> str:
        return await call_error(client, "fetch", id="r:tank.md")

    broken = engine_answering(Broken(error))
    assert met(broken, ask) == near
    assert met(broken, ask, from_afar=True) == far
    assert str(error) in caplog.text


class Slow:
    """Tells when it was asked, then works on and on, step by step, until nobody waits."""

    def __init__(self) -> None:
        self.asked = threading.Barrier(2, timeout=60)
        self.ended = threading.Event()

    def nodes(self, principal: Principal, ids: Any, **_: Any) -> Any:
        self.asked.wait()
        try:
            while True:
                check_cancelled()
                self.ended.wait(0.005)
        finally:
            self.ended.set()


def test_calls_run_beside_each_other_and_the_loop_lives() -> None:
    """Two that each wait for the other: one after the other would never end."""

    class Barrier(Slow):
        def nodes(self, principal: Principal, ids: Any, **_: Any) -> Any:
            self.asked.wait()
            raise NotVisible(f"nothing at {ids[0]}")

    async def ask(client: ClientSession) -> Any:
        calls = (call_error(client, "fetch", id=one) for one in ("r:a", "r:b"))
        return await asyncio.gather(*calls)

    assert met(engine_answering(Barrier()), ask) == ["nothing at r:a", "nothing at r:b"]


def test_a_call_that_takes_too_long_is_given_up() -> None:
    slow = Slow()

    async def ask(client: ClientSession) -> str:
        waiting = asyncio.to_thread(slow.asked.wait)
        answer, _ = await asyncio.gather(call_error(client, "fetch", id="r:a"), waiting)
        return answer

    assert (
        met(engine_answering(slow), ask, limits=Limits(seconds=0.1))
        == "this took longer than 0.1 seconds"
    )
    assert slow.ended.wait(60)


def test_a_cancelled_call_is_given_up() -> None:
    from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

    slow = Slow()

    async def ask(client: ClientSession) -> str:
        call = asyncio.ensure_future(client.call_tool("fetch", {"id": "r:a"}))
        await asyncio.to_thread(slow.asked.wait)
        params = CancelledNotificationParams(requestId=1)  # `initialize` was 0
        gone = CancelledNotification(method="notifications/cancelled", params=params)
        await client.send_notification(ClientNotification(gone))
        with pytest.raises(McpError) as error:
            await call
        return str(error.value)

    assert met(engine_answering(slow), ask) == "Request cancelled"
    assert slow.ended.wait(60)


def test_more_than_may_wait_are_refused() -> None:
    slow = Slow()

    async def ask(client: ClientSession) -> list[str]:
        first = asyncio.ensure_future(call_error(client, "fetch", id="r:a"))
        await asyncio.to_thread(slow.asked.wait)
        return [await call_error(client, "fetch", id="r:b"), await first]

    limits = Limits(at_once=1, queue=0, seconds=0.3)
    assert met(engine_answering(slow), ask, limits=limits) == [
        "more wait already than may wait; try again",
        "this took longer than 0.3 seconds",
    ]


def test_the_address_that_search_gives_is_a_seed(engine: Engine) -> None:
    async def ask(client: ClientSession) -> Any:
        by_id = await call_tool(client, "context", seeds=["r:tank.md"])
        by_address = await call_tool(client, "context", seeds=[url_of("r:tank.md")])
        return by_id, by_address

    by_id, by_address = met(engine, ask)
    assert by_address == by_id
    assert by_id["sources"]
