"""Summaries without a language model: title, lead and headings, the same every time."""

import re

from docgraph.ingest.parsed_file import ParsedFile, Part
from docgraph.model.node import SECTION

LONGEST = 400
_LEAD = 280
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"[.!?…。]['\")\]]*(?=\s|$)|[。！？]")  # noqa: RUF001


def summary_of_document(parsed: ParsedFile) -> str:
    """Title and lead; then what stands at the top level, as far as there is room."""
    top = [part for part in parsed.parts if part.parent is None]
    return _joined(parsed.title, _lead(parsed.lead), _inventory(top))


def summary_of_part(parsed: ParsedFile, index: int) -> str:
    """Heading or signature, lead or first words of the docstring, and what stands inside."""
    part = parsed.parts[index]
    inner = _inside(parsed, index) if part.kind in {SECTION, "class"} else []
    return _joined(part.signature or part.title, _lead(part.lead), _inventory(inner))


def _inside(parsed: ParsedFile, index: int) -> list[Part]:
    found: list[Part] = []
    for at in range(index + 1, len(parsed.parts)):
        part = parsed.parts[at]
        if part.start >= parsed.parts[index].end:
            break
        if part.parent == index:
            found.append(part)
    return found


def _inventory(parts: list[Part]) -> tuple[str, ...]:
    """A word for what follows, then the titles, each once; private symbols go unnamed."""
    if not parts:
        return ()
    sections = parts[0].kind == SECTION
    titles = (part.title for part in parts if sections or not part.title.startswith("_"))
    return ("Sections" if sections else "Defines", *dict.fromkeys(titles))


def _joined(title: str, lead: str, inventory: tuple[str, ...]) -> str:
    said = f"{_ended(title)} {lead}" if lead and lead != title else title
    listed = ""
    for heading in inventory[1:]:
        longer = f"{listed}; {heading}" if listed else f"{inventory[0]}: {heading}"
        if len(said) + len(longer) + 3 > LONGEST:
            break
        listed = longer
    return f"{_ended(said)} {listed}." if listed else said


def _ended(words: str) -> str:
    """As a sentence: a title that asks or cries needs no full stop."""
    return words if words.endswith(("?", "!", ".", "…")) else f"{words}."


def _lead(text: str) -> str:
    """The first paragraph's whole sentences that fit, else as many words as do."""
    words = " ".join(_BLANK_LINE.split(text.strip(), maxsplit=1)[0].split())
    if len(words) <= _LEAD:
        return words
    ends = [match.end() for match in _SENTENCE.finditer(words, 0, _LEAD)]
    if ends:
        return words[: ends[-1]]
    return words[: _LEAD - 1].rpartition(" ")[0].rstrip() + "…"
