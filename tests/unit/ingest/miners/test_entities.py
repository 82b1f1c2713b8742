"""Names are found in one document's text by a fixed rule, with their first spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.ingest.miners.entity_names import MAX_NAME_CHARACTERS, find_entities


def names(text: str) -> list[str]:
    return [name for name, _, _ in find_entities(text)]


def test_a_name_is_listed_once_with_its_first_span_in_order() -> None:
    text = "near Port Blair, by the Bay of Bengal; again Port Blair's harbour"
    assert find_entities(text) == [("Port Blair", 5, 15), ("Bay of Bengal", 24, 37)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("signed by George W. Bush in", "George W. Bush"),
        ("by J. R. R. Tolkien, who", "J. R. R. Tolkien"),
        ("by J.R.R. Tolkien, who", "J.R.R. Tolkien"),
        ("with Ludwig van Beethoven in", "Ludwig van Beethoven"),
        ("painted by Leonardo da Vinci", "Leonardo da Vinci"),
        ("at the University of the Andes", "University of the Andes"),
        ("a firm, Buechner & Orth, drew", "Buechner & Orth"),
        ("by Scarlett O'Hara in", "Scarlett O'Hara"),
        ("by Jean-Paul Sartre in", "Jean-Paul Sartre"),
        ("in St. Louis they", "St. Louis"),
        ("the U.S. Navy sailed", "U.S. Navy"),
        ("seen in Schindler's List, a film", "Schindler's List"),
        ("during World War II they", "World War II"),
        ("under Elizabeth I they", "Elizabeth I"),
        ("aboard Apollo 11, they", "Apollo 11"),
        ("since Python 3.12 it", "Python 3.12"),
        ("a Boeing 747.", "Boeing 747"),
        ("in Новый Уренгой они", "Новый Уренгой"),
        ("στη Νέα Σμύρνη τώρα", "Νέα Σμύρνη"),
    ],
)
def test_capitalised_words_in_a_row_are_a_name(text: str, name: str) -> None:
    assert names(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "the Barack  Obama",
        "the Barack\nObama",
        "the Barack\r\n  Obama",
        "the Barack\N{NO-BREAK SPACE}Obama",
        "the Barack Obama's",
        "the Barack Obama\N{RIGHT SINGLE QUOTATION MARK}s",
        "the **Barack Obama** and",
        "the _Barack Obama_ and",
        "the [Barack Obama](https://example.org/wiki/Barack_Hussein_Obama)",
        "The Barack Obama",
        "In March Barack Obama",
        "“Barack Obama”",
    ],
)
def test_spaces_markup_and_little_words_around_it_do_not_change_a_name(text: str) -> None:
    assert names(text) == ["Barack Obama"]


def test_spellings_of_the_same_letters_are_one_name() -> None:
    composed, decomposed = "by Jos\u00e9 Mart\u00ed, and", "by Jose\u0301 Marti\u0301, and"
    assert names(composed) == names(decomposed) == ["Jos\u00e9 Mart\u00ed"]
    assert names("by Scarlett O\u2019Hara") == ["Scarlett O'Hara"]
    assert names("by Jean\u2010Paul Sartre") == names("by Jean\u2011Paul Sartre")


@pytest.mark.parametrize(
    "text",
    [
        "in Stanley. North of it",
        "in Stanley, Dakota",
        "in Stanley\n\nDakota",
        "in *Stanley* Dakota",
        "in `Stanley` `Dakota`",
        "in [Stanley](a) Dakota",
        "in Stanley and Dakota",
        "- Stanley\n- Dakota",
        "| Stanley | Dakota |",
    ],
)
def test_what_is_between_two_words_separates_them(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "On 4 March 1861 and in June 2010, on a Monday",
        "He said that I did. However, They May. It's",
        "see Figure 2, Section 4 and Table 11",
        "https://example.org/Some/Long_Path?Key=Value#Part and some.Attribute",
        "two in 中文和日本語 or عربي text",
        "THE PARTIES AGREE TO THIS",
        "",
    ],
)
def test_dates_openers_counted_things_addresses_and_capitals_are_no_names(text: str) -> None:
    assert names(text) == []


def test_a_date_is_no_part_of_the_name_before_it() -> None:
    assert names("king of New Spain 31 March 1621") == ["New Spain"]


def test_a_row_of_more_than_four_words_is_split_into_pairs_of_neighbours() -> None:
    assert names("starring Madhuri Dixit Ajay Devgn Preity Zinta now") == [
        "Madhuri Dixit",
        "Dixit Ajay",
        "Ajay Devgn",
        "Devgn Preity",
        "Preity Zinta",
    ]
    assert names("the Board of Governors of the Federal Reserve System") == [
        "Federal Reserve",
        "Reserve System",
    ]


def test_a_middle_initial_ends_no_pair() -> None:
    assert "John F" not in names("with John F. Kennedy Lyndon Johnson Hubert Humphrey")


def test_a_single_word_is_a_name_if_it_occurs_alone_twice_and_once_inside_a_sentence() -> None:
    assert find_entities("Send it to Kafka. Kafka keeps it.") == [("Kafka", 11, 16)]
    assert find_entities("Kafka keeps it. Send it to Kafka.") == [("Kafka", 0, 5)]
    assert names("Send it to Kafka.") == []
    assert names("Kafka keeps it. Kafka sends it.\nKafka is good.\n\n- Kafka\n# Kafka") == []


def test_a_part_of_a_longer_name_and_a_short_word_are_no_names_of_their_own() -> None:
    assert names("as Anna Benson said; then Benson and Benson left") == ["Anna Benson"]
    assert names("so Bob and Bob left") == []


def test_an_acronym_is_a_name_wherever_it_is() -> None:
    assert names("NASA sent it. An U.S.A. story about CD8 and AC/DC.") == [
        "NASA",
        "U.S.A",
        "CD8",
        "AC/DC",
    ]
    assert names("an IT or EU matter, part III") == []


def test_only_the_given_spans_are_read() -> None:
    text = "by Anna Benson, `Code Block`, and Port Blair"
    assert find_entities(text, [(30, len(text)), (0, 16)]) == [
        ("Anna Benson", 3, 14),
        ("Port Blair", 34, 44),
    ]
    assert find_entities(text, [(0, 7)]) == []
    assert find_entities(text, []) == []


def test_what_is_too_long_is_no_name() -> None:
    assert names("by " + "A" * MAX_NAME_CHARACTERS) != []
    assert names("by " + "A" * (MAX_NAME_CHARACTERS + 1)) == []


@given(st.text(alphabet="AaBb'.-_& \n\u0301\u2019sof1é中/", max_size=60), st.text(max_size=20))
def test_every_name_is_at_its_span(pieces: str, anything: str) -> None:
    text = pieces + anything
    found = find_entities(text)
    assert [span for _, *span in found] == sorted(span for _, *span in found)
    assert len({name for name, _, _ in found}) == len(found)
    for name, start, end in found:
        assert 0 <= start < end <= len(text)
        assert text[start].isupper()
        assert len(name.split()) == len(text[start:end].split()) <= 4
