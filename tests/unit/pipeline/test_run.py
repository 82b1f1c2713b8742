"""Running a pipeline: each step gets what it requires by type, and leaves a row in the trace."""

import subprocess
import sys
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from docgraph.action import action, contract_of
from docgraph.model.answer import Answer
from docgraph.model.context import Context, TokenCounter
from docgraph.model.digest import canonical, digest
from docgraph.model.errors import BadPipeline, PreconditionViolation
from docgraph.model.evidence import RetrievedContext
from docgraph.model.plan import RetrievalPlan
from docgraph.model.question import Question
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.pipeline.run import Run, artifact_name, run
from docgraph.plan.plan_seeds import plan_seeds
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import ChatModelChain, Reranker
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.text_reads import TextReads
from tests.support.fakes import PreferenceReranker, WordCounter
from tests.support.memory_world import World, world
from tests.support.sample_documents import (
    EAST,
    NORTH,
    ChunkSpec,
    Part,
    ask,
    document,
    edge,
    seeds,
    towards,
)

ROOT = Path(__file__).parent.parent.parent.parent
TOWN = world(
    document("r:mill.md", ChunkSpec("a mill grinds corn", NORTH), "corn", meaning=NORTH),
    document("r:baker.md", ChunkSpec("a baker needs corn", towards(0.8)), meaning=towards(0.8)),
    document("r:road.md", ChunkSpec("the way to the mill", EAST), meaning=EAST),
    document("r:mill.py", parts=(Part("::grind", (ChunkSpec("def grind", NORTH),)),)),
    edges=[
        edge("r:mill.md", "r:road.md", "explains"),
        edge("r:mill.md", "r:mill.py::grind", "documents"),
        edge("r:mill.py::grind", "r:baker.md", "calls"),
    ],
)
LONELY = world(*TOWN.documents)

IN_ANOTHER_PROCESS = """
from docgraph.model.digest import canonical
from docgraph.pipeline.load import load
from tests.unit.pipeline.test_run import TOWN, ask, walk
import hashlib
for name in ("documents", "code"):
    found = walk(load(name), TOWN, ask("grind corn in a `mill`"))
    values = [canonical(value) for value in found.values.values()]
    print(name, *(hashlib.sha256(value).hexdigest() for value in values))
"""


def windows(store: World) -> Mapping[type, Any]:
    return {
        SearchReads: lambda _: store.search,
        GraphReads: lambda _: store.graph,
        TextReads: lambda values: store.texts(values[RetrievalPlan]),
        TokenCounter: lambda _: WordCounter(),
        Reranker: lambda _: PreferenceReranker({}, name="none"),
        ChatModelChain: lambda _: ChatModelChain((), lambda _: None),
    }


def walk(pipeline: Pipeline, store: World, *given: Any) -> Run:
    ticks = count()
    values = {type(value): value for value in given}
    return run(pipeline, values, windows(store), lambda: float(next(ticks)))


QUESTION = ask("corn")


@pytest.mark.requirement(26)
def test_a_question_runs_through_every_stage() -> None:
    found = walk(load("documents"), TOWN, QUESTION)
    assert found.get(Seeds).ids[0] == "r:mill.md"
    assert "r:road.md" in found.get(RetrievalPlan).order
    assert "a mill grinds corn" in found.get(Context).text
    assert found.get(Answer).text == found.get(Context).text


@pytest.mark.requirement(44)
def test_each_step_leaves_its_options_inputs_and_output_by_digest_and_its_time() -> None:
    pipeline = load("documents")
    found = walk(pipeline, TOWN, QUESTION)
    assert (found.trace.pipeline, found.trace.pipeline_digest) == ("documents", pipeline.digest)
    assert [row.action for row in found.trace.steps] == [s.action.name for s in pipeline.steps]
    search, *_, expand, fetch, _, _ = found.trace.steps
    assert dict(search.options)["top"] == 8
    assert search.inputs == (("question", digest(QUESTION)),)
    assert expand.output == ("graph_expanded_nodes", digest(found.get(RetrievalPlan)))
    assert fetch.inputs == (expand.output,)
    assert {row.milliseconds for row in found.trace.steps} == {1000.0}


def test_digests_are_computed_when_the_trace_is_looked_at_once_for_each_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def noted(value: object) -> str:
        asked.append(artifact_name(type(value)))
        return digest(value)

    monkeypatch.setattr("docgraph.pipeline.run.digest", noted)
    found = walk(load("documents"), TOWN, QUESTION)
    assert asked == []
    outputs = [row.output for row in found.trace.steps]
    assert sorted(asked) == sorted(["question", *(made for made, _ in outputs)])
    assert len(outputs) == len({made for made, _ in outputs}) + 1  # a superseded one has its own


@pytest.mark.requirement(44)
def test_a_step_put_in_by_the_loader_is_marked_in_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("pipeline: p\nextends: documents\nwithout: [expand_relationships]\n")
    rows = walk(load(str(path)), TOWN, QUESTION).trace.steps
    assert [row.action for row in rows if row.implicit] == ["plan_seeds"]


@pytest.mark.requirement(25)
def test_without_relations_documents_equals_itself_without_expansion_byte_for_byte(
    tmp_path: Path,
) -> None:
    path = tmp_path / "flat.yaml"
    path.write_text("pipeline: flat\nextends: documents\nwithout: [expand_relationships]\n")
    for text in ("corn", "the way to the mill", "nothing of the kind"):
        planned = walk(load("documents"), LONELY, ask(text))
        flat = walk(load(str(path)), LONELY, ask(text))
        for kind in (RetrievedContext, Context):
            assert canonical(planned.get(kind)) == canonical(flat.get(kind))


@pytest.mark.requirement(24)
def test_explicit_ids_instead_of_a_question_can_be_the_seeds() -> None:
    pipeline = load("documents").starting_from(Seeds)
    found = walk(pipeline, TOWN, ask("", None), seeds("r:mill.md"))
    assert found.get(RetrievalPlan).order[0] == "r:mill.md"
    assert "the way to the mill" in found.get(Context).text


@pytest.mark.requirement(26)
def test_no_seeds_end_in_an_empty_context_that_says_why() -> None:
    for name in ("documents", "code"):
        context = walk(load(name), world(), QUESTION).get(Context)
        assert (context.text, context.items) == ("", ())
        assert context.reason == "no seeds: nothing visible matches"


@pytest.mark.requirement(26)
@pytest.mark.requirement(41)
def test_a_step_that_refuses_to_run_without_seeds_leaves_an_empty_plan() -> None:
    done = walk(load("code"), world(), QUESTION)
    plan, found = done.get(RetrievalPlan), done.get(Seeds)
    assert (plan.order, plan.cut, found.ranked) == ((), (), ())
    assert (plan.constraints.search, plan.constraints.traversal_enabled) == (found.search, False)
    steps = [(step.action, step.output[1]) for step in done.trace.steps]
    assert steps[1] == ("expand_dependency_tree", plan.digest)


@pytest.mark.requirement(41)
def test_a_precondition_on_anything_else_is_an_error() -> None:
    def long_enough(question: Question) -> bool:
        """A question has more than ten characters."""
        return len(question.text) > 10

    @action(requires=(long_enough,))
    def plan_long_questions(question: Question, found: Seeds) -> RetrievalPlan:
        return RetrievalPlan.of_seeds(question, found.ids)

    step = Step.of(contract_of(plan_long_questions), {})
    with pytest.raises(PreconditionViolation, match="more than ten characters"):
        walk(Pipeline("own", (step,)), TOWN, ask("short"), seeds("r:mill.md"))


@pytest.mark.requirement(28)
def test_a_plan_run_later_gives_the_same_bytes() -> None:
    for name in ("documents", "code"):
        whole = walk(load(name), TOWN, QUESTION)
        later = walk(load(name).starting_from(RetrievalPlan), TOWN, whole.get(RetrievalPlan))
        assert canonical(later.get(Context)) == canonical(whole.get(Context))


@pytest.mark.requirement(23)
@pytest.mark.parametrize("name", ["documents", "code"])
def test_the_plan_of_a_run_holds_no_scores_and_no_documents_text(name: str) -> None:
    found = walk(load(name), TOWN, ask("who grinds?"))
    plan = canonical(found.get(RetrievalPlan)).decode()
    assert not [seed for seed in found.get(Seeds).ranked if str(seed.score) in plan]
    assert not [held for held in TOWN.documents for c in held.chunks if c.text in plan]
    assert "Summary of" not in plan


@pytest.mark.requirement(36)
def test_hidden_documents_change_no_byte_of_a_run() -> None:
    secret = document("r:aaa.md", "corn corn corn", parts=(Part("#mill", (ChunkSpec("corn"),)),))
    among = world(
        secret,
        *TOWN.documents,
        edges=[*TOWN.edges, edge("r:mill.md", "r:aaa.md"), edge("r:aaa.md#mill", "r:baker.md")],
        names=[("mill", "r:aaa.md")],
        hidden=["r:aaa.md"],
    )
    for name in ("documents", "code"):
        alone = walk(load(name), TOWN, ask("corn `mill`"))
        for kind in (Seeds, RetrievalPlan, RetrievedContext, Context):
            seen = walk(load(name), among, ask("corn `mill`")).get(kind)
            assert canonical(seen) == canonical(alone.get(kind))


@pytest.mark.requirement(7)
@pytest.mark.requirement(23)
def test_every_value_of_a_run_has_the_same_bytes_under_every_hash_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{ROOT}")
    text = set()
    for seed in ("0", "1", "7"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS], capture_output=True, text=True, check=True
        )
        text.add(done.stdout)
    assert len(text) == 1
    assert "documents" in text.pop()


def test_a_missing_output_is_reported() -> None:
    found = walk(load("documents").up_to(Seeds), TOWN, QUESTION)
    with pytest.raises(BadPipeline, match="pipeline 'documents' makes no Context"):
        found.get(Context)


def test_a_missing_input_is_reported() -> None:
    plan = plan_seeds(QUESTION, seeds("r:mill.md"))
    with pytest.raises(BadPipeline, match="search_nodes needs Question, which this run"):
        walk(load("documents"), TOWN, plan)


def test_a_run_does_not_change_what_it_was_given() -> None:
    given: dict[type, Any] = {Question: QUESTION}
    run(load("documents"), given, windows(TOWN), lambda: 0.0)
    assert given == {Question: QUESTION}
