"""What requests may name: pipelines, access options, relations."""

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
from docgraph.pipeline.catalog import FindAction, find_none
from docgraph.pipeline.load import load, load_text, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import OVERRIDES
from docgraph.wiring.server_settings import ServeSettings


class NamedPipelines:
    """The shipped pipelines and the operator's own, read once at the start. A request may name one
    of them or send one; it cannot open a file."""

    def __init__(self, settings: ServeSettings, find_action: FindAction = find_none) -> None:
        own = {name: Path(file) for name, file in settings.pipelines.items()}
        self._files: Mapping[str, Path] = {**shipped_pipelines(), **own}
        self._loaded = {name: load(str(path), find_action) for name, path in self._files.items()}
        self._find_action = find_action
        self._settings = settings

    @property
    def named(self) -> Mapping[str, Pipeline]:
        return self._loaded

    def find(self, pipeline: str | Mapping[str, Any]) -> Pipeline:
        """By its name, or as JSON writes it, or as `{yaml: its text}`."""
        return self._named(pipeline) if isinstance(pipeline, str) else self._written(pipeline)

    def _named(self, name: str) -> Pipeline:
        if name not in self._loaded:
            raise BadInput(f"no pipeline is called {name!r}; {suggest(name, self._loaded)}")
        return self._loaded[name]

    def _written(self, pipeline: Mapping[str, Any]) -> Pipeline:
        """JSON is YAML too, so one loader reads both."""
        text = pipeline["yaml"] if "yaml" in pipeline else json.dumps(pipeline, ensure_ascii=False)
        return load_text(text, self._files, self._find_action)

    def checked(self, pipeline: Pipeline) -> Pipeline:
        """Refused where it is larger than this server takes."""
        self.check_limits([(step.action.name, step.options) for step in pipeline.steps])
        return pipeline

    def check_limits(self, steps: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Of actions with their options, also those that a receipt records."""
        most = self._settings.steps
        if len(steps) > most:
            raise BadPipeline(f"a pipeline takes at most {most} steps, not {len(steps)}")
        for action, options in steps:
            for option in OVERRIDES:
                limit, value = getattr(self._settings, option), options.get(option)
                if isinstance(value, int) and value > limit:
                    raise BadPipeline(
                        f"{action}: {option} is {value}; this server takes up to {limit}"
                    )


# Who may read what is ingested.


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """`rule` names readers; `restriction` names none, and narrows every other rule."""

    rule: AccessRule | None = None
    restriction: AccessRule | None = None


def access_options(
    tenant: str, readers: Sequence[str], labels: Sequence[str], level: int
) -> AccessOptions:
    check_names([*readers, *labels])
    rule = AccessRule(tenant, frozenset(readers or [EVERYONE]), frozenset(labels), level)
    if readers:
        return AccessOptions(rule=rule)
    return AccessOptions(restriction=rule) if labels or level else AccessOptions()


# Relations: which to list, and the evidence of a manual one.


def relation_filter(relation: str | None) -> frozenset[str] | None:
    """None: every type but `contains`."""
    if relation is None:
        return None
    if relation not in RELATIONS:
        raise BadInput(f"no relation is called {relation!r}; {suggest(relation, RELATIONS)}")
    return frozenset({relation})


def manual_evidence(source: str, note: str) -> tuple[EdgeEvidence, ...]:
    """A note on why a relation holds, stored as its evidence."""
    return (EdgeEvidence(path_of(source), 1, 0, 0, 0, note),) if note else ()
