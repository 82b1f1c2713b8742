"""Nodes by id, and relations: listed page by page, added and removed manually."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from docgraph.model.node import document_id
from tests.support.http_app import HERE, NOTES, HttpApp, ingest_notes, open_app, settings_of

ODD = document_id("notes", "odd/a%b:c#d.md")
EXPLAINS = {"source": "notes:worker.md", "relation": "explains", "target": "notes:queue.md"}


@pytest.fixture
def own(tmp_path: Path) -> Iterator[HttpApp]:
    with open_app(settings_of(tmp_path)) as api:
        ingest_notes(api.state)
        yield api


@pytest.mark.parametrize("node", ["notes:queue.md", "notes:queue.md#pause", ODD, f"{ODD}@0"])
@pytest.mark.parametrize("safe", ["", "/", "/:"])
def test_an_id_survives_being_written_in_an_address(api: HttpApp, node: str, safe: str) -> None:
    """Decoded once, as servers do; starlette's own test client decodes twice."""

    async def asked() -> httpx.Response:
        transport = httpx.ASGITransport(api.client.app)
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            return await client.get(f"/v1/nodes/{quote(node, safe=safe)}")

    found = asyncio.run(asked())
    assert found.status_code == 200
    assert found.json()["id"] == node


def test_a_node_comes_with_its_text_or_without(api: HttpApp) -> None:
    whole = api.client.get("/v1/nodes/notes:queue.md").json()
    assert whole["text"] == NOTES["queue.md"].strip()
    bare = api.client.get("/v1/nodes/notes:queue.md?whole=false").json()
    assert bare == {**whole, "text": None, "heading_path": bare["heading_path"]}
    where = "repository=notes&branch=main&snapshot=1"
    assert api.client.get(f"/v1/nodes/notes:queue.md?{where}").json() == whole


def test_relations_are_listed_page_by_page(own: HttpApp) -> None:
    for target in ("notes:queue.md", ODD):
        assert own.post("/v1/relations", {**EXPLAINS, "target": target}).status_code == 201
    whole = own.client.get("/v1/relations").json()
    assert whole["total"] == len(whole["relations"]) >= 3
    assert whole["next"] is None
    pages = list[object]()
    offset: int | None = 0
    while offset is not None:
        page = own.client.get(f"/v1/relations?limit=2&offset={offset}").json()
        assert page["total"] == whole["total"]
        pages += page["relations"]
        offset = page["next"]
    assert pages == whole["relations"]


def test_relations_are_chosen_by_node_and_type(own: HttpApp) -> None:
    own.post("/v1/relations", EXPLAINS)
    explains = own.client.get("/v1/relations?type=explains").json()["relations"]
    assert [found["edge"] for found in explains] == [EXPLAINS]
    touching = own.client.get("/v1/relations", params={"node": ODD}).json()
    assert touching == {"relations": [], "total": 0, "next": None}
    refused = own.client.get("/v1/relations?type=explain")
    assert refused.status_code == 422
    assert "did you mean 'explains'" in refused.json()["detail"]


def test_a_relation_is_added_and_removed_manually(own: HttpApp) -> None:
    added = own.post("/v1/relations", {**EXPLAINS, "note": "as agreed"})
    assert added.status_code == 201
    assert added.json() == {"snapshot": {"repository": "notes", "branch": "main", "snapshot": 2}}
    (found,) = own.client.get("/v1/relations?type=explains").json()["relations"]
    assert (found["origins"], found["evidence"][0]["text"]) == (["manual"], "as agreed")
    removed = own.client.delete("/v1/relations", params=EXPLAINS)
    assert removed.json()["snapshot"]["snapshot"] == 3
    assert own.client.get("/v1/relations?type=explains").json()["total"] == 0
    again = own.client.delete("/v1/relations", params=EXPLAINS)
    assert again.status_code == 422
    assert "no manual relation" in again.json()["detail"]


def test_a_relation_that_is_there_gets_another_note(own: HttpApp) -> None:
    for note in ("as agreed", "as written"):
        assert own.post("/v1/relations", {**EXPLAINS, "note": note}).status_code == 201
    (found,) = own.client.get("/v1/relations?type=explains").json()["relations"]
    assert [shown["text"] for shown in found["evidence"]] == ["as written"]


def test_a_relation_to_nothing_is_refused(own: HttpApp) -> None:
    refused = own.post("/v1/relations", {**EXPLAINS, "target": "notes:gone.md"})
    assert refused.status_code == 404
    assert own.client.get("/v1/snapshots").json()["snapshots"][-1]["name"]["snapshot"] == 1
