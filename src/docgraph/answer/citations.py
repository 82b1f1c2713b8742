"""Checks the citations of an answer against its context."""

from docgraph.answer.sentences import split_sentences
from docgraph.model.answer import CitationFlag, CitedSource
from docgraph.model.context import Context, ContextItem

NORMAL_FINISH_REASONS = frozenset({"stop", "eos", "end_turn", "done"})


def cited_sources(text: str, context: Context) -> tuple[CitedSource, ...]:
    """Exactly the items that the text cites, in order of their numbers."""
    numbers = {number for sentence in split_sentences(text) for number in sentence.cites if number}
    return tuple(cited_source(item) for item in context.chunks if item.number in numbers)


def cited_source(item: ContextItem) -> CitedSource:
    return CitedSource(
        number=item.number,
        id=item.id,
        document_id=item.document_id,
        node=item.node,
        title=item.title,
        heading_path=item.heading_path,
        location=item.location,
    )


def citation_flags(text: str, context: Context, finish: str) -> tuple[CitationFlag, ...]:
    """`finish` is the server's finish reason."""
    numbers = {item.number for item in context.chunks}
    flags: list[CitationFlag] = []
    sentences = split_sentences(text)
    for sentence in sentences:
        unknown = [number for number in sentence.cites if number not in numbers]
        flags += [CitationFlag("no_such_item", sentence.text, number) for number in unknown]
        if sentence.needs_citation and len(unknown) == len(sentence.cites):
            flags.append(CitationFlag("uncited", sentence.text))
    if finish not in NORMAL_FINISH_REASONS:
        last = sentences[-1].text if sentences else ""
        flags.append(CitationFlag("cut_off", last, reason=finish))
    return tuple(flags)
