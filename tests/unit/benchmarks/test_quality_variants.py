"""The measured pipelines follow from the signatures of their actions."""

from benchmarks.quality_variants import FOLLOWED, flat, followed_relations, option_variants, planned
from docgraph.pipeline.catalog import ACTIONS
from docgraph.pipeline.load import load


def test_every_value_that_an_option_may_take_is_measured() -> None:
    over = option_variants(load("documents"), "over")
    assert list(over) == ["`over: documents`", "`over: sections`", "`over: chunks`"]
    levels = [p.steps[0].options["over"] for p in over.values()]
    assert levels == ["documents", "sections", "chunks"]
    option = ACTIONS["expand_relationships"].option("admit")
    assert option is not None
    assert f"`admit: {option.default}`" in option_variants(load("documents"), "admit")


def test_an_option_that_a_pipeline_lacks_changes_nothing() -> None:
    assert option_variants(load("flat"), "admit") == {}


def test_questions_about_code_use_the_pipeline_for_code_too() -> None:
    of_documents = ["planned (`documents`)", "planned (`strict`)"]
    assert list(planned(code=False)) == of_documents
    assert list(planned(code=True)) == [*of_documents, "planned (`code`)"]
    assert list(flat()) == ["flat semantic", "flat bm25", "flat hybrid"]


def test_a_pipeline_follows_its_relations_or_all() -> None:
    assert followed_relations(load("flat")) == frozenset()
    assert followed_relations(load("documents")) == FOLLOWED
    assert followed_relations(load("code")) < FOLLOWED
