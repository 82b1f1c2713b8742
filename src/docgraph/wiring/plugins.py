"""Plug-ins: the objects behind names of formats, miners, sources, backends, models and actions.

A shipped name is resolved from the table, an installed one through entry points of the same groups.
`allowed` names the distributions that may be used; None is every installed one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from docgraph.model.errors import BadInput

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from docgraph.action import Action
    from docgraph.ingest.registries import Registries

FORMATS = "docgraph.formats"
MINERS = "docgraph.miners"
SOURCES = "docgraph.sources"
BACKENDS = "docgraph.backends"
VECTOR_INDEXES = "docgraph.vector_indexes"
MODELS = "docgraph.models"
ACTIONS = "docgraph.actions"

_FORMATS, _MINERS = "docgraph.ingest.formats.registry", "docgraph.ingest.miners.registry"
_POSTGRES = "docgraph.adapters.postgres.backend:POSTGRES"

# The entry points of docgraph itself, as pyproject.toml has them: looking those up takes longer
# than a question may. A backend's name is the scheme of its addresses; `sqlite` is that of paths.
SHIPPED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        FORMATS: {
            "csharp": f"{_FORMATS}:CSHARP",
            "docx": f"{_FORMATS}:DOCX",
            "html": f"{_FORMATS}:HTML",
            "java": f"{_FORMATS}:JAVA",
            "javascript": f"{_FORMATS}:JAVASCRIPT",
            "markdown": f"{_FORMATS}:MARKDOWN",
            "notebook": f"{_FORMATS}:NOTEBOOK",
            "pdf": f"{_FORMATS}:PDF",
            "python": f"{_FORMATS}:PYTHON",
            "rst": f"{_FORMATS}:RST",
            "sql": f"{_FORMATS}:SQL",
            "text": f"{_FORMATS}:TEXT",
            "tsx": f"{_FORMATS}:TSX",
            "typescript": f"{_FORMATS}:TYPESCRIPT",
        },
        MINERS: {
            "calls": f"{_MINERS}:CALLS_MINER",
            "documents": f"{_MINERS}:DOCUMENTS_MINER",
            "headers": f"{_MINERS}:HEADERS_MINER",
            "identifiers": f"{_MINERS}:IDENTIFIERS_MINER",
            "imports": f"{_MINERS}:IMPORTS_MINER",
            "links": f"{_MINERS}:LINKS_MINER",
            "names": f"{_MINERS}:NAMES_MINER",
            "tables": f"{_MINERS}:TABLES_MINER",
            "titles": f"{_MINERS}:TITLES_MINER",
            "types": f"{_MINERS}:TYPES_MINER",
        },
        SOURCES: {
            "folder": "docgraph.adapters.sources.folder:FOLDER",
            "git": "docgraph.adapters.sources.git:GIT",
        },
        BACKENDS: {
            "postgres": _POSTGRES,
            "postgresql": _POSTGRES,
            "sqlite": "docgraph.adapters.sqlite.backend:SQLITE",
        },
        VECTOR_INDEXES: {},
        MODELS: {
            "endpoint": "docgraph.adapters.endpoint.provider:ENDPOINT",
            "granite": "docgraph.adapters.onnx.granite:GRANITE",
            "onnx": "docgraph.adapters.onnx.cross_encoder:ONNX",
        },
        ACTIONS: {
            "answer_question": "docgraph.answer.answer_question:answer_question",
            "assemble_context": "docgraph.assemble.assemble_context:assemble_context",
            "expand_dependency_tree": "docgraph.plan.expand_dependency_tree:expand_dependency_tree",
            "expand_relationships": "docgraph.plan.expand_relationships:expand_relationships",
            "fetch_evidence": "docgraph.execute.fetch_evidence:fetch_evidence",
            "fetch_node_texts": "docgraph.execute.fetch_node_texts:fetch_node_texts",
            "search_nodes": "docgraph.search.search_nodes:search_nodes",
            "select_scope": "docgraph.plan.select_scope:select_scope",
        },
    }
)
# Names that have a meaning without an entry point: origins of relations that no miner finds, the
# vector indexes in a backend's own tables, actions that pipelines insert.
RESERVED: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        MINERS: frozenset({"curated", "imported", "manual", "structure"}),
        VECTOR_INDEXES: frozenset({"packed", "pgvector", "pgvector-hnsw"}),
        ACTIONS: frozenset({"plan_seeds"}),
    }
)
# What an entry point of a group must lead to.
TYPES: Mapping[str, str] = MappingProxyType(
    {
        FORMATS: f"{_FORMATS}:Format",
        MINERS: f"{_MINERS}:Miner",
        SOURCES: "docgraph.ports.source:SourceKind",
        BACKENDS: "docgraph.ports.store:Backend",
        VECTOR_INDEXES: "docgraph.ports.indexes:VectorIndexKind",
        MODELS: "docgraph.ports.models:ModelProvider",
        ACTIONS: "types:FunctionType",
    }
)


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point of an installed distribution, not imported yet; `problem` forbids its use."""

    group: str
    name: str
    distribution: str
    version: str
    problem: str = ""
    entry: "EntryPoint | None" = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return f"plug-in {self.name!r} ({self.group}) of {self.distribution} {self.version}"

    def load(self) -> Any:
        """Raises BadInput with the plug-in's name, whatever its module raised."""
        if self.problem or self.entry is None:
            raise BadInput(f"{self} is not used: {self.problem}")
        try:
            loaded = self.entry.load()
            if self.group == ACTIONS:
                from docgraph.action import contract_of

                contract_of(loaded)
        except (Exception, SystemExit) as error:
            reason = f"{type(error).__name__}: {error}"
            raise BadInput(f"{self} cannot be loaded: {reason}") from error
        if mismatch := _mismatch(self.group, self.name, loaded):
            raise BadInput(f"{self} cannot be used: {mismatch}")
        return loaded


def load_plugin(group: str, name: str, allowed: Sequence[str] | None) -> Any:
    """The object of that name: the shipped one, else an installed one, else None."""
    if name in SHIPPED[group]:
        return _resolve(SHIPPED[group][name])
    found = (plugin for plugin in installed_plugins(group, allowed) if plugin.name == name)
    plugin = next(found, None)
    return plugin.load() if plugin else None


def installed_plugins(group: str, allowed: Sequence[str] | None) -> tuple[Plugin, ...]:
    """Those of a group that may be used, by name; none is imported yet."""
    return tuple(
        plugin for plugin in list_plugins(allowed) if plugin.group == group and not plugin.problem
    )


def list_plugins(allowed: Sequence[str] | None) -> tuple[Plugin, ...]:
    """Every installed entry point of these groups, sorted, and what forbids its use."""
    if allowed is not None and not allowed:
        return ()
    plugins = sorted(
        (plugin for found in _distributions(allowed) for plugin in _plugins_of(found)),
        key=lambda plugin: (plugin.group, plugin.name, plugin.distribution),
    )
    first: dict[tuple[str, str], Plugin] = {}
    for plugin in plugins:
        first.setdefault((plugin.group, plugin.name), plugin)
    # The same distribution twice on the path is one: `dict.fromkeys` keeps the first.
    return tuple(replace(one, problem=_problem(one, first)) for one in dict.fromkeys(plugins))


def check_plugins(allowed: Sequence[str] | None) -> None:
    """Loads all of them, so that a server does not start with one that fails."""
    for plugin in list_plugins(allowed):
        plugin.load()


def find_action(name: str, allowed: Sequence[str] | None) -> "Action | None":
    from docgraph.action import contract_of

    function = load_plugin(ACTIONS, name, allowed)
    return contract_of(function) if function else None


def ingest_registries(allowed: Sequence[str] | None) -> "Registries":
    """Every format and miner that may be used; one that cannot be loaded is a problem."""
    from docgraph.ingest.formats.registry import Format, FormatRegistry
    from docgraph.ingest.miners.registry import Miner, MinerRegistry
    from docgraph.ingest.registries import Registries
    from docgraph.ports.source import SourceProblem

    loaded: list[Any] = []
    problems: list[SourceProblem] = []
    for plugin in list_plugins(allowed):
        if plugin.group in (FORMATS, MINERS):
            try:
                loaded.append(plugin.load())
            except BadInput as error:
                problems.append(SourceProblem(plugin.distribution, str(error)))
    return Registries(
        FormatRegistry(tuple(one for one in loaded if isinstance(one, Format))),
        MinerRegistry(tuple(one for one in loaded if isinstance(one, Miner))),
        tuple(problems),
    )


def _distributions(allowed: Sequence[str] | None) -> "Iterable[Distribution]":
    from importlib.metadata import PackageNotFoundError, distribution, distributions

    if allowed is None:
        return distributions()
    found = []
    for name in allowed:
        try:
            found.append(distribution(name))
        except (PackageNotFoundError, ValueError) as error:
            raise BadInput(f"plugins: no distribution {name!r} is installed") from error
    return found


def _plugins_of(found: "Distribution") -> Iterator[Plugin]:
    """Most distributions have none: their metadata is not read, which would take longest."""
    entries = [entry for entry in found.entry_points if entry.group in SHIPPED]
    if entries and found.name != "docgraph":
        for entry in entries:
            yield Plugin(entry.group, entry.name, found.name, found.version, entry=entry)


def _problem(plugin: Plugin, first: Mapping[tuple[str, str], Plugin]) -> str:
    if plugin.name in SHIPPED[plugin.group] or plugin.name in RESERVED.get(plugin.group, ()):
        return f"docgraph itself has {plugin.name!r}; a plug-in cannot take a shipped name"
    holder = first[plugin.group, plugin.name]
    if holder != plugin:
        return f"{holder.distribution} {holder.version} has {plugin.name!r} already"
    return ""


def _mismatch(group: str, name: str, loaded: Any) -> str:
    """An entry point leads to its group's type, its name is the object's own, and nothing of what
    docgraph itself has is taken."""
    expected: Any = _resolve(TYPES[group])
    if not isinstance(loaded, expected):
        return f"it leads to {type(loaded).__name__}, not {expected.__name__}"
    names = {getattr(loaded, key, None) for key in ("name", "scheme", "__name__")}
    if name not in names | set(getattr(loaded, "schemes", ())):
        return "its entry point has another name than the object"
    if group == FORMATS:
        from docgraph.ingest.formats.registry import SHIPPED_FORMATS

        taken = [one for one in loaded.suffixes if one in SHIPPED_FORMATS.by_suffix]
        return f"docgraph itself reads {', '.join(taken)}" if taken else ""
    if group == MINERS:
        from docgraph.model.edge import RELATIONS

        unknown = [one for one in loaded.relations if one not in RELATIONS]
        return f"no relation is called {', '.join(unknown)}" if unknown else ""
    return ""


def _resolve(value: str) -> Any:
    module, _, name = value.partition(":")
    return reduce(getattr, name.split("."), import_module(module))
