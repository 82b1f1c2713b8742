"""Options that several commands share, and what is built from them."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from docgraph.engine import Engine
    from docgraph.engine.administration import Administration
    from docgraph.model.access import Principal
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.pipeline.retrieval import Retrieval
    from docgraph.wiring.settings import Settings

StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="The store: a SQLite file, or a postgresql:// address. "
        "Default: as set, else .docgraph/docgraph.db.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
RepositoryOption = Annotated[
    str | None,
    typer.Option("--repository", "-r", help="Ask this repository only.", show_default=False),
]
BranchOption = Annotated[
    str | None,
    typer.Option("--branch", "-b", help="Ask this branch of it.", show_default=False),
]
SnapshotOption = Annotated[
    int | None,
    typer.Option("--snapshot", help="Ask this snapshot of that branch.", show_default=False),
]
PipelineOption = Annotated[
    str, typer.Option("--pipeline", "-p", help="A shipped pipeline's name, or a YAML file.")
]
SeedOption = Annotated[
    list[str] | None,
    typer.Option(
        "--seed", metavar="ID", help="Start from this node id instead of searching; repeatable."
    ),
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens", min=1, help="Another token budget than the pipeline's."),
]
OptionalQuestion = Annotated[
    str, typer.Argument(help="The question; may be left out with --seed.", show_default=False)
]
QuestionArgument = Annotated[str, typer.Argument(help="The question.", show_default=False)]

ReceiptOption = Annotated[
    Path | None,
    typer.Option(
        "--receipt",
        metavar="FILE",
        help="Write a receipt to this file, for `docgraph replay`.",
        show_default=False,
    ),
]
AsOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Ask in the name of this person, as `docgraph principals` knows them.",
        show_default=False,
    ),
]

# Of the commands that write a snapshot.
IntoRepository = Annotated[
    str,
    typer.Option("--repository", "-r", help="The name that ids begin with.", show_default=False),
]
ReaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--reader",
        metavar="GROUP",
        help="A group that may read; repeatable. Default: as access.yaml says, else local alone.",
    ),
]
LabelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--label", metavar="LABEL", help="A label that every reader must hold; repeatable."
    ),
]
LevelOption = Annotated[
    int, typer.Option("--level", min=0, help="The clearance that readers need.")
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="MINER", help="Switch a relation miner off by name; repeatable."
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no list.")]


def current_settings(store: str | None) -> "Settings":
    from docgraph.wiring.settings import read_settings

    return read_settings(os.environ, Path.cwd(), store)


def administration_for(store: str | None) -> "Administration":
    from docgraph.wiring.build import build_administration

    return build_administration(_existing(store))


def asker(store: str | None, name: str | None) -> "Principal":
    """The person at the keyboard, or whoever they ask in the name of."""
    from docgraph.interfaces.auth.principals import principal_for

    return principal_for(name, lambda: administration_for(store))


def engine_for(
    store: str | None, *, must_exist: bool = True, question: str | None = None
) -> "Engine":
    """An engine on the chosen store; asking one that nobody made is an error, not a new file.

    To embed a question, its embedder begins to load while the engine's own modules do.
    """
    settings = _existing(store, must_exist=must_exist)
    embedder = None
    if question and question.strip():
        from docgraph.wiring.models import preload_embedder

        embedder = preload_embedder(settings)
    from docgraph.wiring.build import build_engine

    return build_engine(settings, embedder)


def existing_or_new(store: str | None) -> "Settings":
    from docgraph.wiring.backends import check_store_url

    return check_store_url(current_settings(store))


def _existing(store: str | None, *, must_exist: bool = True) -> "Settings":
    from docgraph.wiring.backends import require_store

    return require_store(current_settings(store)) if must_exist else existing_or_new(store)


def pipeline_named(name: str) -> "Pipeline":
    from docgraph.pipeline.load import load

    return load(name)


def budgeted(pipeline: "Pipeline", max_tokens: int | None) -> "Pipeline":
    if max_tokens is None:
        return pipeline
    return pipeline.with_options("assemble_context", max_tokens=max_tokens)


def wanted(
    repository: str | None, branch: str | None, snapshot: int | None
) -> tuple[SnapshotSelector, ...]:
    if repository is None and branch is None and snapshot is None:
        return ALL_REPOSITORIES
    return (SnapshotSelector(repository, branch, snapshot),)


def keep_receipt(
    file: Path | None, found: "Retrieval", reader: "Principal", seeds: "Sequence[str] | None"
) -> None:
    """What was asked and the digest of all that came of it, if a file is named for that."""
    if file is None:
        return
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.receipt import receipt_of

    try:
        file.write_bytes(receipt_of(found, reader, seeds or ()).to_json().encode())
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise BadInput(f"{file}: cannot be written: it would hold what is no text") from error


def print_json(value: object) -> None:
    import json

    from docgraph.model.digest import plain

    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False) + "\n")
