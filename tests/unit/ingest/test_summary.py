"""A summary has title, lead and headings, and nothing that is not in the document."""

import pytest

from docgraph.ingest.summary import MAX_SUMMARY_CHARACTERS, summarize_document, summarize_part
from tests.unit.ingest.fakes import parsed


@pytest.mark.requirement(2)
@pytest.mark.requirement(12)
def test_a_documents_summary_is_title_lead_and_headings() -> None:
    found = parsed("a.md", "# Plans\n\nA plan is data.\nIt has no text.\n\n## Why\n\n## How\n")
    expected = "Plans. A plan is data. It has no text. Sections: Why; How."
    assert summarize_document(found) == expected


def test_a_sections_summary_is_heading_lead_and_inner_headings() -> None:
    found = parsed("a.md", "# T\n\n## Why\n\nBecause.\n\n### Cost\n\n### Use\n\n## How\n")
    assert summarize_part(found, 0) == "Why. Because. Sections: Cost; Use."
    assert summarize_part(found, 3) == "How"


def test_a_symbols_summary_is_signature_and_docstring() -> None:
    text = (
        "class Store(Base):\n"
        "    def open_session(self, who: str,\n            scope=None,\n    ) -> Reads:\n"
        '        """A view.\n\n        Long story.\n        """\n'
        "    def _hidden(self): ...\n"
    )
    found = parsed("store.py", text)
    assert summarize_document(found) == "store. Defines: Store."
    assert summarize_part(found, 0) == "class Store(Base). Defines: open_session."
    signature = "def open_session(self, who: str, scope=None) -> Reads"
    assert summarize_part(found, 1) == f"{signature}. A view."


def test_a_long_lead_is_cut_at_a_sentence_else_at_a_word() -> None:
    sentences = parsed("a.md", "# T\n\n" + "One two three. " * 40)
    assert summarize_document(sentences).endswith("One two three.")
    words = parsed("a.md", "# T\n\n" + "word " * 200)
    assert summarize_document(words).endswith("word…")


def test_many_sections_are_summarised_in_reasonable_time() -> None:
    found = parsed("a.md", "# h\n" * 10_000)
    assert summarize_part(found, 9_000) == "h"


def test_a_summary_has_an_end() -> None:
    headings = "".join(f"## Heading number {n}\n" for n in range(100))
    found = parsed("a.md", "# T\n\n" + "Lead. " * 100 + "\n\n" + headings)
    assert 300 < len(summarize_document(found)) <= MAX_SUMMARY_CHARACTERS
