"""What a stranger writes to a server is read in time that grows with it: no worker stops this."""

from collections.abc import Callable
from typing import get_args

import pytest

from docgraph.pipeline.catalog import ACTIONS
from docgraph.pipeline.load import load, shipped_pipelines
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS
from docgraph.search.ranking import Mode
from tests.growth.hostile_files import Repeated
from tests.growth.named_readers import OTHER_FUNCTIONS, all_readers, named_readers
from tests.growth.question_paths import PATHS, QUESTIONS
from tests.growth.text_readers import READERS, refusing
from tests.support.growth import LARGER, growth_problem

LONGEST = MAX_QUESTION_CHARACTERS // LARGER


def _reading(
    read: Callable[[str], object], piece: Repeated
) -> Callable[[int], Callable[[], object]]:
    def work(size: int) -> Callable[[], object]:
        text = piece.of_length(size).decode()
        return lambda: refusing(read)(text)

    return work


@pytest.mark.requirement(74)
@pytest.mark.parametrize("name", READERS)
def test_a_text_is_read_in_time_that_grows_with_it(name: str, longer_growth: bool) -> None:
    reader = READERS[name]
    size = 4 * reader.size if longer_growth else reader.size
    for piece in dict.fromkeys(reader.pieces):
        assert not growth_problem(_reading(reader.read, piece), size), piece


def test_every_function_that_reads_texts_is_measured() -> None:
    assert set(named_readers()) - {*READERS} == set()
    assert {*OTHER_FUNCTIONS} <= set(all_readers())


@pytest.mark.requirement(74)
@pytest.mark.parametrize("name", PATHS)
def test_a_question_is_answered_in_time_that_grows_with_it(name: str) -> None:
    for piece in QUESTIONS:
        assert not growth_problem(_asking(name, piece), LONGEST), piece


def _asking(name: str, piece: Repeated) -> Callable[[int], Callable[[], object]]:
    """No question is longer than the longest that is taken."""

    def work(size: int) -> Callable[[], object]:
        text = piece.of_length(size).decode()[:MAX_QUESTION_CHARACTERS]
        return lambda: refusing(PATHS[name])(text)

    return work


def test_every_action_pipeline_and_mode_is_asked() -> None:
    asked = {name.removeprefix("ask by ") for name in PATHS if name.startswith("ask by ")}
    assert {step.action.name for name in asked for step in load(name).steps} >= {*ACTIONS}
    assert {f"retrieve by {name}" for name in shipped_pipelines()} <= {*PATHS}
    assert {f"search by {mode}" for mode in get_args(Mode)} <= {*PATHS}


@pytest.mark.parametrize("name", [name for name in PATHS if "unknown" not in name])
def test_the_questions_are_answered(name: str) -> None:
    PATHS[name]("Aaaa f_1 word")


def test_work_by_the_square_of_a_text_is_found() -> None:
    def compare(text: str) -> int:
        return sum(one == other for one in text[::4] for other in text[::4])

    assert growth_problem(_reading(compare, Repeated("", "a")), 250)
