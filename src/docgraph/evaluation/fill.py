"""Filling a store with what a judged set holds."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from docgraph.engine import Engine
from docgraph.evaluation.dataset import Dataset
from docgraph.ingest.result import Progress
from docgraph.model.access import LOCAL, AccessRule, Principal

Report = Callable[[Progress], None]
Login = Callable[[frozenset[str]], Principal]


def fill(
    engine: Engine,
    dataset: Dataset,
    login: Login,
    progress: Report,
    *,
    without: Sequence[str] = (),
    given: bool = True,
) -> None:
    """A document that a question was taken out of carries a label that its asker lacks.

    `without` names miners to switch off, `given` tells whether the set's own edges are taken in.
    """

    def rule_for(path: str) -> AccessRule:
        labels = frozenset({path}) & dataset.sources
        return AccessRule(LOCAL, frozenset({LOCAL}), labels)

    for number, collection in enumerate(dataset.collections, start=1):
        engine.ingest(
            login(frozenset()),
            collection.source,
            repository=collection.repository,
            branch=collection.branch,
            rule_for=rule_for,
            without=without,
            given=collection.given if given else (),
            progress=partial(_tell, progress, f"ingest {number}/{len(dataset.collections)}"),
        )


def _tell(progress: Report, name: str, now: Progress) -> None:
    progress(replace(now, stage=f"{name} {now.stage}"))
