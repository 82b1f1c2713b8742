"""The references that a language finds in code, each kind of relation under its own miner."""

from dataclasses import replace

import pytest

from docgraph.ingest.languages.references import MINER_OF
from docgraph.ingest.miners.document_view import MAX_MENTIONS
from docgraph.ingest.miners.registry import ALL_MINERS
from docgraph.model.edge import RELATIONS
from docgraph.model.reference import Reference, ReferenceTarget
from tests.unit.ingest.fakes import built, edges, parsed

TEXT = "def f():\n    g()\n"


def mined(*references: Reference) -> list[Reference]:
    made = replace(parsed("a.py", TEXT), references=references)
    return [one for one in built("a.py", made).references if one.miner in MINER_OF.values()]


def call(start: int, inner: str, suffix: str = "::f") -> Reference:
    target = ReferenceTarget("py:b", inner)
    return Reference(suffix, "calls", target, start, start + 1, 2, "g()", "calls")


@pytest.mark.requirement(3)
def test_a_reference_of_a_language_is_mined_as_it_is() -> None:
    target = ReferenceTarget(
        "py:b", "::g", strict=True, rank=2, distance_weight=1, report_unresolved=False
    )
    inside = Reference("::f", "calls", target, 13, 14, 2, "g()", "calls")
    assert mined(inside) == [inside]


def test_of_calls_by_one_function_to_another_the_first_few_are_mined() -> None:
    many = [call(at, "::g") for at in range(20)]
    references = mined(*many, call(50, "::h"), call(0, "::g", suffix=""))
    assert [one.start for one in references] == [*range(MAX_MENTIONS), 50, 0]


def test_a_call_refers_from_its_function_and_an_import_from_the_file() -> None:
    found = parsed("a.py", "import b.c\ndef f():\n    b.c.g()\n").references
    assert {(one.relation, one.suffix) for one in found} == {("imports", ""), ("calls", "::f")}


CODE = {
    "imports": {"a.py": "import p.b\n", "p/b.py": ""},
    "calls": {"a.py": "def f(): ...\ndef g(): f()\n"},
    "inherits": {"a.py": "class A: ...\nclass B(A): ...\n"},
    "implements": {"A.java": "interface I {}\nclass A implements I {}\n"},
    "reads": {"a.sql": "CREATE TABLE t (a int);\nCREATE VIEW v AS SELECT a FROM t;\n"},
    "writes": {"a.sql": "CREATE TABLE t (a int);\n", "b.sql": "INSERT INTO t VALUES (1);\n"},
    "references": {"a.sql": "CREATE TABLE t (a int);\nCREATE TABLE u (b int REFERENCES t (a));\n"},
}


@pytest.mark.parametrize(
    ("relation", "miner"),
    [
        ("imports", "imports"),
        ("calls", "calls"),
        ("inherits", "types"),
        ("implements", "types"),
        ("reads", "tables"),
        ("writes", "tables"),
        ("references", "tables"),
    ],
)
def test_each_kind_of_relation_can_be_switched_off_by_itself(relation: str, miner: str) -> None:
    others = sorted(ALL_MINERS - {miner})
    assert relation in {name for _, name, _ in edges(CODE[relation], miner)}
    assert relation not in {name for _, name, _ in edges(CODE[relation], *others)}
    assert relation in RELATIONS
