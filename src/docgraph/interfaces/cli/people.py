"""docgraph principals and keys: the people that the store knows, and their API keys."""

from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import JsonOption, StoreOption, administration_for
from docgraph.interfaces.cli.output import echo, print_json

if TYPE_CHECKING:
    from datetime import datetime


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
    from docgraph.interfaces.auth.principals import local
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
        echo(f"{name} can be asked for with --as {name}")


@principals.command("list")
def list_principals(store: StoreOption = None, json: JsonOption = False) -> None:
    """List everybody, with groups, labels, clearance and rights."""
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_access import show_people

    found = administration_for(store).people(local())
    if json:
        print_json({"principals": found})
    else:
        show_people(found)


@principals.command("rm")
def remove_principal(name: Name, store: StoreOption = None, json: JsonOption = False) -> None:
    """Forget a person."""
    from docgraph.interfaces.auth.principals import local

    administration_for(store).remove_person(local(), name)
    if json:
        print_json({"removed": name})
    else:
        echo(f"{name} is not known any more")


keys = typer.Typer(
    help="Give out, list and take back API keys.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@keys.command("add")
def add_key(
    name: Annotated[
        str, typer.Argument(help="The person whom the key stands for.", show_default=False)
    ],
    expires: Annotated[
        str | None,
        typer.Option(
            "--expires",
            metavar="WHEN",
            help="After so many days, or on a date such as 2030-01-31, in UTC.",
        ),
    ] = None,
    note: Annotated[str, typer.Option("--note", help="What it is for.", show_default=False)] = "",
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Give out an API key. Its secret is shown this once, and kept nowhere."""
    from datetime import UTC, datetime

    from docgraph.interfaces.auth.api_keys import hash_secret, new_secret
    from docgraph.interfaces.auth.principals import local
    from docgraph.model.access import ApiKey

    me, now = local(), datetime.now(UTC)
    key_id, secret = new_secret()
    key = ApiKey(
        id=key_id,
        tenant=me.tenant,
        principal=name,
        created=now.isoformat(timespec="seconds"),
        expires=_expiry(expires, now),
        note=note,
    )
    administration_for(store).add_key(me, key, hash_secret(secret))
    if json:
        print_json({"key": key, "secret": secret})
    else:
        echo(secret)
        echo(
            f"the secret of key {key_id}, for {name}: it is shown this once; "
            "send it as `Authorization: Bearer …`",
            err=True,
        )


@keys.command("list")
def list_keys(store: StoreOption = None, json: JsonOption = False) -> None:
    """List all keys, without their secrets."""
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_access import show_keys

    found = administration_for(store).keys(local())
    if json:
        print_json({"keys": found})
    else:
        show_keys(found)


@keys.command("rm")
def remove_key(
    key: Annotated[str, typer.Argument(metavar="ID", help="The key's id.", show_default=False)],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Revoke a key: it is refused from now on."""
    from docgraph.interfaces.auth.principals import local

    administration_for(store).remove_key(local(), key)
    if json:
        print_json({"removed": key})
    else:
        echo(f"key {key} is revoked")


def _expiry(given: str | None, now: "datetime") -> str | None:
    from datetime import UTC, datetime, timedelta

    from docgraph.model.errors import BadInput

    if given is None:
        return None
    wrong = BadInput(
        f"--expires: {given!r} is neither a number of days nor a date to come, as 2030-01-31"
    )
    try:
        if given.isdecimal():
            until = now + timedelta(days=int(given))
        else:
            until = datetime.strptime(given, "%Y-%m-%d").replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise wrong from None
    if until <= now:
        raise wrong
    return until.isoformat(timespec="seconds")
