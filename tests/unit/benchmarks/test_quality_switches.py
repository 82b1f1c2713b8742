"""Ablations: which miners and relations can be switched off, each once."""

from collections import Counter

from benchmarks.quality_switches import Switch, edges_by_origin, switches
from docgraph.model.edge import RelationCount, RelationCounts


def counts(*found: tuple[str, str, int]) -> RelationCounts:
    return RelationCounts((), tuple(RelationCount(by, name, n, 0, ()) for by, name, n in found), 0)


def test_containment_is_not_counted_and_snapshots_are_summed() -> None:
    one = counts(("names", "shares_entity", 2), ("structure", "contains", 9))
    other = counts(("names", "shares_entity", 3), ("links", "references", 0))
    assert edges_by_origin([one, other]) == {("names", "shares_entity"): 5}


def test_the_only_relation_of_a_miner_is_switched_off_with_the_miner() -> None:
    edges = Counter({("names", "shares_entity"): 5, ("titles", "mentions"): 2})
    assert switches(edges, Counter(shares_entity=5, mentions=2)) == (
        Switch("every edge", 7, frozenset({"shares_entity", "mentions"})),
        Switch("miner `names` (shares_entity)", 5, frozenset({"shares_entity"})),
        Switch("miner `titles` (mentions)", 2, frozenset({"mentions"})),
    )


def test_relations_that_miners_share_are_also_switched_off_alone_with_their_inverses() -> None:
    edges = Counter(
        {
            ("imported", "references"): 4,
            ("imported", "supersedes"): 1,
            ("imported", "superseded_by"): 1,
            ("identifiers", "references"): 3,
        }
    )
    relations = Counter(references=5, supersedes=1, superseded_by=1)
    found = [(switch.name, switch.edges, switch.miner) for switch in switches(edges, relations)]
    assert found == [
        ("every edge", 7, None),
        ("miner `identifiers` (references)", 3, "identifiers"),
        ("imported edges (references, superseded_by, supersedes)", 6, "imported"),
        ("`references`", 5, None),
        ("`superseded_by` and `supersedes`", 2, None),
    ]


def test_without_edges_there_is_no_ablation() -> None:
    assert switches(Counter(), Counter()) == ()
