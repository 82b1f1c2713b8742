"""Checking an answer against its context: what it cites, and what it leaves uncited."""

from docgraph.answer.sentences import sentences
from docgraph.model.answer import CitationFlag, CitedSource
from docgraph.model.context import Context, ContextItem

BY_ITSELF = frozenset({"stop", "eos", "end_turn", "done"})


def sources_of(text: str, context: Context) -> tuple[CitedSource, ...]:
    """Exactly the items that the text cites, in order of their numbers."""
    numbers = {number for sentence in sentences(text) for number in sentence.cites}
    return tuple(source(item) for item in context.items if item.number and item.number in numbers)


def source(item: ContextItem) -> CitedSource:
    return CitedSource(
        number=item.number,
        id=item.id,
        document=item.document,
        node=item.node,
        title=item.title,
        heading_path=item.heading_path,
        location=item.location,
    )


def flags_of(text: str, context: Context, finish: str) -> tuple[CitationFlag, ...]:
    """`finish` is the server's word for how the answer ended."""
    known = {item.number for item in context.items if item.number}
    found: list[CitationFlag] = []
    said = sentences(text)
    for sentence in said:
        strays = [number for number in sentence.cites if number not in known]
        found += [CitationFlag("no_such_item", sentence.text, number) for number in strays]
        if sentence.needs_citing and len(strays) == len(sentence.cites):
            found.append(CitationFlag("uncited", sentence.text))
    if finish not in BY_ITSELF:
        found.append(CitationFlag("cut_off", said[-1].text if said else "", reason=finish))
    return tuple(found)
