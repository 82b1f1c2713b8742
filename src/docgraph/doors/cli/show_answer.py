"""What people see of an answer: it streams; then its sources, and what to be careful about.

Written without rich, which would take long to load.
"""

import typer

from docgraph.doors.cli.printable import printable
from docgraph.model.answer import Answer, Flag, Source

_WORDS = {
    "uncited": "cites nothing",
    "no_such_item": "cites [{number}], which is not there",
    "cut_off": "is where the answer broke off: {reason}",
}


class Voice:
    """Says an answer as it comes; whatever is said after it begins a new line."""

    def __init__(self) -> None:
        self._spoke = False

    def __call__(self, piece: str) -> None:
        self._spoke = True
        typer.echo(printable(piece), nl=False)

    def end(self) -> None:
        if self._spoke:
            typer.echo()
            self._spoke = False


def show_answer(answer: Answer) -> None:
    """What a model said was heard already."""
    if answer.reason:
        typer.secho(printable(answer.reason), bold=True)
    if answer.kind == "no_model":
        typer.echo(printable(answer.text), nl=False)
    for source in answer.sources:
        typer.secho(printable(_source(source)), fg=typer.colors.CYAN)
    for flag in answer.flags:
        typer.secho(printable(f"careful: {_flag(flag)}"), fg=typer.colors.YELLOW)
    if answer.asking is not None:
        asked = answer.asking
        about = "" if asked.counted == "exact" else "about "
        told = f"{about}{asked.prompt_tokens} of {asked.window} tokens, prompt {asked.prompt}"
        typer.secho(printable(f"{asked.model}: {told}"), dim=True)


def _source(source: Source) -> str:
    repository, _, _ = source.document.partition(":")
    path = " > ".join((source.title, *source.heading_path))
    return f"[{source.number}] {repository}:{source.location.cite()}  {path}"


def _flag(flag: Flag) -> str:
    said = _WORDS[flag.kind].format(number=flag.number, reason=flag.reason)
    return f'"{flag.sentence}" {said}' if flag.sentence else f"the answer {said}"
