"""Keeping the primary document or the tight cluster around it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.action import contract_of
from docgraph.model.seeds import Seed, Seeds
from docgraph.plan.select_scope import select_scope
from tests.support.memory_world import World, world
from tests.support.sample_documents import document, seeds

PLACE = world(*(document(node) for node in ("a:one", "a:two", "a:three.py", "b:four", "b:five")))
ids = st.lists(st.sampled_from([held.id for held in PLACE.documents]), unique=True, min_size=1)
numbers = st.floats(-2, 2)


def scope(found: Seeds, place: World = PLACE, **options: Any) -> Seeds:
    kept = contract_of(select_scope).call((found, place.search), options)
    assert isinstance(kept, Seeds)
    return kept


def scored(**scores: float) -> Seeds:
    return Seeds(tuple(Seed(f"a:{name}", score, "") for name, score in scores.items()), ())


@pytest.mark.requirement(19)
def test_candidates_outside_the_dominant_repository_are_left_out() -> None:
    kept = scope(seeds("b:four", "a:one", "b:five"), kind=False, cluster=0.0)
    assert kept.ids == ("b:four", "b:five")
    assert kept.selection.rule == "dominant"
    assert kept.selection.reason == "repository b dominates"
    assert kept.selection.dropped == ("a:one",)


@pytest.mark.requirement(19)
def test_candidates_outside_the_dominant_kind_are_left_out() -> None:
    kept = scope(seeds("a:three.py", "a:one"), cluster=0.0)
    assert kept.ids == ("a:three.py",)
    assert kept.selection.reason.endswith("; kind code dominates")


@pytest.mark.requirement(19)
def test_without_a_dominant_kind_both_kinds_stay() -> None:
    found = Seeds((Seed("a:three.py", 1.0, ""), Seed("a:one", 0.9, "")), ())
    kept = scope(found, cluster=0.0)
    assert kept.ids == found.ids
    assert kept.selection.reason.endswith("; no kind dominates")


@pytest.mark.requirement(19)
def test_the_primary_stays_beside_the_kind_that_dominates_the_others() -> None:
    found = Seeds(
        (Seed("a:three.py", 1.0, ""), Seed("a:one", 0.9, ""), Seed("a:two", 0.9, ""),
         Seed("b:four", 0.9, "")),
        (),
    )  # fmt: skip
    kept = scope(found, cluster=0.0)
    assert kept.ids == ("a:three.py", "a:one", "a:two")
    assert kept.selection.dropped == ("b:four",)


LATER = world(*PLACE.documents, snapshots={"a:two": 3, "a:three.py": 3})


@pytest.mark.requirement(19)
def test_candidates_outside_the_dominant_ingestion_are_left_out() -> None:
    """The repository is the same; the ingest that brought them is not."""
    found = Seeds((Seed("a:two", 1.0, ""), Seed("a:one", 0.6, ""), Seed("a:three.py", 0.7, "")), ())
    options = {"kind": False, "cluster": 0.0}
    kept = scope(found, LATER, repository="ingestion", **options)
    assert kept.ids == ("a:two", "a:three.py")
    assert kept.selection.dropped == ("a:one",)
    assert kept.selection.reason == "ingestion of a:two dominates"
    assert scope(found, LATER, **options).ids == found.ids


@pytest.mark.requirement(19)
def test_an_ingestion_is_of_one_branch_of_one_repository() -> None:
    """Both are in the first snapshot of their branch."""
    kept = scope(seeds("a:one", "b:four"), repository="ingestion", kind=False, cluster=0.0)
    assert kept.ids == ("a:one",)
    assert kept.selection.reason == "ingestion of a:one dominates"


@pytest.mark.requirement(19)
def test_without_a_dominant_ingestion_all_stay() -> None:
    found = Seeds((Seed("a:two", 1.0, ""), Seed("a:one", 0.9, "")), ())
    kept = scope(found, LATER, repository="ingestion", kind=False, cluster=0.0)
    assert kept.ids == found.ids
    assert kept.selection.reason == "no ingestion dominates"


@pytest.mark.requirement(19)
def test_the_first_seed_stays_beside_the_ingestion_that_dominates_the_others() -> None:
    found = Seeds((Seed("a:one", 0.5, ""), Seed("a:two", 0.9, ""), Seed("a:three.py", 0.9, "")), ())
    kept = scope(found, LATER, repository="ingestion", kind=False, cluster=0.0)
    assert kept.ids == found.ids
    assert kept.selection.reason == "ingestion of a:two dominates"


@pytest.mark.requirement(36)
@given(ids, st.lists(st.integers(1, 4), min_size=5, max_size=5), st.integers(1, 9))
def test_the_numbers_of_ingestions_change_nothing(
    found: list[str], numbers: list[int], more: int
) -> None:
    """Ingests of hidden documents lie between: which are equal, and their order, is all."""
    held = [one.id for one in PLACE.documents]
    near, far = (
        world(*PLACE.documents, snapshots=dict(zip(held, counted, strict=True)))
        for counted in (numbers, [number * more + more for number in numbers])
    )
    results = [scope(seeds(*found), place, repository="ingestion") for place in (near, far)]
    assert results[0] == results[1]


@pytest.mark.requirement(19)
def test_candidates_far_behind_the_best_are_left_out() -> None:
    kept = scope(scored(one=1.0, two=0.3, three=0.29), kind=False)
    assert kept.ids == ("a:one", "a:two")
    assert kept.selection.reason.endswith("; at least 0.3 of the best score")
    assert kept.selection.dropped == ("a:three",)


@pytest.mark.requirement(19)
@given(ids)
def test_switched_off_every_candidate_is_kept(found: list[str]) -> None:
    kept = scope(seeds(*found), repository=False, kind=False, cluster=0.0)
    assert kept.ranked == seeds(*found).ranked
    assert (kept.selection.rule, kept.selection.dropped) == ("all", ())
    assert kept.selection.reason == "every candidate kept"


@pytest.mark.requirement(19)
@given(st.lists(numbers, min_size=1, max_size=5), st.floats(0, 1))
def test_the_primary_always_stays_whatever_the_scores(scores: list[float], cluster: float) -> None:
    """A reranked primary may score less than others, and similarities may be negative."""
    found = Seeds(tuple(Seed(f"a:{n}", score, "") for n, score in enumerate(scores)), ())
    assert scope(found, cluster=cluster).ids[0] == "a:0"


@pytest.mark.requirement(19)
@given(st.lists(numbers, min_size=1, max_size=5))
def test_a_cluster_of_zero_means_any_score(scores: list[float]) -> None:
    found = Seeds(tuple(Seed(f"a:{n}", score, "") for n, score in enumerate(scores)), ())
    assert scope(found, kind=False, cluster=0.0).ids == found.ids


@pytest.mark.requirement(18)
@pytest.mark.requirement(19)
@pytest.mark.parametrize("definer", ["a:two", "a:three.py", "b:four"])
def test_a_seed_that_defines_a_name_in_the_question_always_stays(definer: str) -> None:
    found = Seeds((Seed("a:one", 1.0, ""), Seed(definer, 0.0, "defines open_gate")), ())
    assert scope(found).ids == ("a:one", definer)


@pytest.mark.requirement(19)
@pytest.mark.parametrize(("share", "kept"), [(0.66, ("a:one",)), (0.7, ("a:one", "b:four"))])
def test_how_much_dominates_is_a_setting(share: float, kept: tuple[str, ...]) -> None:
    found = seeds("a:one", "b:four")
    assert scope(found, kind=False, cluster=0.0, share=share).ids == kept


@pytest.mark.requirement(23)
@given(ids)
def test_the_reason_contains_no_score(found: list[str]) -> None:
    """It stands in the plan, which holds none."""
    reason = scope(seeds(*found)).selection.reason
    assert not set("0123456789") & set(reason.replace("at least 0.3", ""))


@pytest.mark.requirement(19)
@given(ids)
def test_what_stays_and_what_is_dropped_make_up_the_candidates_in_order(found: list[str]) -> None:
    before = seeds(*found)
    kept = scope(before)
    assert sorted(kept.ids + kept.selection.dropped) == sorted(before.ids)
    assert kept.ids == tuple(node for node in before.ids if node in kept.ids)
    assert kept.search == before.search


@pytest.mark.requirement(26)
def test_no_seeds_stay_no_seeds() -> None:
    assert scope(seeds()) == seeds()
