"""Makes summaries without a language model: title, lead and headings."""

import re

from docgraph.ingest.parsed_file import ParsedFile, Part
from docgraph.model.node import SECTION

MAX_SUMMARY_CHARACTERS = 400
_MAX_LEAD_CHARACTERS = 280
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"[.!?…。]['\")\]]*(?=\s|$)|[。！？]")  # noqa: RUF001


def summarize_document(parsed: ParsedFile) -> str:
    """Title and lead; then the titles of its top-level parts that fit."""
    top = [part for part in parsed.parts if part.parent is None]
    return _join(parsed.title, _shorten(parsed.lead), _list_titles(top))


def summarize_part(parsed: ParsedFile, index: int) -> str:
    """Heading or signature, lead or first words of the docstring, and its parts' titles."""
    part = parsed.parts[index]
    inner = _children(parsed, index) if part.kind in {SECTION, "class"} else []
    return _join(part.signature or part.title, _shorten(part.lead), _list_titles(inner))


def _children(parsed: ParsedFile, index: int) -> list[Part]:
    children: list[Part] = []
    for at in range(index + 1, len(parsed.parts)):
        part = parsed.parts[at]
        if part.start >= parsed.parts[index].end:
            break
        if part.parent == index:
            children.append(part)
    return children


def _list_titles(parts: list[Part]) -> tuple[str, ...]:
    """A word for what follows, then the titles, each once; private symbols are left out."""
    if not parts:
        return ()
    sections = parts[0].kind == SECTION
    titles = (part.title for part in parts if sections or not part.title.startswith("_"))
    return ("Sections" if sections else "Defines", *dict.fromkeys(titles))


def _join(title: str, lead: str, titles: tuple[str, ...]) -> str:
    summary = f"{_end_sentence(title)} {lead}" if lead and lead != title else title
    listing = ""
    for heading in titles[1:]:
        longer = f"{listing}; {heading}" if listing else f"{titles[0]}: {heading}"
        if len(summary) + len(longer) + 3 > MAX_SUMMARY_CHARACTERS:
            break
        listing = longer
    return f"{_end_sentence(summary)} {listing}." if listing else summary


def _end_sentence(text: str) -> str:
    """With a full stop, unless it has a mark at its end already."""
    return text if text.endswith(("?", "!", ".", "…")) else f"{text}."


def _shorten(text: str) -> str:
    """The first paragraph's whole sentences that fit, else as many words as do."""
    words = " ".join(_BLANK_LINE.split(text.strip(), maxsplit=1)[0].split())
    if len(words) <= _MAX_LEAD_CHARACTERS:
        return words
    ends = [match.end() for match in _SENTENCE.finditer(words, 0, _MAX_LEAD_CHARACTERS)]
    if ends:
        return words[: ends[-1]]
    return words[: _MAX_LEAD_CHARACTERS - 1].rpartition(" ")[0].rstrip() + "…"
