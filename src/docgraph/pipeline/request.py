"""The request of a question: every interface builds one for the engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from docgraph.model.errors import BadInput

if TYPE_CHECKING:
    from docgraph.model.access import Principal
    from docgraph.model.seeds import Seeds
    from docgraph.model.snapshot import SnapshotSelector
    from docgraph.pipeline.pipeline import Pipeline
    from docgraph.ports.graph_reads import GraphReads

MAX_QUESTION_CHARACTERS = 20_000
MAX_IDS = 1_000
INTERFACES = ("cli", "http", "mcp", "python")


class Override(NamedTuple):
    """Which option of which action a request may set, and the interfaces that offer it."""

    action: str
    option: str
    help: str
    interfaces: tuple[str, ...]


def override(
    action: str,
    option: str,
    *,
    help: str,  # noqa: A002  as the command line calls it
    interfaces: tuple[str, ...] = INTERFACES,
) -> Any:
    """A field of a request that sets an option of the pipeline; None leaves the pipeline's own."""
    metadata = {"override": Override(action, option, help, interfaces)}
    return field(default=None, metadata=metadata)


def snapshot_selectors(
    repository: str | None = None, branch: str | None = None, snapshot: int | None = None
) -> "tuple[SnapshotSelector, ...]":
    """One branch or snapshot; without any name, the newest of every repository."""
    from docgraph.model.snapshot import ALL_REPOSITORIES, SnapshotSelector  # not for --help

    if repository is None and branch is None and snapshot is None:
        return ALL_REPOSITORIES
    return (SnapshotSelector(repository, branch, snapshot),)


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """The question, its reader, the snapshots and the pipeline. Interfaces validate names."""

    reader: "Principal"
    pipeline: "Pipeline"
    question: str = ""
    seeds: tuple[str, ...] = ()
    scope: "tuple[SnapshotSelector, ...]" = field(default_factory=snapshot_selectors)
    top: int | None = override(
        "search_nodes", "top", help="How many seeds search gives.", interfaces=("http",)
    )
    max_tokens: int | None = override(
        "assemble_context", "max_tokens", help="Another token budget than the pipeline's."
    )

    def effective_pipeline(self) -> "Pipeline":
        """The pipeline with every override that is set."""
        pipeline = self.pipeline
        for name, one in OVERRIDES.items():
            if (value := getattr(self, name)) is not None:
                pipeline = pipeline.with_options(one.action, **{one.option: value})
        return pipeline

    def validated(self) -> "QuestionRequest":
        """With the question stripped; BadInput where it is empty or too long."""
        for name in OVERRIDES:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{name} is 1 or more, not {value}")
        return replace(self, question=validate_question(self.question, self.seeds))


OVERRIDES: Mapping[str, Override] = {
    one.name: one.metadata["override"]
    for one in fields(QuestionRequest)
    if "override" in one.metadata
}


def validate_question(question: str, seeds: Sequence[str]) -> str:
    """The stripped question."""
    text = question.strip()
    if not _is_text(text):
        raise BadInput("the question holds bytes that are not text")
    validate_ids(seeds)
    if not text and not seeds:
        raise BadInput("ask a question, or name seeds by id")
    if len(text) > MAX_QUESTION_CHARACTERS:
        raise BadInput(
            f"a question takes at most {MAX_QUESTION_CHARACTERS} characters, "
            f"this one has {len(text)}"
        )
    return text


def validate_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Each once, in the order given."""
    if not all(_is_text(node) for node in ids):
        raise BadInput("an id holds bytes that are not text")
    if len(ids) > MAX_IDS:
        raise BadInput(f"at most {MAX_IDS} ids can be named at once, these are {len(ids)}")
    return tuple(dict.fromkeys(ids))


def _is_text(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text


def seeds_from_ids(graph: "GraphReads", ids: Sequence[str]) -> "Seeds":
    """Ids that replace search, as seeds; those that the reader cannot see are left out."""
    from docgraph.model.seeds import Seed, Seeds

    visible = graph.visible_ids(tuple(dict.fromkeys(ids)))
    return Seeds(
        ranked=tuple(Seed(node, 0.0, "explicit id") for node in visible),
        search=(("mode", "explicit"),),
    )
