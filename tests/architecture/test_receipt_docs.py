"""The docs describe every key of a receipt."""

from dataclasses import fields
from typing import get_args

from docgraph.pipeline.receipt import FORMAT, Receipt
from docgraph.pipeline.replay import ChangeKind
from docgraph.pipeline.run import ARTIFACTS
from tests.architecture.test_docs import CLI, CODE, CONCEPTS, rows


def test_every_key_of_a_receipt_is_documented() -> None:
    documented = rows(CONCEPTS["Receipts"])
    keys = [name for cells in documented for name in CODE.findall(cells[0])]
    assert sorted(keys) == sorted(field.name for field in fields(Receipt))
    assert documented[0] == ["`format`", f"`{FORMAT}`"]


def test_every_artifact_is_documented() -> None:
    documented = [CODE.findall(cells[0])[0] for cells in rows(CONCEPTS["Artifacts"])]
    assert documented == list(ARTIFACTS.values())


def test_every_cause_of_a_difference_is_documented() -> None:
    documented = [cells[0] for cells in rows(CLI["docgraph replay"])]
    assert set(get_args(ChangeKind)) <= set(documented)
