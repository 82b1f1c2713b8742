"""Questions over HTTP give what the engine gives, as the command line prints it with --json."""

import json
from typing import Any

import pytest

from docgraph.interfaces.auth.principals import local
from docgraph.model.digest import plain
from docgraph.model.plan import RetrievalPlan
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.receipt import receipt_of
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import Retrieval
from tests.support.http_app import HttpApp

ASKED = {"question": "How long is the pause of the queue?"}
DOCUMENTS = load("documents")


@pytest.fixture
def found(api: HttpApp) -> Retrieval:
    return api.state.engine.questions.retrieve(
        QuestionRequest(local(), DOCUMENTS, ASKED["question"])
    )


def as_data(value: object) -> Any:
    return json.loads(json.dumps(plain(value)))


def test_search_gives_seeds(api: HttpApp) -> None:
    seeds = api.state.engine.questions.retrieve(
        QuestionRequest(local(), DOCUMENTS.up_to(Seeds), ASKED["question"])
    ).seeds
    answer = api.post("/v1/search", ASKED)
    assert answer.status_code == 200
    assert answer.json()["seeds"] == as_data(seeds)
    assert answer.json()["scope"] == [{"repository": "notes", "branch": "main", "snapshot": 1}]


def test_top_says_how_many(api: HttpApp) -> None:
    answer = api.post("/v1/search", {**ASKED, "top": 1})
    assert len(answer.json()["seeds"]["ranked"]) == 1


def test_a_plan_is_made_and_executed_and_gives_the_context(api: HttpApp, found: Retrieval) -> None:
    planned = api.post("/v1/plans", ASKED).json()
    assert planned["digest"] == found.plan.digest
    done = api.post("/v1/plans/execute", planned).json()
    assert done == {
        "context": as_data(found.context),
        "digest": found.context.digest,
        "edited": False,
        "embeddings": "complete",
    }


def test_a_plan_that_was_edited_says_so(api: HttpApp) -> None:
    planned = api.post("/v1/plans", ASKED).json()
    planned["plan"]["question"] = "Something else"
    assert api.post("/v1/plans/execute", {"plan": planned}).json()["edited"] is True


def test_a_plan_can_be_executed_with_another_pipeline(api: HttpApp) -> None:
    planned = api.post("/v1/plans", ASKED).json()
    short = {
        "pipeline": "short",
        "extends": "documents",
        "change": {"assemble_context": {"max_tokens": 60}},
    }
    done = api.post("/v1/plans/execute", {"plan": planned, "pipeline": short}).json()
    assert done["context"]["max_tokens"] == 60
    unknown = {**planned, "pipeline": "theirs"}
    refused = api.post("/v1/plans/execute", {"plan": unknown})
    assert refused.status_code == 422
    assert "a pipeline called 'theirs'" in refused.json()["detail"]


def test_retrieve_gives_the_context(api: HttpApp, found: Retrieval) -> None:
    answer = api.post("/v1/retrieve", ASKED).json()
    assert answer["context"] == as_data(found.context)
    assert answer["digest"] == found.context.digest
    assert answer["plan_digest"] == found.plan.digest
    assert api.post("/v1/retrieve", {**ASKED, "max_tokens": 40}).json()["context"]["tokens"] <= 40


def test_seeds_take_the_place_of_a_question(api: HttpApp) -> None:
    answer = api.post("/v1/retrieve", {"seeds": ["notes:worker.md"]}).json()
    assert answer["context"]["documents"][0]["document_id"] == "notes:worker.md"


@pytest.mark.parametrize(
    "pipeline",
    [
        "flat",
        {"yaml": "pipeline: mine\nextends: flat\nchange:\n  search_nodes: {mode: bm25}\n"},
        {"pipeline": "mine", "extends": "flat", "change": {"search_nodes": {"mode": "bm25"}}},
        {
            "pipeline": "ünï",
            "steps": [{"search_nodes": {"top": 2}}, "fetch_evidence", "assemble_context"],
        },
    ],
)
def test_a_pipeline_is_named_or_written_in_the_request(api: HttpApp, pipeline: object) -> None:
    assert api.post("/v1/retrieve", {**ASKED, "pipeline": pipeline}).status_code == 200


def test_a_receipt_replays(api: HttpApp, found: Retrieval) -> None:
    asked = {**ASKED, "receipt": True}
    receipt = api.post("/v1/retrieve", asked).json()["receipt"]
    assert receipt == as_data(receipt_of(found))
    again = api.post("/v1/receipts/replay", {"receipt": receipt}).json()
    assert again["same"] is True
    assert again["context"] == as_data(found.context)
    checked = api.post("/v1/receipts/replay", {"receipt": receipt, "check": True}).json()
    assert checked == {"consistent": True, "problems": []}
    planned = api.post("/v1/plans", asked).json()["receipt"]
    assert api.post("/v1/receipts/replay", {"receipt": planned}).json()["context"] is None


def test_a_receipt_that_was_edited_is_refused(api: HttpApp) -> None:
    receipt = api.post("/v1/retrieve", {**ASKED, "receipt": True}).json()["receipt"]
    receipt["question"] = "another"
    checked = api.post("/v1/receipts/replay", {"receipt": receipt, "check": True}).json()
    assert checked["consistent"] is False
    refused = api.post("/v1/receipts/replay", {"receipt": receipt})
    assert refused.status_code == 422
    assert "not consistent" in refused.json()["detail"]


def test_explain_tells_why_each_item_is_there(api: HttpApp, found: Retrieval) -> None:
    data = api.post("/v1/explain", ASKED).json()
    assert [item["id"] for item in data["items"]] == [item.id for item in found.context.items]
    assert all(item["why"]["access"] == "readable by everyone" for item in data["items"])
    assert data["trace"]["steps"][0]["action"] == "search_nodes"


def test_explain_of_a_node_tells_where_it_stands(api: HttpApp) -> None:
    there = api.post("/v1/explain", {**ASKED, "node": "notes:queue.md"}).json()
    assert there["stage"] == "included"
    nowhere = api.post("/v1/explain", {**ASKED, "node": "notes:gone.md"})
    assert nowhere.status_code == 404
    assert nowhere.json()["detail"].startswith("no visible node has the id 'notes:gone.md'; ")


def test_a_snapshot_can_be_named(api: HttpApp) -> None:
    where = {"repository": "notes", "branch": "main", "snapshot": 1}
    assert api.post("/v1/search", {**ASKED, **where}).json()["scope"] == [where]
    refused = api.post("/v1/search", {**ASKED, "snapshot": 1})
    assert refused.status_code == 422
    assert "needs its repository and branch" in refused.json()["detail"]
    assert api.post("/v1/search", {**ASKED, **where, "snapshot": 2}).status_code == 404


def test_snapshots_are_listed(api: HttpApp) -> None:
    (only,) = api.client.get("/v1/snapshots").json()["snapshots"]
    assert only["name"] == {"repository": "notes", "branch": "main", "snapshot": 1}
    unknown = api.client.get("/v1/snapshots?repository=nots")
    assert unknown.status_code == 404
    assert unknown.json()["detail"].endswith("did you mean 'notes'?")


def test_no_plan_without_a_plan(api: HttpApp) -> None:
    """A pipeline that makes none is an error in words, not a crash."""
    only = {"pipeline": "only", "steps": ["search_nodes"]}
    for path in ("/v1/plans", "/v1/retrieve", "/v1/explain", "/v1/ask"):
        refused = api.post(path, {**ASKED, "pipeline": only})
        assert refused.status_code == 422, path
    assert RetrievalPlan.__name__ in api.post("/v1/plans", {**ASKED, "pipeline": only}).text
