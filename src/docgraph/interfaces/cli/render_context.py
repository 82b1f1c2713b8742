"""Renders a context for a terminal: its text unchanged, then its tokens.

Without rich, which takes as long to load as a question takes to answer.
"""

import typer

from docgraph.model.context import Context

# A document's text must not control a terminal: only tab and newline pass.
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    return text.translate(_CONTROLS)


def show_context(context: Context) -> None:
    if context.reason:
        typer.secho(printable(context.reason), bold=True)
    typer.echo(printable(context.text), nl=False)
    shares = ", ".join(f"{one.document_id} {one.tokens}" for one in context.documents)
    by_document = f": {shares}" if shares else ""
    typer.secho(
        f"{context.tokens} of {context.max_tokens} tokens{printable(by_document)}", dim=True
    )
