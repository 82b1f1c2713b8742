"""Renders seeds and answers for a terminal, without rich, which takes long to load."""

import typer

from docgraph.interfaces.cli.output import echo
from docgraph.model.answer import Answer, CitationFlag, CitedSource
from docgraph.model.seeds import Seeds


def show_seeds(seeds: Seeds) -> None:
    if not seeds.ranked:
        echo("nothing visible matches")
        return
    widest = max(len(seed.why) for seed in seeds.ranked)
    for place, seed in enumerate(seeds.ranked, start=1):
        echo(f"{place:>3}  {seed.score:.4f}  {seed.why:<{widest}}  ", nl=False)
        echo(seed.id, fg=typer.colors.CYAN)
    if seeds.selection.dropped:
        echo(f"kept: {seeds.selection.reason}", dim=True)
        echo(f"left out: {', '.join(seeds.selection.dropped)}", dim=True)


_FLAGS = {
    "uncited": "cites nothing",
    "no_such_item": "cites [{number}], which is not there",
    "cut_off": "is where the answer broke off: {reason}",
}


class StreamPrinter:
    """Prints an answer as it streams; the next output begins a new line."""

    def __init__(self) -> None:
        self._printed = False

    def __call__(self, piece: str) -> None:
        self._printed = True
        echo(piece, nl=False)

    def end(self) -> None:
        if self._printed:
            echo()
            self._printed = False


def show_answer(answer: Answer) -> None:
    """The text of a model was printed as it streamed."""
    if answer.reason:
        echo(answer.reason, bold=True)
    if answer.kind == "no_model":
        echo(answer.text, nl=False)
    for source in answer.sources:
        echo(_source(source), fg=typer.colors.CYAN)
    for flag in answer.flags:
        echo(f"careful: {_flag(flag)}", fg=typer.colors.YELLOW)
    if answer.generation is not None:
        generation = answer.generation
        about = "" if generation.counted == "exact" else "about "
        tokens = f"{about}{generation.prompt_tokens} of {generation.context_window} tokens"
        line = f"{generation.model}: {tokens}, prompt {generation.prompt}"
        echo(line, dim=True)


def _source(source: CitedSource) -> str:
    repository, _, _ = source.document_id.partition(":")
    path = " > ".join((source.title, *source.heading_path))
    return f"[{source.number}] {repository}:{source.location.cite()}  {path}"


def _flag(flag: CitationFlag) -> str:
    text = _FLAGS[flag.kind].format(number=flag.number, reason=flag.reason)
    return f'"{flag.sentence}" {text}' if flag.sentence else f"the answer {text}"
