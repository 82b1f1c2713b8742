"""docgraph principals: whom the store knows by name."""

from typing import Annotated

import typer

from docgraph.doors.cli.options import JsonOption, StoreOption, administration_for, print_json

principals = typer.Typer(
    help="Add, list and remove the people whom the store knows.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(help="The person's name.", show_default=False)]


@principals.command("add")
def add_principal(
    name: Name,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="GROUP", help="A group they are in; repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="LABEL", help="A label they hold; repeatable."),
    ] = None,
    clearance: Annotated[
        int, typer.Option("--clearance", min=0, help="The highest level they may read.")
    ] = 0,
    right: Annotated[
        list[str] | None,
        typer.Option(
            "--right",
            metavar="RIGHT",
            help="`ingest`, `relations`, `access` or `auditor`; repeatable.",
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Add a person, or change one.

    What is not given is taken away. It counts from the next question on.
    """
    from docgraph.doors.login.principals import local
    from docgraph.model.access import Person

    me = local()
    person = Person(
        id=name,
        tenant=me.tenant,
        groups=frozenset(group or ()),
        labels=frozenset(label or ()),
        clearance=clearance,
        rights=frozenset(right or ()),
    )
    administration_for(store).add_person(me, person)
    if json:
        print_json({"principal": person})
    else:
        typer.echo(f"{name} can be asked for with --as {name}")


@principals.command("list")
def list_principals(store: StoreOption = None, json: JsonOption = False) -> None:
    """List everybody, with groups, labels, clearance and rights."""
    from docgraph.doors.cli.show_access import show_people
    from docgraph.doors.login.principals import local

    found = administration_for(store).people(local())
    if json:
        print_json({"principals": found})
    else:
        show_people(found)


@principals.command("rm")
def remove_principal(name: Name, store: StoreOption = None, json: JsonOption = False) -> None:
    """Forget a person."""
    from docgraph.doors.login.principals import local

    administration_for(store).remove_person(local(), name)
    if json:
        print_json({"removed": name})
    else:
        typer.echo(f"{name} is not known any more")
