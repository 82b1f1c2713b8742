"""Seeds: ids and numbers."""

from dataclasses import fields

import pytest

from docgraph.model.seeds import Seed, Seeds, Selection


@pytest.mark.requirement(15)
def test_seeds_are_ids_in_order_without_text() -> None:
    found = Seeds((Seed("r:b", 0.9, "rank 1"), Seed("r:a", 0.9, "rank 2")), search=())
    assert found.ids == ("r:b", "r:a")
    assert {field.name for field in fields(Seed)} == {"id", "score", "why"}


@pytest.mark.requirement(19)
def test_by_default_every_candidate_is_kept() -> None:
    assert Seeds((), ()).selection == Selection("all", "every candidate kept", ())
