"""Text is UTF-8 or it is named as what it is."""

import pytest

from docgraph.ingest.source_text import decode
from docgraph.ports.source import SourceProblem


def test_a_mark_and_carriage_returns_are_taken_off() -> None:
    assert decode("a", b"\xef\xbb\xbfa\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"ab\0c", "binary: a NUL at byte 2"),
        (b"ab\xffc", "not UTF-8: 0xff at byte 2"),
        (b"\xef\xbb\xbfab\xe4", "not UTF-8: 0xe4 at byte 5"),
        ("hi".encode("utf-16"), "UTF-16, not UTF-8; save it as UTF-8"),
    ],
)
def test_what_is_no_text_is_a_problem_with_its_position(data: bytes, reason: str) -> None:
    assert decode("a", data) == SourceProblem("a", reason)


def test_control_characters_are_text() -> None:
    assert decode("a", b"\x1b[1m\x0c") == "\x1b[1m\x0c"


def test_a_declared_charset_counts_for_what_is_not_utf8() -> None:
    assert decode("a", b"caf\xe9\r\n", "cp1252") == "caf\u00e9\n"
    assert decode("a", "caf\u00e9".encode(), "cp1252") == "caf\u00e9"
    wrong = "neither UTF-8 nor cp1252, as it declares: 0x81 at byte 1"
    assert decode("a", b"a\x81", "cp1252") == SourceProblem("a", wrong)
