"""A run is capitalised words in a row; it knows where it begins and whether it opens a sentence."""

import pytest

from docgraph.ingest.miners.entity_names import find_runs, may_begin, may_end


def found(text: str) -> list[tuple[str, int, bool]]:
    return [
        (" ".join(run.words), run.start, run.opens) for run in find_runs(text, ((0, len(text)),))
    ]


def test_a_run_keeps_its_little_words_inside_and_its_number_last() -> None:
    assert found("by The Bay of Bengal 2 Company") == [
        ("The Bay of Bengal 2", 3, False),
        ("Company", 23, False),
    ]


@pytest.mark.parametrize(
    "before", ["", "so. ", 'so? "', "so:\n", "so\n", "- ", "# ", "| ", "so. **"]
)
def test_a_run_opens_a_sentence_a_line_or_the_text(before: str) -> None:
    assert found(f"{before}Stanley") == [("Stanley", len(before), True)]


@pytest.mark.parametrize("before", ["so ", "so, ", "so (", "so **", "1914 "])
def test_a_run_after_a_word_opens_nothing(before: str) -> None:
    assert found(f"{before}Stanley") == [("Stanley", len(before), False)]


@pytest.mark.parametrize("before", ["a", "1", "a_", "/", "\\", "@", ".", "=", "#", "&", "-"])
def test_a_capital_inside_a_word_or_an_address_begins_no_run(before: str) -> None:
    assert found(f"so {before}Stanley") == []


def test_a_run_is_cut_at_twelve_words() -> None:
    assert [len(words.split()) for words, _, _ in found("by" + " Aa" * 30)] == [12, 12, 6]


def test_little_words_neither_begin_nor_end_a_name() -> None:
    assert not any(may_begin(word) or may_end(word) for word in ("The", "May", "It's", "of", "&"))
    assert may_end("I")
    assert may_end("747")
    assert not may_begin("I")
