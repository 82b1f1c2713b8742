"""What may stand in a request: known keys alone, each of its own type, none of them too long."""

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector
from docgraph.pipeline.load import LARGEST
from docgraph.pipeline.request import LONGEST_QUESTION

LONGEST_ID = 5_000
LONGEST_NAME = 200
MOST_SEEDS = 200
HIGHEST = 2**53 - 1  # what every JSON reader takes for the same number
_LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"  # line ends and tabs, no other control characters
_ONE_LINE = r"^[^\x00-\x1f\x7f]+$"

Text = Annotated[str, Field(max_length=LONGEST_QUESTION, pattern=_LINES)]
NodeId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, pattern=_ONE_LINE)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=_ONE_LINE)]
Number = Annotated[int, Field(ge=1, le=HIGHEST)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PipelineText(Strict):
    """A pipeline as a YAML file holds it; it may extend named ones."""

    yaml: Annotated[str, Field(max_length=LARGEST)]


class WrittenPipeline(Strict):
    """The same as JSON: `steps`, or `extends` with `change` and `without`."""

    pipeline: Name
    extends: Name | None = None
    steps: list[str | dict[str, Any]] | None = None
    change: dict[str, Any] | None = None
    without: list[str] | None = None


AskedPipeline = Annotated[
    str | PipelineText | WrittenPipeline,
    Field(description="The name of a pipeline that this server has, or a pipeline."),
]


def given(pipeline: str | PipelineText | WrittenPipeline) -> str | dict[str, Any]:
    """As the loader takes it: nothing that was not written."""
    return pipeline if isinstance(pipeline, str) else pipeline.model_dump(exclude_unset=True)


class Of(Strict):
    """Which snapshot is asked; without any, the newest of every repository that can be seen."""

    repository: Name | None = None
    branch: Name | None = None
    snapshot: Number | None = None

    @property
    def wanted(self) -> tuple[SnapshotSelector, ...]:
        if self.repository is None and self.branch is None and self.snapshot is None:
            return ALL_REPOSITORIES
        return (SnapshotSelector(self.repository, self.branch, self.snapshot),)


class Asked(Of):
    pipeline: AskedPipeline = "documents"
    top: Annotated[Number | None, Field(description="How many seeds search gives.")] = None


class AskedQuestion(Asked):
    """A question, or ids to start from in place of searching, or both."""

    question: Text = ""
    seeds: Annotated[list[NodeId], Field(max_length=MOST_SEEDS, default_factory=list)]


class AskedContext(AskedQuestion):
    max_tokens: Annotated[
        Number | None, Field(description="Another token budget than the pipeline's.")
    ] = None


class Kept:
    """Documented as that type, kept as the JSON it came as: docgraph's own reader reads it."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(TypeAdapter(self._kind).core_schema)


# What may stand behind the question mark of an address; anything else is refused.


class BranchQuery(BaseModel):
    """An address knows strings alone, so numbers are read out of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    repository: Name | None = None
    branch: Name | None = None


class OfQuery(BranchQuery):
    snapshot: Number | None = None

    @property
    def wanted(self) -> tuple[SnapshotSelector, ...]:
        if self.repository is None and self.branch is None and self.snapshot is None:
            return ALL_REPOSITORIES
        return (SnapshotSelector(self.repository, self.branch, self.snapshot),)
