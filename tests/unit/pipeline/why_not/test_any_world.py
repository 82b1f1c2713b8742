"""In any small world: what is reported of a change is so when it is made."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docgraph.model.digest import canonical
from docgraph.model.explanation import STAGES
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from tests.support.explanations import cited_ids, explain, find_explanation, with_changes
from tests.support.memory_world import World, world
from tests.support.sample_documents import ChunkSpec, Part, document, edge, towards

NAMES = ("a.md", "b.md", "c.md", "d.py", "e.md", "f.md")
RELATIONS = ("explains", "mentions", "imports", "calls")
WORDS = ("corn", "mill", "baker of bread and of cakes", "corn corn corn in sacks")
COUNTED = (
    "top",
    "pool",
    "max_documents",
    "max_seed_documents",
    "max_nodes",
    "max_chunks",
    "max_tokens",
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Some documents of one or two chunks, one of them maybe in another repository."""
    ids = [f"{'s' if name == 'f.md' else 'r'}:{name}" for name in NAMES]
    shares = st.integers(0, 10).map(lambda tenths: towards(tenths / 10))
    documents = []
    for node in ids:
        meaning = draw(shares)
        inner = Part("#part", (ChunkSpec(draw(st.sampled_from(WORDS)), draw(shares)),))
        parts = (inner,) if draw(st.booleans()) else ()
        documents.append(document(node, draw(st.sampled_from(WORDS)), meaning=meaning, parts=parts))
    ends = st.sampled_from(ids)
    links = draw(st.lists(st.tuples(ends, ends, st.sampled_from(RELATIONS)), max_size=6))
    edges = {(one, other, kind) for one, other, kind in links if one != other}
    return world(*documents, edges=[edge(*one) for one in sorted(edges)])


@st.composite
def pipelines(draw: st.DrawFn) -> Pipeline:
    """Narrow ones, so that much falls out."""
    few = st.integers(1, 3)
    top, budget = draw(st.integers(1, 6)), draw(st.integers(8, 60))
    if draw(st.booleans()):
        depth = draw(st.integers(0, 2))
        return (
            load("code")
            .with_options("search_nodes", top=top, over="documents")
            .with_options("expand_dependency_tree", max_nodes=draw(few), max_depth=depth)
            .with_options("fetch_node_texts", max_chars=draw(st.integers(5, 80)))
            .with_options("assemble_context", max_tokens=budget)
        )
    relations = draw(st.sampled_from((None, (), ("mentions",))))
    return (
        load("documents")
        .with_options("search_nodes", top=top, pool=draw(st.integers(1, 8)))
        .with_options("select_scope", cluster=draw(st.sampled_from((0.0, 0.3))))
        .with_options("expand_relationships", max_documents=draw(few), relations=relations)
        .with_options("fetch_evidence", per_document=draw(st.integers(1, 2)), max_chunks=draw(few))
        .with_options("assemble_context", max_tokens=budget)
    )


@pytest.mark.requirement(49)
@given(worlds(), pipelines(), st.sampled_from(NAMES[:5]))
def test_whatever_change_is_reported_lets_the_node_in(
    store: World, pipeline: Pipeline, name: str
) -> None:
    node = f"r:{name}"
    found = explain(node, pipeline, store)
    assert (found.stage == "included") == (node in cited_ids(with_changes(pipeline, store, ())))
    assert (found.stage == "included") == bool(found.items)
    assert len(found.change) <= 3
    if found.change:
        assert node in cited_ids(with_changes(pipeline, store, found.change))


@pytest.mark.requirement(49)
@given(worlds(), pipelines(), st.sampled_from(NAMES[:5]))
def test_one_less_does_not_do_it(store: World, pipeline: Pipeline, name: str) -> None:
    found = explain(f"r:{name}", pipeline, store)
    if not found.change or found.change[-1].option not in COUNTED:
        return
    *before, last = found.change
    assert isinstance(last.new, int)
    assert isinstance(last.old, int)
    less = replace(last, new=last.new - 1)
    assert last.new > last.old
    assert f"r:{name}" not in cited_ids(with_changes(pipeline, store, [*before, less]))


@given(worlds(), pipelines(), st.sampled_from(NAMES[:5]))
def test_no_change_of_several_is_superfluous(store: World, pipeline: Pipeline, name: str) -> None:
    found = explain(f"r:{name}", pipeline, store)
    for change in found.change[1:] and found.change:
        rest = [one for one in found.change if one != change]
        assert f"r:{name}" not in cited_ids(with_changes(pipeline, store, rest))


@settings(max_examples=20)
@given(worlds(), pipelines(), st.sampled_from(NAMES), st.sets(st.sampled_from(NAMES), min_size=1))
def test_hidden_documents_change_no_byte(
    store: World, pipeline: Pipeline, name: str, hidden: set[str]
) -> None:
    """Of a hidden node itself, too: it is explained as little as one that never was."""
    node = f"{'s' if name == 'f.md' else 'r'}:{name}"
    gone = frozenset(held.id for held in store.documents if held.id.partition(":")[2] in hidden)
    dark = World(store.documents, store.edges, hidden=gone)
    kept = [held for held in store.documents if held.id not in gone]
    ids = {part.id for held in kept for part in held.nodes}
    edges = [one for one in store.edges if {one.edge.source, one.edge.target} <= ids]
    bare = world(*kept, edges=edges)
    there, nowhere = (find_explanation(node, pipeline, place) for place in (dark, bare))
    assert canonical(there) == canonical(nowhere)


def test_the_worlds_show_every_stage() -> None:
    """Else the rules above were hardly tested."""
    stages, expected = set[str](), set(STAGES)

    @given(worlds(), pipelines())
    def collect(store: World, pipeline: Pipeline) -> None:
        if stages < expected:
            stages.update(explain(f"r:{name}", pipeline, store).stage for name in NAMES[:5])

    collect()
    assert stages == expected
