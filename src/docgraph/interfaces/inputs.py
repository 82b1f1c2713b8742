"""Pipelines that a request may ask for: by name, or written in it. It opens no file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgraph.model.access import EVERYONE, AccessRule
from docgraph.model.edge import RELATIONS, EdgeEvidence
from docgraph.model.errors import BadInput, BadPipeline
from docgraph.model.node import path_of
from docgraph.model.validation import check_names, suggest
from docgraph.pipeline.load import load, load_text, shipped
from docgraph.pipeline.pipeline import Pipeline
from docgraph.wiring.server_settings import ServeSettings


class NamedPipelines:
    """Those that are shipped, and the operator's own; all are read at the start, once."""

    def __init__(self, settings: ServeSettings) -> None:
        own = {name: Path(file) for name, file in settings.pipelines.items()}
        self._files: Mapping[str, Path] = {**shipped(), **own}
        self._loaded = {name: load(str(path)) for name, path in self._files.items()}
        self._settings = settings

    @property
    def named(self) -> Mapping[str, Pipeline]:
        return self._loaded

    def chosen(
        self,
        asked: str | Mapping[str, Any],
        *,
        top: int | None = None,
        max_tokens: int | None = None,
    ) -> Pipeline:
        """`asked` is a name, or a pipeline as JSON writes it, or `{yaml: its text}`."""
        found = self._named(asked) if isinstance(asked, str) else self._written(asked)
        if top is not None:
            found = found.with_options("search_nodes", top=top)
        if max_tokens is not None:
            found = found.with_options("assemble_context", max_tokens=max_tokens)
        self._check(found)
        return found

    def _named(self, name: str) -> Pipeline:
        if name not in self._loaded:
            raise BadInput(f"no pipeline is called {name!r}; {suggest(name, self._loaded)}")
        return self._loaded[name]

    def _written(self, asked: Mapping[str, Any]) -> Pipeline:
        """JSON is YAML too, so that one loader reads both."""
        text = asked["yaml"] if "yaml" in asked else json.dumps(asked, ensure_ascii=False)
        return load_text(text, self._files)

    def _check(self, pipeline: Pipeline) -> None:
        most = self._settings.steps
        if len(pipeline.steps) > most:
            raise BadPipeline(f"a pipeline takes at most {most} steps, not {len(pipeline.steps)}")
        for step in pipeline.steps:
            for option, limit in (("top", self._settings.top), ("max_tokens", self._max_tokens)):
                value = step.options.get(option)
                if isinstance(value, int) and value > limit:
                    raise BadPipeline(
                        f"{step.action.name}: {option} is {value}; this server takes up to {limit}"
                    )

    @property
    def _max_tokens(self) -> int:
        return self._settings.max_tokens


# What an ingest is told on who may read.


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """`rule` names readers; `narrowed_by` names none, and counts beside whoever does."""

    rule: AccessRule | None = None
    narrowed_by: AccessRule | None = None


def access_options(
    tenant: str, readers: Sequence[str], labels: Sequence[str], level: int
) -> AccessOptions:
    check_names([*readers, *labels])
    rule = AccessRule(tenant, frozenset(readers or [EVERYONE]), frozenset(labels), level)
    if readers:
        return AccessOptions(rule=rule)
    return AccessOptions(narrowed_by=rule) if labels or level else AccessOptions()


# Relations as people name them: which to list, and what to write beside their own.


def relation_filter(relation: str | None) -> frozenset[str] | None:
    """None: every type but `contains`."""
    if relation is None:
        return None
    if relation not in RELATIONS:
        raise BadInput(f"no relation is called {relation!r}; {suggest(relation, RELATIONS)}")
    return frozenset({relation})


def manual_evidence(source: str, note: str) -> tuple[EdgeEvidence, ...]:
    """Why a relation holds, kept as its evidence."""
    return (EdgeEvidence(path_of(source), 1, 0, 0, 0, note),) if note else ()
