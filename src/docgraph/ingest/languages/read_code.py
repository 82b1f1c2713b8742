"""One walk for all languages: from a file of code to its parts, claims and offers."""

from docgraph.ingest.languages.comments import Comments, bare
from docgraph.ingest.languages.definitions import definitions, parts_of, words_of_string
from docgraph.ingest.languages.language import Language, Parts, whole
from docgraph.ingest.languages.references import collect_references
from docgraph.ingest.languages.source import Source
from docgraph.ingest.parsed_file import ParsedFile
from docgraph.model.node import CODE


def read_code(language: Language, path: str, text: str) -> ParsedFile:
    source = Source(language, path, text)
    comments = Comments(language, source)
    parts, found = parts_of(source, definitions(language, source, comments))
    claims, opaque = collect_references(language, source, parts, found)
    return ParsedFile(
        kind=CODE,
        title=language.title(source, parts),
        titled=False,
        text=text,
        lead=_lead(source, comments, parts),
        parts=parts,
        remarks=source.remarks(),
        pointers=claims,
        handles=tuple(language.offers(source, parts)),
        prose=_prose(source, comments),
        opaque=opaque,
    )


def _lead(source: Source, comments: Comments, parts: Parts) -> str:
    """The docstring; else the comment at the top; else what is said of the only definition."""
    first = comments.first_code()
    for node in source.nodes("doc")[:1]:
        if node.start_byte == first:
            return words_of_string(source.node_text(node))
    header = comments.header()
    top = [part for part in parts if part.parent is None]
    if header and not (top and top[0].start == source.place(header[0])):
        return bare(source.text_at(*header))
    return top[0].lead if len(top) == 1 and comments.document else ""


def _prose(source: Source, comments: Comments) -> tuple[tuple[int, int], ...]:
    """Comments and docstrings; what only blanks part is one."""
    docs = [whole(node) for node in source.nodes("doc")]
    joined: list[tuple[int, int]] = []
    for start, end in sorted([*comments.spans, *docs]):
        if joined and not source.data[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple((source.place(start), source.place(end)) for start, end in joined)
