"""Summaries without a language model: title, lead and headings, the same every time."""

import re

from docgraph.ingest.parsed import Parsed, Part
from docgraph.model.node import CODE, SECTION

LONGEST = 400
_LEAD = 280
_SPACES = re.compile(r"\s+")
_SENTENCE = re.compile(r"[.!?…。]['\")\]]*(?=\s|$)|[。！？]")  # noqa: RUF001


def summary_of_document(parsed: Parsed) -> str:
    """Title and lead; then what stands at the top level, as far as there is room."""
    top = [part.title for part in parsed.parts if part.parent is None and part.title]
    word = "Defines" if parsed.kind == CODE else "Sections"
    return _joined(parsed.title, _lead(parsed.lead), word, tuple(dict.fromkeys(top)))


def summary_of_part(parsed: Parsed, index: int) -> str:
    """A section's heading and lead; a symbol's signature and the first words of its docstring."""
    part = parsed.parts[index]
    if part.kind == SECTION:
        inner = [other.title for other in _inside(parsed, index)]
        return _joined(part.title, _lead(part.lead), "Sections", tuple(dict.fromkeys(inner)))
    return _joined(part.signature or part.title, _lead(part.lead), "", ())


def _inside(parsed: Parsed, index: int) -> list[Part]:
    found: list[Part] = []
    for part in parsed.parts[index + 1 :]:
        if part.start >= parsed.parts[index].end:
            break
        if part.parent == index:
            found.append(part)
    return found


def _joined(title: str, lead: str, word: str, headings: tuple[str, ...]) -> str:
    said = f"{title.rstrip('.')}. {lead}" if lead and lead != title else title
    listed = ""
    for heading in headings:
        longer = f"{listed}; {heading}" if listed else f"{word}: {heading}"
        if len(said) + len(longer) + 2 > LONGEST:
            break
        listed = longer
    return f"{said}{'' if said.endswith('.') else '.'} {listed}." if listed else said


def _lead(text: str) -> str:
    """The first paragraph's whole sentences that fit, else as many words as do."""
    words = _SPACES.sub(" ", re.split(r"\n[ \t]*\n", text.strip(), maxsplit=1)[0]).strip()
    if len(words) <= _LEAD:
        return words
    ends = [match.end() for match in _SENTENCE.finditer(words, 0, _LEAD)]
    if ends:
        return words[: ends[-1]]
    return words[: _LEAD - 1].rpartition(" ")[0].rstrip() + "…"
