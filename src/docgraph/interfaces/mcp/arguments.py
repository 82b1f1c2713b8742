"""What tools take: each argument with its bounds, and words for the model that fills it in."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from urllib.parse import quote, unquote

from pydantic import Field, TypeAdapter, ValidationError

from docgraph.interfaces.mcp.tool_context import LONGEST_ID, LONGEST_NAME, MOST_SEEDS
from docgraph.model.errors import BadInput
from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.model.validation import suggest
from docgraph.pipeline.request import LONGEST_QUESTION

UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
NOTHING_ELSE: dict[str, Any] = {"extra": "forbid"}

Id = Annotated[str, Field(min_length=1, max_length=LONGEST_ID)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
QuestionText = Annotated[
    str,
    Field(
        max_length=LONGEST_QUESTION,
        description="The question, in words. May be left out where seeds are given.",
    ),
]
SeedIds = Annotated[
    tuple[Id, ...],
    Field(max_length=MOST_SEEDS, description="Ids to start from instead of searching."),
]
PipelineName = Annotated[
    Name,
    Field(description="How to retrieve: `documents` for prose, `code` for source code."),
]


@dataclass(frozen=True, slots=True)
class Where:
    """Which snapshots to ask; without any of them, the newest of all that the reader sees."""

    __pydantic_config__: ClassVar[dict[str, Any]] = NOTHING_ELSE
    repository: Annotated[Name | None, Field(description="Only this repository.")] = None
    branch: Annotated[Name | None, Field(description="This branch, not the usual one.")] = None
    snapshot: Annotated[
        int | None,
        Field(ge=1, le=2**53, description="This snapshot of that repository and branch."),
    ] = None

    @property
    def wanted(self) -> tuple[SnapshotSelector, ...]:
        if (self.repository, self.branch, self.snapshot) == (None, None, None):
            return ALL_REPOSITORIES
        return (SnapshotSelector(self.repository, self.branch, self.snapshot),)


@dataclass(frozen=True, slots=True)
class Asked(Where):
    """A question, or ids in its place, and how to retrieve."""

    question: QuestionText = ""
    seeds: SeedIds = ()
    pipeline: PipelineName = "documents"


def read_arguments(takes: TypeAdapter[Any], names: tuple[str, ...], given: object) -> Any:
    """Refused with what would fit; what was given is not repeated, it may be as long as it likes.

    Only JSON's own kinds arrive here, so a list fits where a tuple is meant.
    """
    try:
        return takes.validate_python(given)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
        unknown = [one for one in wrong if one["type"] in UNKNOWN]
        first = (unknown or wrong)[0]
        place = ".".join(str(part) for part in first["loc"])[:LONGEST_NAME] or "arguments"
        if unknown:
            raise BadInput(f"no argument is called {place!r}; {suggest(place, names)}") from error
        raise BadInput(f"{place}: {first['msg']}") from error


# The address of a node: `docgraph://node/` and its id, percent-encoded whole.


FRONT = "docgraph://node/"


def url_of(node: str) -> str:
    return FRONT + quote(node, safe="")


def id_of(written: str) -> str:
    """Of an address or of an id itself. What decodes to no text is no address."""
    if not written.startswith(FRONT):
        return written
    return unquote(written.removeprefix(FRONT), errors="replace")
