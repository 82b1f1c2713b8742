"""docgraph audit: the audit log, its verification and its anchors."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    CommonOptions,
    administration_for,
    expand_options,
)
from docgraph.interfaces.cli.output import echo, print_json, print_json_text

if TYPE_CHECKING:
    from docgraph.model.audit import Anchor

audit = typer.Typer(
    help="Read the audit log, and check that nobody changed it.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@audit.command("list")
@expand_options
def list_entries(
    last: Annotated[int, typer.Option("--last", min=1, help="How many of the newest rows.")] = 50,
    who: Annotated[
        str | None,
        typer.Option("--who", metavar="NAME", help="Only what they asked, or others as them."),
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """List questions and denials, the newest last.

    Each with its number, time, who asked, what they did, the plan's digest and the snapshots. Needs
    the right `auditor`.
    """
    from docgraph.interfaces.cli.render_store import show_entries

    found = administration_for(common.store).audit_entries(common.reader(), last=last, who=who)
    if common.json:
        print_json({"entries": found})
    else:
        show_entries(found)


@audit.command("verify")
@expand_options
def verify_audit(
    anchor: Annotated[
        Path | None,
        typer.Option("--anchor", help="A file that `docgraph audit anchor` wrote."),
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """Find rows that were changed or are missing.

    Every seal is made again from its rows. A user who can write the file can also make the whole
    chain anew: only an anchor kept elsewhere shows that. Needs the right `auditor`.
    """
    from docgraph.interfaces.cli.render_store import show_verdict

    kept = None if anchor is None else _read(anchor)
    found = administration_for(common.store).audit_verify(common.reader(), kept)
    if common.json:
        print_json({"sound": found.is_sound, "verdict": found})
    else:
        show_verdict(found)
    if not found.is_sound:
        raise typer.Exit(1)


@audit.command("anchor")
@expand_options
def make_anchor(
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the anchor to this file.")
    ] = None,
    *,
    common: CommonOptions,
) -> None:
    """Seal the log and print its anchor.

    Keep it where nobody who can write the store can change it: up to the anchor's row,
    `docgraph audit verify --anchor` finds whatever was changed. Needs the right `auditor`.
    """
    from docgraph.model.errors import BadInput

    made = administration_for(common.store).audit_anchor(common.reader())
    if made is None:
        raise BadInput("the audit log has no rows yet, so there is nothing to anchor")
    if out is None or common.json:
        print_json_text(made.to_json())
    if out is None:
        return
    try:
        out.write_text(made.to_json(), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{out}: cannot be written: {error.strerror}") from error
    if not common.json:
        echo(f"anchored at row {made.last}: {out}")


def _read(file: Path) -> "Anchor":
    from docgraph.model.audit import anchor_from_json
    from docgraph.model.errors import BadInput

    try:
        return anchor_from_json(file.read_bytes())
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from error
