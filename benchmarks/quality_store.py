"""A store that one judged set fills, and what its questions find there."""

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.quality_engine import KnownQuestions, services_on
from benchmarks.quality_measured import Off, Row
from benchmarks.quality_memory import peak
from benchmarks.quality_switches import GIVEN, Switch
from benchmarks.quality_variants import followed
from benchmarks.services import Services
from docgraph.evaluation.ablation import AblatedStore
from docgraph.evaluation.dataset import Dataset, load_dataset
from docgraph.evaluation.metrics import Outcome
from docgraph.evaluation.run import rank_documents, run_queries
from docgraph.evaluation.statistics import COSTS, per_question
from docgraph.ingest.result import Progress
from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import RelationCounts
from docgraph.model.node import ROOT_KINDS
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.pipeline import Pipeline
from docgraph.ports.models import Embedder
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings

BASE = "flat hybrid"
OFTEN = 30.0  # seconds


class FilledStore:
    """One set's, that stays: a miner is switched off in it by an ingest, and on by the next."""

    def __init__(
        self,
        name: str,
        store: Path,
        dataset: Dataset,
        embedder: Embedder,
        scratch: Path,
    ) -> None:
        self._name = name
        self._path = store
        self._dataset = dataset
        self._scratch = scratch
        self._began = self._told = time.perf_counter()
        self.say(f"embedding {len(dataset.questions)} questions")
        texts = list(dict.fromkeys(question.text for question in dataset.questions))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        self._embedder = KnownQuestions(embedder.identity, vectors, embedder.embed)
        self._store = open_stores(Settings(store=str(store))).store
        self._services = self._without(frozenset())
        self.say("filling the store")
        self.refill()

    def say(self, words: str) -> None:
        print(f"{self._name} {time.perf_counter() - self._began:6.0f} s  {words}", file=sys.stderr)

    def tell(self, now: Progress) -> None:
        """Long work is told of twice a minute."""
        if time.perf_counter() - self._told > OFTEN:
            self._told = time.perf_counter()
            self.say(f"{now.stage} {now.done} of {now.total}")

    def refill(self, without: Sequence[str] = (), *, given: bool = True) -> None:
        """The newest snapshots hold what these miners find."""
        load_dataset(
            self._services.content,
            self._dataset,
            local,
            self.tell,
            without=without,
            with_edges=given,
        )

    def restore(self) -> None:
        """As it was: every miner's edges, and no older snapshot."""
        self.refill()
        for place in self._dataset.collections:
            self._store.prune(local().tenant, place.repository, place.branch, keep=1)

    def rows(self, pipelines: Mapping[str, Pipeline]) -> dict[str, Row]:
        """Pipelines that come to the same are asked once, and stand in every row they have."""
        once = {pipeline.digest: name for name, pipeline in reversed(list(pipelines.items()))}
        distinct = {n: p for n, p in pipelines.items() if once[p.digest] == n}
        self.say(f"asking {len(distinct)} pipelines in turns")
        found = run_queries(self._services.questions, self._dataset, distinct, local, self.tell)
        base = [outcome.milliseconds for outcome in found[BASE]]
        return {
            name: _row(name, found[once[pipeline.digest]], base)
            for name, pipeline in pipelines.items()
        }

    def weighed(self, row: Row, pipeline: Pipeline) -> Row:
        """With the memory of a process that asks by a shipped pipeline, but for its `over`."""
        (over,) = (step.options["over"] for step in pipeline.steps if step.action.option("over"))
        self.say(f"weighing over: {over}")
        asked = (self._path, self._dataset, self._embedder)
        return replace(row, megabytes=peak(*asked, pipeline.name, over, self._scratch))

    def switched_off(
        self, plans: Mapping[str, Pipeline], off: tuple[Switch, ...]
    ) -> tuple[Off, ...]:
        """Relations are held out while asking; a miner is left out of another ingest.

        The set is then as if it had never run; nothing is embedded again for that.
        """
        found: dict[tuple[str, str], Off] = {}
        for switch in sorted(off, key=lambda one: one.miner is not None):
            told = {n: p for n, p in plans.items() if not followed(p).isdisjoint(switch.touches)}
            if not told:
                continue
            if switch.miner is None:
                self._services = self._without(switch.touches)
            else:
                self._services = self._without(frozenset())
                given = switch.miner != GIVEN
                self.refill((switch.miner,) if given else (), given=given)
            for name, pipeline in told.items():
                self.say(f"{name} without {switch.name}")
                found[name, switch.name] = Off(name, switch, self._ranked(pipeline))
        if any(switch.miner for switch in off):
            self.say("restoring the store")
            self.restore()
        return tuple(found[n, s.name] for n in plans for s in off if (n, s.name) in found)

    def counts(self) -> list[RelationCounts]:
        """Of all that is there, but for held-out pairs."""
        self.say("counting edges")
        everyone = local(self._dataset.sources)
        return [self._services.content.relation_counts(everyone, where) for where in self._places()]

    def documents(self) -> int:
        """In all snapshots together."""
        everyone = local(self._dataset.sources)
        counts = [self._services.content.status(everyone, where).counts for where in self._places()]
        return sum(count.get(f"nodes.{kind}", 0) for count in counts for kind in ROOT_KINDS)

    def _places(self) -> list[tuple[SnapshotSelector, ...]]:
        return [(SnapshotSelector(c.repository, c.branch),) for c in self._dataset.collections]

    def _without(self, relations: frozenset[str]) -> Services:
        """The services on this store without edges of these relations."""
        store = AblatedStore(self._store, self._dataset.held_out, relations)
        return services_on(store, self._embedder, self._scratch / "store")

    def _ranked(self, pipeline: Pipeline) -> dict[str, list[float]]:
        rankings = rank_documents(
            self._services.questions, self._dataset, pipeline, local, self.tell, ""
        )
        outcomes = [
            Outcome(ranking, question.grades, documents=0, tokens=0, milliseconds=0.0)
            for ranking, question in zip(rankings, self._dataset.questions, strict=True)
        ]
        return {n: v for n, v in per_question(outcomes).items() if n not in COSTS}


def _row(name: str, outcomes: Sequence[Outcome], base: Sequence[float]) -> Row:
    shares = [found.milliseconds / other for found, other in zip(outcomes, base, strict=True)]
    return Row(name, per_question(outcomes), statistics.median(shares))
