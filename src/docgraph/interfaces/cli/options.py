"""Options that several commands share, and what is built from them."""

import os
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer

from docgraph.interfaces.cli.output import echo
from docgraph.pipeline.request import OVERRIDES, QuestionRequest, snapshot_selectors

if TYPE_CHECKING:
    from docgraph.engine import Engine
    from docgraph.engine.administration import Administration
    from docgraph.model.access import Principal
    from docgraph.model.snapshot import SnapshotSelector
    from docgraph.model.source_state import SourceState
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.pipeline.retrieval import Retrieval
    from docgraph.wiring.settings import Settings


def option(name: str) -> Any:
    """The option of a field of QuestionRequest, with that field's help."""
    return typer.Option(f"--{name.replace('_', '-')}", min=1, help=OVERRIDES[name].help)


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
MaxTokens = Annotated[int | None, option("max_tokens")]
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
RepositoryNameOption = Annotated[
    str | None,
    typer.Option(
        "--repository",
        "-r",
        help="The name that ids begin with. Default: the folder's name.",
        show_default=False,
    ),
]
MaxBytesOption = Annotated[
    int, typer.Option("--max-bytes", help="Report files larger than this, do not read them.")
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


# Groups of options. `expand_options` puts a group's fields in place of a command's parameter.
# Tuples are made in a third of a dataclass's time, and every command waits for all groups.


class CommonOptions(NamedTuple):
    """Who asks which store, and how the result is printed."""

    as_: AsOption = None
    store: StoreOption = None
    json: JsonOption = False

    def engine(self, question: str | None = None) -> "Engine":
        return engine_for(self.store, question=question)

    def reader(self) -> "Principal":
        """The person at the keyboard, or the one they ask in the name of."""
        from docgraph.interfaces.auth.principals import principal_for

        return principal_for(self.as_, lambda: administration_for(self.store))


class BranchOptions(NamedTuple):
    repository: RepositoryOption = None
    branch: BranchOption = None

    def scope(self) -> "tuple[SnapshotSelector, ...]":
        return snapshot_selectors(self.repository, self.branch)


class PipelineOptions(NamedTuple):
    """How to retrieve, and from which snapshots."""

    pipeline: PipelineOption = "documents"
    repository: RepositoryOption = None
    branch: BranchOption = None
    snapshot: SnapshotOption = None


class RequestOptions(NamedTuple):
    """What is asked, and the overrides of the pipeline that a command offers."""

    question: OptionalQuestion = ""
    seed: SeedOption = None
    max_tokens: MaxTokens = None


class IngestOptions(NamedTuple):
    """Who may read what is ingested, and how it is mined."""

    reader: ReaderOption = None
    label: LabelOption = None
    level: LevelOption = 0
    without: WithoutOption = None


def expand_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters of a group's type are given by the fields of that group."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        name: kind for name, kind in hints.items() if hasattr(kind, "_field_defaults")
    }
    parameters: list[Parameter] = []
    for name, own in signature(command).parameters.items():
        if name in groups:
            parameters += _parameters_of(groups[name])
        else:
            parameters.append(own.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def run(**values: Any) -> None:
        built = {
            name: group(**{field: values.pop(field) for field in group._fields})
            for name, group in groups.items()
        }
        command(**values, **built)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _parameters_of(group: Any) -> list[Parameter]:
    return [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=group._field_defaults.get(name, Parameter.empty),
            annotation=kind,
        )
        for name, kind in group.__annotations__.items()
    ]


def build_request(
    common: CommonOptions, pipeline: PipelineOptions, asked: RequestOptions
) -> QuestionRequest:
    return QuestionRequest(
        common.reader(),
        load_pipeline(pipeline.pipeline, common.store),
        asked.question,
        tuple(asked.seed or ()),
        snapshot_selectors(pipeline.repository, pipeline.branch, pipeline.snapshot),
        max_tokens=asked.max_tokens,
    )


def load_pipeline(name: str, store: str | None) -> "Pipeline":
    """Settings are read again, and plug-ins looked up, for an action that is not shipped."""
    from docgraph.pipeline.load import load
    from docgraph.wiring.plugins import find_action

    return load(name, lambda action: find_action(action, current_settings(store).plugins))


def current_settings(store: str | None) -> "Settings":
    from docgraph.wiring.settings import read_settings

    return read_settings(os.environ, Path.cwd(), store)


def administration_for(store: str | None) -> "Administration":
    from docgraph.wiring.build import build_administration

    return build_administration(_existing(store))


def engine_for(
    store: str | None, *, must_exist: bool = True, question: str | None = None
) -> "Engine":
    """An engine on the chosen store; asking one that does not exist is an error, not a new file.

    To embed a question, its embedder begins to load while the engine's own modules do.
    """
    settings = _existing(store, must_exist=must_exist)
    embedder = None
    if question and question.strip():
        from docgraph.wiring.models import preload_question_embedder

        embedder = preload_question_embedder(settings)
    from docgraph.wiring.build import build_engine

    return build_engine(settings, embedder)


def existing_or_new(store: str | None) -> "Settings":
    from docgraph.wiring.backends import check_store_url

    return check_store_url(current_settings(store))


def _existing(store: str | None, *, must_exist: bool = True) -> "Settings":
    from docgraph.wiring.backends import require_store

    return require_store(current_settings(store)) if must_exist else existing_or_new(store)


def note_running_ingest(common: CommonOptions, engine: "Engine") -> None:
    """On standard error: what is printed does not depend on it. Not in somebody else's name."""
    if common.as_ is None:
        from docgraph.interfaces.auth.principals import local

        for ingest in engine.content.running_ingests(local()):
            note = "note: an ingest is running; this is of the snapshots before it"
            echo(f"{note} ({ingest.describe()})", err=True)


def source_states(
    common: CommonOptions, engine: "Engine", result: "Retrieval"
) -> "tuple[SourceState, ...]":
    """Whether the sources have moved on; what says so to a person is on standard error, and not in
    somebody else's name. So is what is not embedded yet."""
    from docgraph.model.embedding_state import COMPLETE

    if result.embeddings != COMPLETE:
        echo(f"note: not everything is embedded yet (embeddings {result.embeddings})", err=True)
    states = engine.content.source_states(result.request.reader, result.scope.snapshots)
    if common.as_ is None:
        for one in states:
            if one.state == "moved":
                echo(f"note: {one.repository} {one.branch}: {one.describe()}", err=True)
    return states


def write_receipt(file: Path | None, retrieval: "Retrieval") -> None:
    """If a file is named for it."""
    if file is None:
        return
    from docgraph.model.errors import BadInput
    from docgraph.pipeline.receipt import receipt_of

    try:
        file.write_bytes(receipt_of(retrieval).to_json().encode())
    except OSError as error:
        raise BadInput(f"{file}: cannot be written: {error.strerror}") from error
    except UnicodeEncodeError as error:
        raise BadInput(f"{file}: cannot be written: it would hold what is no text") from error
