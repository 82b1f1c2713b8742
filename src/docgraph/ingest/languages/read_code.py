"""Parses a file of code in any language into its parts, references and definitions."""

from docgraph.ingest.formats.sections import MAX_TITLE_CHARACTERS
from docgraph.ingest.languages.comments import Comments, comment_text
from docgraph.ingest.languages.definitions import find_definitions, make_parts, string_text
from docgraph.ingest.languages.language import Language, Parts, span_of
from docgraph.ingest.languages.references import collect_references
from docgraph.ingest.languages.source import SourceCode
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import CODE


def read_code(language: Language, path: str, text: str) -> ParsedFile:
    source = SourceCode(language, path, text)
    comments = Comments(language, source)
    parts, definitions = make_parts(source, find_definitions(language, source, comments))
    references, unresolved_calls = collect_references(language, source, parts, definitions)
    return ParsedFile(
        kind=CODE,
        title=language.title(source, parts)[:MAX_TITLE_CHARACTERS],
        titled=False,
        text=text,
        lead=_find_lead(source, comments, parts),
        parts=parts,
        remarks=source.remarks(),
        references=references,
        definitions=tuple(language.definitions(source, parts)),
        prose=_find_prose(source, comments),
        unresolved_calls=unresolved_calls,
    )


def _find_lead(source: SourceCode, comments: Comments, parts: Parts) -> str:
    """The docstring; else the comment at the top; else the lead of the only definition."""
    first = comments.first_code()
    for node in source.nodes("doc")[:1]:
        if node.start_byte == first:
            return string_text(source.node_text(node))
    header = comments.header()
    top = [part for part in parts if part.parent is None]
    if header and not (top and top[0].start == source.character_offset(header[0])):
        return comment_text(source.text_at(*header))
    return top[0].lead if len(top) == 1 and comments.has_marks else ""


def _find_prose(source: SourceCode, comments: Comments) -> tuple[tuple[int, int], ...]:
    """Comments and docstrings; those with only white space between them are one span."""
    docs = [span_of(node) for node in source.nodes("doc")]
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*comments.spans, *docs]):
        if joined and not source.data[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    offset = source.character_offset
    return tuple((offset(start), offset(end)) for start, end in joined)
