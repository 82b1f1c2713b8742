"""Bodies and queries of requests: known keys alone, each of its type, none too long."""

from collections.abc import Callable
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

from docgraph.interfaces.inputs import NamedPipelines
from docgraph.model.access import Principal
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.load import MAX_BYTES
from docgraph.pipeline.request import (
    MAX_QUESTION_CHARACTERS,
    OVERRIDES,
    QuestionRequest,
    snapshot_selectors,
)

LONGEST_ID = 5_000
LONGEST_NAME = 200
MOST_SEEDS = 200
HIGHEST = 2**53 - 1  # what every JSON reader takes for the same number
_LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"  # line ends and tabs, no other control characters
_ONE_LINE = r"^[^\x00-\x1f\x7f]+$"

Text = Annotated[str, Field(max_length=MAX_QUESTION_CHARACTERS, pattern=_LINES)]
NodeId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, pattern=_ONE_LINE)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=_ONE_LINE)]
Number = Annotated[int, Field(ge=1, le=HIGHEST)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PipelineYaml(Strict):
    """A pipeline as a YAML file holds it; it may extend named ones."""

    yaml: Annotated[str, Field(max_length=MAX_BYTES)]


class PipelineJson(Strict):
    """The same as JSON: `steps`, or `extends` with `change` and `without`."""

    pipeline: Name
    extends: Name | None = None
    steps: list[str | dict[str, Any]] | None = None
    change: dict[str, Any] | None = None
    without: list[str] | None = None


PipelineField = Annotated[
    str | PipelineYaml | PipelineJson,
    Field(description="The name of a pipeline that this server has, or a pipeline."),
]


def as_loaded(pipeline: str | PipelineYaml | PipelineJson) -> str | dict[str, Any]:
    """As the loader takes it: nothing that was not written."""
    return pipeline if isinstance(pipeline, str) else pipeline.model_dump(exclude_unset=True)


def option(name: str) -> Any:
    """A field of QuestionRequest that sets an option of the pipeline."""
    return Field(description=OVERRIDES[name].help)


class ScopeBody(Strict):
    """Which snapshot is asked; without any, the newest of every repository that can be seen."""

    repository: Name | None = None
    branch: Name | None = None
    snapshot: Number | None = None


class RequestBody(ScopeBody):
    pipeline: PipelineField = "documents"
    top: Annotated[Number | None, option("top")] = None
    question: Text = ""

    def request(self, reader: Principal, pipelines: NamedPipelines) -> QuestionRequest:
        """Refused where the pipeline is unknown, or larger than this server takes."""
        values = dict(self)
        built = QuestionRequest(
            reader,
            pipelines.find(as_loaded(self.pipeline)),
            self.question,
            tuple(values.get("seeds", ())),
            snapshot_selectors(self.repository, self.branch, self.snapshot),
            **{name: values.get(name) for name in OVERRIDES},
        )
        pipelines.checked(built.effective_pipeline())
        return built


class SearchBody(RequestBody):
    question: Annotated[Text, Field(min_length=1)]


class QuestionBody(RequestBody):
    """A question, or ids to start from in place of searching, or both."""

    seeds: Annotated[list[NodeId], Field(max_length=MOST_SEEDS, default_factory=list)]


class PlanBody(QuestionBody):
    receipt: bool = False


class ContextBody(QuestionBody):
    max_tokens: Annotated[Number | None, option("max_tokens")] = None


class RetrieveBody(ContextBody):
    receipt: bool = False


class AskBody(RetrieveBody):
    pass


class ExplainBody(ContextBody):
    """With a `node`: a document, section, symbol or chunk by id, or a document by path."""

    node: NodeId | None = None


class PassthroughJson:
    """Documented as that type, passed on as JSON: docgraph's own reader checks it."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(TypeAdapter(self._kind).core_schema)


def has_format(yes: str, no: str) -> Callable[[Any], str]:
    """Tells a file of docgraph's, which names its format, from a body that has it in a field."""
    return lambda given: yes if isinstance(given, dict) and "format" in given else no


# Query strings; an unknown key is refused.


class BranchQuery(BaseModel):
    """A query holds strings alone, so numbers are parsed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    repository: Name | None = None
    branch: Name | None = None


class ScopeQuery(BranchQuery):
    snapshot: Number | None = None

    @property
    def scope(self) -> tuple[SnapshotSelector, ...]:
        return snapshot_selectors(self.repository, self.branch, self.snapshot)
