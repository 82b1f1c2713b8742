"""Embedded questions in memory: of each user for themselves, and bounded."""

from dataclasses import replace

from docgraph.engine.question_vectors import LONGEST, QuestionVectors
from docgraph.interfaces.auth.principals import local
from docgraph.model.question import Question
from docgraph.testing.small_store import DIMENSIONS, HashedWords

ME = local()
OTHER = replace(ME, id="other")
ABROAD = replace(ME, tenant="abroad")


def question(text: str) -> Question:
    vector = tuple(HashedWords().embed([text])[0].tolist())
    return Question(text, vector, HashedWords.identity)


def known(vectors: QuestionVectors, *texts: str) -> list[str]:
    return [text for text in texts if vectors.find(ME, text) is not None]


def test_a_question_is_found_by_the_user_who_asked_it_alone() -> None:
    vectors = QuestionVectors()
    vectors.add(ME, question("pump"))
    assert vectors.find(ME, "pump") == question("pump")
    assert vectors.find(ME, "valve") is None
    assert vectors.find(OTHER, "pump") is None
    assert vectors.find(ABROAD, "pump") is None


def test_the_last_questions_of_a_user_stay_whatever_others_ask() -> None:
    vectors = QuestionVectors(questions=2)
    for text in ("a", "b", "a", "c"):
        vectors.add(ME, question(text))
    for text in "defgh":
        vectors.add(OTHER, question(text))
    assert known(vectors, "a", "b", "c") == ["a", "c"]


def test_vectors_of_all_users_are_bounded() -> None:
    vectors = QuestionVectors(numbers=3 * DIMENSIONS)
    for text in ("a", "a", "b"):
        vectors.add(ME, question(text))
    vectors.add(OTHER, question("c"))
    assert known(vectors, "a", "b") == ["a", "b"]
    vectors.add(ABROAD, question("d"))
    assert vectors.find(OTHER, "c") is None
    assert vectors.find(ABROAD, "d") is not None
    assert known(vectors, "a", "b") == ["a", "b"]
    vectors.add(OTHER, question("e"))
    vectors.add(OTHER, question("f"))
    assert known(vectors, "a", "b") == []


def test_a_vector_that_is_wider_than_the_bound_is_not_kept() -> None:
    vectors = QuestionVectors(numbers=DIMENSIONS - 1)
    vectors.add(ME, question("a"))
    assert known(vectors, "a") == []
    vectors.add(ME, question("x" * (LONGEST + 1)))
    assert known(vectors, "x" * (LONGEST + 1)) == []
