"""Arguments of tools: each with its bounds, and a description for the model that fills it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from urllib.parse import quote, unquote

from pydantic import Field, TypeAdapter, ValidationError

from docgraph.model.errors import BadInput
from docgraph.model.snapshot import SnapshotSelector
from docgraph.model.validation import suggest
from docgraph.pipeline.request import MAX_QUESTION_CHARACTERS, OVERRIDES, snapshot_selectors

LONGEST_ID = 4_000  # characters
LONGEST_NAME = 200
MOST_SEEDS = 50
MOST_TOKENS = 32_000
MOST_RELATIONS = 200
UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
NOTHING_ELSE: dict[str, Any] = {"extra": "forbid"}

Id = Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
QuestionText = Annotated[
    str,
    Field(
        max_length=MAX_QUESTION_CHARACTERS,
        description="The question, in words. May be left out where seeds are given.",
    ),
]
SeedIds = Annotated[
    tuple[Id, ...],
    Field(
        max_length=MOST_SEEDS, description="Ids or addresses to start from instead of searching."
    ),
]
PipelineName = Annotated[
    Name,
    Field(description="How to retrieve: `documents` for prose, `code` for source code."),
]


@dataclass(frozen=True, slots=True)
class ScopeArguments:
    """Which snapshots to ask; without any of them, the newest of all that the reader sees."""

    __pydantic_config__: ClassVar[dict[str, Any]] = NOTHING_ELSE
    repository: Annotated[Name | None, Field(description="Only this repository.")] = None
    branch: Annotated[Name | None, Field(description="This branch, not the usual one.")] = None
    snapshot: Annotated[
        int | None,
        Field(ge=1, le=2**53, description="This snapshot of that repository and branch."),
    ] = None

    @property
    def scope(self) -> tuple[SnapshotSelector, ...]:
        return snapshot_selectors(self.repository, self.branch, self.snapshot)


@dataclass(frozen=True, slots=True)
class PlanArguments(ScopeArguments):
    """A question, or ids in its place, and how to retrieve."""

    question: QuestionText = ""
    seeds: SeedIds = ()
    pipeline: PipelineName = "documents"


@dataclass(frozen=True, slots=True)
class QuestionArguments(PlanArguments):
    """With the overrides of the pipeline that a question may set."""

    max_tokens: Annotated[
        int | None, Field(ge=1, le=MOST_TOKENS, description=OVERRIDES["max_tokens"].help)
    ] = None


def read_arguments(takes: TypeAdapter[Any], names: tuple[str, ...], given: object) -> Any:
    """Refused with what would fit; the argument itself is not repeated, it may be long.

    Only JSON's own kinds arrive here, so a list fits where a tuple is meant.
    """
    try:
        return takes.validate_python(given)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
        unknown = [one for one in wrong if one["type"] in UNKNOWN]
        first = (unknown or wrong)[0]
        name = ".".join(str(part) for part in first["loc"])[:LONGEST_NAME] or "arguments"
        if unknown:
            raise BadInput(f"no argument is called {name!r}; {suggest(name, names)}") from error
        raise BadInput(f"{name}: {first['msg']}") from error


# The address of a node: `docgraph://node/` and its id, percent-encoded whole.


NODE_URL = "docgraph://node/"


def url_of(node: str) -> str:
    return NODE_URL + quote(node, safe="")


def id_of(written: str) -> str:
    """Of an address or of an id. What decodes to no text is no address."""
    if not written.startswith(NODE_URL):
        return written
    return unquote(written.removeprefix(NODE_URL), errors="replace")
