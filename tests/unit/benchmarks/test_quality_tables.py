"""Tables of measured datasets in Markdown."""

from dataclasses import replace

from benchmarks.quality_results import MeasuredSet, Row, SwitchedOff
from benchmarks.quality_switches import Switch
from benchmarks.quality_tables import tables


def row(name: str, *recall: float, megabytes: float | None = None) -> Row:
    values = {
        "recall@5": recall,
        "acc@1": recall,
        "documents": [6.0] * len(recall),
        "tokens": [900.0] * len(recall),
    }
    return Row(name, values, time=1.5, megabytes=megabytes)


HALF = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
ALL = (1.0,) * 8
EVERY = Switch("every edge", 1234, frozenset({"mentions"}))
MEASURED = MeasuredSet(
    name="small",
    localises=False,
    documents=4543,
    questions=8,
    left_out=0,
    truncated=0,
    edges={"mentions": 1234},
    flat=(row("flat bm25", *HALF), row("flat hybrid", *HALF)),
    planned=(row("planned (`documents`)", *ALL),),
    over=(row("`over: chunks`", *ALL, megabytes=298.4),),
    policies=(row("`admit: similarity`", *ALL),),
    off=(SwitchedOff("planned (`documents`)", EVERY, {"recall@5": HALF}),),
)
TABLES = """\
4,543 documents, 8 questions. Edges: mentions 1,234.

|  | recall@5 | documents | tokens | time |
| --- | --: | --: | --: | --: |
| flat bm25 | 0.500 (0.125 to 0.875) | 6.0 (6.0 to 6.0) | 900 (900 to 900) | 1.50 |
| flat hybrid | 0.500 (0.125 to 0.875) | 6.0 (6.0 to 6.0) | 900 (900 to 900) | 1.50 |
| planned (`documents`) | 1.000 (1.000 to 1.000) | 6.0 (6.0 to 6.0) | 900 (900 to 900) | 1.50 |
| planned (`documents`) minus the best flat | **+0.500** (+0.125 to +0.875) |  |  |  |

What is searched, in `documents`:

|  | recall@5 | documents | tokens | time | MB |
| --- | --: | --: | --: | --: | --: |
| `over: chunks` | 1.000 (1.000 to 1.000) | 6.0 (6.0 to 6.0) | 900 (900 to 900) | 1.50 | 298 |

Admission, in `documents`:

|  | recall@5 | documents | tokens | time |
| --- | --: | --: | --: | --: |
| `admit: similarity` | 1.000 (1.000 to 1.000) | 6.0 (6.0 to 6.0) | 900 (900 to 900) | 1.50 |

What edges contribute, in `documents`:

| switched off | edges | recall@5 |
| --- | --: | --: |
| every edge | 1,234 | **+0.500** (+0.125 to +0.875) |"""


def test_equal_results_give_equal_tables() -> None:
    assert tables(MEASURED) == TABLES
    assert tables(MEASURED) == TABLES


def test_localisation_is_shown_for_datasets_of_code() -> None:
    off = replace(MEASURED.off[0], values={"recall@5": HALF, "acc@1": HALF})
    assert "| recall@5 | acc@1 |" in tables(replace(MEASURED, localises=True, off=(off,)))


def test_a_change_of_no_question_is_shown_as_nothing() -> None:
    off = replace(MEASURED.off[0], values={"recall@5": ALL})
    assert tables(replace(MEASURED, off=(off,))).endswith("| every edge | 1,234 | 0 |")


def test_empty_tables_are_left_out() -> None:
    bare = replace(MEASURED, edges={}, over=(), policies=(), off=())
    assert tables(bare).count("| --- |") == 1
    assert "Edges: none." in tables(bare)


def test_questions_that_are_left_out_or_truncated_are_counted() -> None:
    found = tables(replace(MEASURED, left_out=2, truncated=1))
    assert found.startswith("4,543 documents, 8 questions, 2 more left out, 1 truncated. Edges")
