"""Renders a context for a terminal: its text unchanged, then its tokens.

Without rich, which takes as long to load as a question takes to answer.
"""

from docgraph.interfaces.cli.output import echo
from docgraph.model.context import Context


def show_context(context: Context) -> None:
    if context.reason:
        echo(context.reason, bold=True)
    echo(context.text, nl=False)
    shares = ", ".join(f"{one.document_id} {one.tokens}" for one in context.documents)
    by_document = f": {shares}" if shares else ""
    echo(f"{context.tokens} of {context.max_tokens} tokens{by_document}", dim=True)
