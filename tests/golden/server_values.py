"""What programs get: HTTP bodies, MCP tools, Python receipts, metadata in frameworks."""

import asyncio
import json
import shutil
import time
from pathlib import Path
from typing import Any

from mcp import ClientSession
from starlette.testclient import TestClient

import docgraph
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.mcp.server import mcp_server
from docgraph.interfaces.mcp.tool_context import Limits, ToolContext, load_pipelines
from tests.golden.engine_values import CODE, NORTH, RETRY
from tests.golden.history import README_NOTES, STAFF
from tests.golden.installation import use_fakes
from tests.golden.values import readable, short_digest
from tests.support.http_app import open_app, settings_of
from tests.support.mcp_clients import in_memory, text

QUESTION = {"question": RETRY, "repository": "notes"}
SEEDS = {"seeds": ["notes:0002-retry.md"]}
EDGE = {"source": "notes:limits.md", "relation": "explains", "target": "notes:uploads.md"}
MINE = {"pipeline": "mine", "extends": "documents", "change": {"search_nodes": {"mode": "bm25"}}}
POSTS: tuple[tuple[str, str, Any], ...] = (
    ("search", "/v1/search", {**QUESTION, "top": 2}),
    ("plan", "/v1/plans", {**QUESTION, "receipt": True}),
    ("plan of ids", "/v1/plans", SEEDS),
    ("retrieve", "/v1/retrieve", {**QUESTION, "max_tokens": 80, "receipt": True}),
    ("retrieve with a pipeline", "/v1/retrieve", {**QUESTION, "pipeline": MINE}),
    ("retrieve without seeds", "/v1/retrieve", {"seeds": ["notes:absent.md"], "pipeline": "code"}),
    ("ask", "/v1/ask", {**QUESTION, "receipt": True}),
    ("explain", "/v1/explain", QUESTION),
    ("explain a node", "/v1/explain", {**QUESTION, "node": "notes:limits.md"}),
    ("add a relation", "/v1/relations", {**EDGE, "note": "holds for every attempt"}),
    ("no question", "/v1/retrieve", {}),
    ("unknown key", "/v1/retrieve", {**QUESTION, "as": "ann"}),
    ("unknown pipeline", "/v1/retrieve", {**QUESTION, "pipeline": "documnts"}),
    ("pipeline with a wrong option", "/v1/retrieve", {**QUESTION, "pipeline": {**MINE, "x": 1}}),
    ("unknown repository", "/v1/search", {**QUESTION, "repository": "nots"}),
    ("beyond a limit", "/v1/retrieve", {**QUESTION, "max_tokens": 0}),
    ("no such plan", "/v1/plans/execute", {"plan": {"format": "docgraph.plan/2"}}),
    ("no such receipt", "/v1/receipts/replay", {"receipt": {}}),
    ("outside the roots", "/v1/ingestions", {"path": "../elsewhere"}),
    ("unknown relation", "/v1/relations", {**EDGE, "relation": "explians"}),
)
GETS = (
    "/healthz",
    "/readyz",
    "/v1/snapshots",
    "/v1/status",
    "/v1/relations?repository=notes",
    "/v1/relations?node=notes:limits.md&limit=1",
    "/v1/nodes/notes:uploads.md",
    "/v1/nodes/notes:missing.md",
    "/v1/ingestions",
    "/v1/ingestions/absent",
    "/v1/absent",
    "/v1/relations?limit=0",
)
MCP_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search", {"query": RETRY}),
    ("search", {"query": RETRY, "repository": "notes"}),
    ("fetch", {"id": "notes:uploads.md"}),
    ("context", {"question": RETRY, "repository": "notes", "max_tokens": 80}),
    ("context", {"question": CODE, "pipeline": "code", "max_tokens": 120}),
    ("plan", {"question": RETRY, "repository": "notes"}),
    ("explain", {"question": RETRY, "repository": "notes"}),
    ("explain", {"question": RETRY, "repository": "notes", "node": "notes:limits.md"}),
    ("relations", {"node": "notes:0002-retry.md"}),
    ("fetch", {"id": "notes:absent.md"}),
    ("context", {"question": RETRY, "repository": "nots"}),
    ("context", {"question": RETRY, "pipeline": "documnts"}),
    ("context", {"question": ""}),
    ("serach", {"query": RETRY}),
)


def http(folder: Path) -> Any:
    """Bodies by request; a new ingestion's id and the request's are made by chance."""
    roots = folder / "roots"
    shutil.copytree(README_NOTES, roots / "notes")
    with use_fakes(), open_app(settings_of(folder, roots=(str(roots),))) as server:
        client, values = server.client, {}
        added = client.post("/v1/ingestions", json={"path": "notes"}).json()
        where = f"/v1/ingestions/{added['id']}"
        while client.get(where).json()["state"] not in {"succeeded", "failed"}:
            time.sleep(0.01)
        values["ingestion"] = client.get(where).json()
        accept = {"Accept": "application/json"}
        for name, path, body in POSTS:
            answer = client.post(path, json=body, headers=accept)
            values[f"POST {path}, {name}"] = _answer(answer)
        values |= _proofs(client, values)
        values["POST /v1/ask, as events"] = client.post("/v1/ask", json=QUESTION).text
        for path in GETS:
            values[f"GET {path}"] = _answer(client.get(path))
        values["DELETE /v1/relations"] = _answer(client.delete("/v1/relations", params=EDGE))
        values["GET not allowed"] = _answer(client.get("/v1/retrieve"))
        values["not JSON"] = _answer(client.post("/v1/search", content=b"{", headers=accept))
        for job in (values["ingestion"], *values["GET /v1/ingestions"]["body"]["ingestions"]):
            assert "progress" in job
            job["progress"] = None  # a busy machine renews the lease, and stores it, meanwhile
        return readable(values, {added["id"]: "<ingestion>"})


def _proofs(client: TestClient, values: dict[str, Any]) -> dict[str, Any]:
    """What was given before, handed in again."""
    plan = values["POST /v1/plans, plan"]["body"]["plan"]
    receipt = values["POST /v1/retrieve, retrieve"]["body"]["receipt"]
    bodies = (
        ("/v1/plans/execute", plan),
        ("/v1/receipts/replay", {"receipt": receipt}),
        ("/v1/receipts/replay", {"receipt": {**receipt, "question": "another"}, "check": True}),
    )
    return {
        f"POST {path}, {number}": _answer(client.post(path, json=body))
        for number, (path, body) in enumerate(bodies)
    }


def _answer(response: Any) -> dict[str, Any]:
    return {"status": response.status_code, "body": response.json()}


def openapi(folder: Path) -> Any:
    with use_fakes(), open_app(settings_of(folder)) as server:
        return server.client.get("/openapi.json").json()


def mcp(engine: Engine) -> Any:
    """The list of tools, and what calls of them give."""
    server = mcp_server(
        ToolContext(engine, load_pipelines(), Limits()), lambda _: local(), from_afar=False
    )

    async def session() -> Any:
        async with in_memory(server) as client:
            listed = (await client.list_tools()).model_dump(mode="json")
            return listed, [await _called(client, *call) for call in MCP_CALLS]

    listed, answers = asyncio.run(session())
    names = [f"{at:02} {tool} {json.dumps(given)}" for at, (tool, given) in enumerate(MCP_CALLS)]
    calls = readable(dict(zip(names, answers, strict=True)))
    return {"mcp": calls, "mcp_tools": listed["tools"]}


async def _called(client: ClientSession, tool: str, given: dict[str, Any]) -> Any:
    result = await client.call_tool(tool, given)
    return {"error": text(result)} if result.isError else result.structuredContent


def python(store: Path) -> Any:
    """Through `docgraph.open`, on the store of the golden history."""
    with use_fakes(), docgraph.open(store) as opened_store:
        answered = opened_store.ask(RETRY, repository="notes")
        cleared = opened_store.retrieve(NORTH, as_="sam", max_tokens=100)
        planned = opened_store.plan(seeds=["notes:uploads.md"])
        return readable(
            {
                "receipt": answered.receipt(),
                "text": answered.text,
                "receipt of a context": short_digest(cleared.receipt()),
                "receipt of a plan": short_digest(planned.receipt()),
                "search": opened_store.search(RETRY, as_=STAFF, repository="parcel").seeds,
                "why": opened_store.why("notes:limits.md", RETRY, max_tokens=60),
                "replayed": opened_store.replay(answered.receipt()).same,
                "node": opened_store.node("notes:uploads.md"),
                "relations": opened_store.relations("notes:0002-retry.md"),
                "snapshots": opened_store.snapshots(repository="notes"),
                "status": opened_store.status(as_="sam"),
            }
        )


def frameworks(store: Path) -> Any:
    """Imported late: each takes a second."""
    from docgraph.integrations.haystack import DocgraphRetriever as Haystack
    from docgraph.integrations.langchain import DocgraphRetriever as LangChain
    from docgraph.integrations.llamaindex import DocgraphRetriever as LlamaIndex

    with use_fakes(), docgraph.open(store) as given:
        scope: dict[str, Any] = {"repository": "notes", "max_tokens": 80}
        langchain = LangChain(store=given, **scope).invoke(RETRY)
        llamaindex = LlamaIndex(given, **scope).retrieve(RETRY)
        haystack = Haystack(given, **scope).run(RETRY)["documents"]
    return readable(
        {
            "langchain": [(one.id, one.page_content, one.metadata) for one in langchain],
            "llamaindex": [(one.node_id, one.score, one.text, one.metadata) for one in llamaindex],
            "haystack": [(one.id, one.score, one.content, one.meta) for one in haystack],
        }
    )
