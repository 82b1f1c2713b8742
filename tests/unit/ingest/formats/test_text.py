"""Plain text has a title when its first line looks like one."""

import pytest

from tests.unit.ingest.fakes import parsed


@pytest.mark.parametrize(
    ("text", "title", "titled", "lead"),
    [
        ("Notes\n\nFirst words.\n", "Notes", True, "First words."),
        ("\n\n  Notes\nmore\n\nNext.", "Notes", True, "Notes\nmore"),
        ("x" * 101 + "\n\nb", "a.txt", False, "x" * 101),
        ("", "a.txt", False, ""),
        ("Title: Stated\nDate: x\n\nBody.\n\nMore.", "Stated", True, "Body."),
    ],
)
def test_a_short_first_line_is_the_title(text: str, title: str, titled: bool, lead: str) -> None:
    found = parsed("a.txt", text)
    assert (found.title, found.titled, found.lead) == (title, titled, lead)
