"""docgraph prune: remove old snapshots for good."""

from typing import Annotated

import typer

from docgraph.interfaces.cli.options import (
    JsonOption,
    StoreOption,
    administration_for,
    engine_for,
    existing_or_new,
)
from docgraph.interfaces.cli.output import echo, print_json


def prune(
    repository: Annotated[
        str, typer.Option("--repository", "-r", help="The repository.", show_default=False)
    ],
    branch: Annotated[str, typer.Option("--branch", "-b", help="Its branch.")] = "main",
    keep: Annotated[
        int, typer.Option("--keep", min=1, help="How many of the newest snapshots to keep.")
    ] = 1,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Remove old snapshots for good.

    What only they held (texts, vectors, relations) is removed, and in a SQLite file overwritten.
    A plan that was saved on one of them finds nothing any more.
    """
    from docgraph.interfaces.auth.principals import local

    found = administration_for(store).prune(local(), repository, branch, keep)
    if json:
        print_json(found)
    else:
        echo(
            f"removed: snapshots {found.snapshots}, document versions {found.documents}, "
            f"texts {found.texts}, vectors {found.vectors}"
        )
        if found.pending:
            echo(
                f"the vector index could not be reached; it still holds {found.pending} document "
                "versions, and removes them at the next ingest"
            )


# docgraph reindex: fill an external vector index anew.


def reindex(store: StoreOption = None, json: JsonOption = False) -> None:
    """Rebuild an external vector index.

    From what the store holds, for all tenants; needed when the index was lost, or when the store
    was changed without it. No ingest runs meanwhile; questions do.
    """
    from docgraph.interfaces.auth.principals import local

    found = administration_for(store).reindex(local())
    if json:
        print_json(found)
    else:
        echo(f"{found.index}: {found.rows} rows")


# docgraph verify: is the store sound, and is what is gone really gone?


def verify(store: StoreOption = None, json: JsonOption = False) -> None:
    """Verify the whole store.

    Every row is as it was written, nothing dangles or lives twice, and no row, posting, vector or
    edge of a document that is gone can be seen. Prints a digest of what you see: the same tree,
    ingested anew, gives the same.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.cli.render_store import show_verified

    found = administration_for(store).verify(local())
    digest = engine_for(store).content.content_digest(local()) if found.is_sound else None
    if json:
        print_json({"sound": found.is_sound, "digest": digest, "verified": found})
    else:
        show_verified(found, digest)
    if not found.is_sound:
        raise typer.Exit(1)


# docgraph migrate: bring the tables of a Postgres store up to date.


CheckOption = Annotated[
    bool, typer.Option("--check", help="Change nothing; the exit code is 1 if something is to do.")
]


def migrate(
    check: CheckOption = False, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Bring a Postgres store up to date.

    Makes the tables in a new database, and changes those of an older docgraph; every row stays.
    A SQLite store needs none of this.
    """
    from docgraph.wiring.backends import migrate_store

    found = migrate_store(existing_or_new(store), check=check)
    if json:
        print_json(found)
    else:
        for name in found.applied:
            echo(f"applied {name}")
        for name in found.pending:
            echo(f"pending {name}")
        done = "is up to date" if not found.pending else "is behind; run `docgraph migrate`"
        echo(f"{found.store} {done}")
    if found.pending:
        raise typer.Exit(1)


# docgraph doctor: does everything that a question needs work here?


def doctor(store: StoreOption = None, json: JsonOption = False) -> None:
    """Try every part for real.

    Python, SQLite, settings, tokenizer, embedder and store, of a Postgres store also what its
    server lacks and which command mends it; the exit code is 1 if one fails.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.wiring.doctor import diagnose

    findings = diagnose(existing_or_new(store), local())
    if json:
        print_json({"findings": findings})
    else:
        for finding in findings:
            echo(f"{'ok  ' if finding.good else 'BAD '} {finding.part:<10} {finding.detail}")
    if not all(finding.good for finding in findings):
        raise typer.Exit(1)
