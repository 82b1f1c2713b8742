"""docgraph doctor: does everything that a question needs work here?"""

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, existing_or_new, print_json


def doctor(store: StoreOption = None, json: JsonOption = False) -> None:
    """Try every part for real.

    Python, SQLite, settings, tokenizer, embedder and store, of a Postgres store also what its
    server lacks and which command mends it; the exit code is 1 if one fails.
    """
    from docgraph.doors.login.principals import local
    from docgraph.wiring.diagnose import diagnose

    findings = diagnose(existing_or_new(store), local())
    if json:
        print_json({"findings": findings})
    else:
        for finding in findings:
            typer.echo(f"{'ok  ' if finding.good else 'BAD '} {finding.part:<10} {finding.detail}")
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)
