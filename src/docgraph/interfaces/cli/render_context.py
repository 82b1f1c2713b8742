"""What people see of a context: its own text, letter by letter, and what it took.

Written without rich, which would take as long to load as the whole question to answer.
"""

import typer

from docgraph.model.context import Context

# Text from outside, as a terminal may get it.


# A document's text must not be able to steer a terminal: only tab and newline pass.
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    return text.translate(_CONTROLS)


def show_context(context: Context) -> None:
    if context.reason:
        typer.secho(printable(context.reason), bold=True)
    typer.echo(printable(context.text), nl=False)
    shares = ", ".join(f"{share.document} {share.tokens}" for share in context.documents)
    told = f": {shares}" if shares else ""
    typer.secho(f"{context.tokens} of {context.max_tokens} tokens{printable(told)}", dim=True)
