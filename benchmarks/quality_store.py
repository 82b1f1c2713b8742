"""A store with one dataset, and the results of its questions."""

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.quality_engine import CachedQuestionEmbedder, services_on
from benchmarks.quality_memory import peak
from benchmarks.quality_results import Row, SwitchedOff
from benchmarks.quality_switches import IMPORTED, Switch
from benchmarks.quality_variants import followed_relations
from benchmarks.services import Services
from docgraph.evaluation.ablation import AblatedStore
from docgraph.evaluation.dataset import Dataset, load_dataset
from docgraph.evaluation.metrics import Outcome
from docgraph.evaluation.run import rank_documents, run_queries
from docgraph.evaluation.statistics import COSTS, per_question
from docgraph.ingest.progress import Progress, ProgressEvent
from docgraph.interfaces.auth.principals import local
from docgraph.model.edge import RelationCounts
from docgraph.model.node import ROOT_KINDS
from docgraph.model.snapshot import SnapshotSelector
from docgraph.pipeline.pipeline import Pipeline
from docgraph.ports.models import Embedder
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings

BASE = "flat hybrid"
PROGRESS_SECONDS = 30.0  # seconds


class LoadedStore:
    """Reused: a miner is switched off by an ingest, and on by the next."""

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
        self._began = self._reported = time.perf_counter()
        self.print_message(f"embedding {len(dataset.questions)} questions")
        texts = list(dict.fromkeys(question.text for question in dataset.questions))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        self._embedder = CachedQuestionEmbedder(embedder.identity, vectors, embedder.embed)
        self._store = open_stores(Settings(store=str(store))).store
        self._services = self._services_without(frozenset())
        self.print_message("filling the store")
        self.refill()

    def print_message(self, words: str) -> None:
        print(f"{self._name} {time.perf_counter() - self._began:6.0f} s  {words}", file=sys.stderr)

    def report_progress(self, now: ProgressEvent) -> None:
        """Reports long work twice a minute."""
        due = time.perf_counter() - self._reported > PROGRESS_SECONDS
        if due and isinstance(now, Progress):
            self._reported = time.perf_counter()
            self.print_message(f"{now.phase} {now.done} of {now.total}")

    def refill(self, without: Sequence[str] = (), *, given: bool = True) -> None:
        """The newest snapshots hold what these miners find."""
        load_dataset(
            self._services.content,
            self._dataset,
            local,
            self.report_progress,
            without=without,
            with_edges=given,
        )

    def restore(self) -> None:
        """Restores the edges of every miner and removes older snapshots."""
        self.refill()
        for collection in self._dataset.collections:
            self._store.prune(local().tenant, collection.repository, collection.branch, keep=1)

    def rows(self, pipelines: Mapping[str, Pipeline]) -> dict[str, Row]:
        """Equal pipelines are run once, and their result is in every row."""
        once = {pipeline.digest: name for name, pipeline in reversed(list(pipelines.items()))}
        distinct = {n: p for n, p in pipelines.items() if once[p.digest] == n}
        self.print_message(f"asking {len(distinct)} pipelines in turns")
        found = run_queries(
            self._services.questions, self._dataset, distinct, local, self.report_progress
        )
        base = [outcome.milliseconds for outcome in found[BASE]]
        return {
            name: _row(name, found[once[pipeline.digest]], base)
            for name, pipeline in pipelines.items()
        }

    def with_cost(self, row: Row, pipeline: Pipeline) -> Row:
        """With the memory of a process that asks by a shipped pipeline, but for its `over`."""
        (over,) = (step.options["over"] for step in pipeline.steps if step.action.option("over"))
        self.print_message(f"weighing over: {over}")
        asked = (self._path, self._dataset, self._embedder)
        return replace(row, megabytes=peak(*asked, pipeline.name, over, self._scratch))

    def without_edges(
        self, plans: Mapping[str, Pipeline], off: tuple[Switch, ...]
    ) -> tuple[SwitchedOff, ...]:
        """Relations are held out while asking; a miner is left out of another ingest.

        The set is then as if it had never run; nothing is embedded again for that.
        """
        found: dict[tuple[str, str], SwitchedOff] = {}
        for switch in sorted(off, key=lambda one: one.miner is not None):
            text = {
                n: p
                for n, p in plans.items()
                if not followed_relations(p).isdisjoint(switch.touches)
            }
            if not text:
                continue
            if switch.miner is None:
                self._services = self._services_without(switch.touches)
            else:
                self._services = self._services_without(frozenset())
                given = switch.miner != IMPORTED
                self.refill((switch.miner,) if given else (), given=given)
            for name, pipeline in text.items():
                self.print_message(f"{name} without {switch.name}")
                found[name, switch.name] = SwitchedOff(name, switch, self._rank(pipeline))
        if any(switch.miner for switch in off):
            self.print_message("restoring the store")
            self.restore()
        return tuple(found[n, s.name] for n in plans for s in off if (n, s.name) in found)

    def counts(self) -> list[RelationCounts]:
        """Of all edges except held-out pairs."""
        self.print_message("counting edges")
        everyone = local(self._dataset.sources)
        return [
            self._services.content.relation_counts(everyone, where) for where in self._selectors()
        ]

    def documents(self) -> int:
        """In all snapshots together."""
        everyone = local(self._dataset.sources)
        counts = [
            self._services.content.status(everyone, where).counts for where in self._selectors()
        ]
        return sum(count.get(f"nodes.{kind}", 0) for count in counts for kind in ROOT_KINDS)

    def _selectors(self) -> list[tuple[SnapshotSelector, ...]]:
        return [(SnapshotSelector(c.repository, c.branch),) for c in self._dataset.collections]

    def _services_without(self, relations: frozenset[str]) -> Services:
        """The services on this store without edges of these relations."""
        store = AblatedStore(self._store, self._dataset.held_out, relations)
        return services_on(store, self._embedder, self._scratch / "store")

    def _rank(self, pipeline: Pipeline) -> dict[str, list[float]]:
        rankings = rank_documents(
            self._services.questions, self._dataset, pipeline, local, self.report_progress, ""
        )
        outcomes = [
            Outcome(ranking, question.grades, documents=0, tokens=0, milliseconds=0.0)
            for ranking, question in zip(rankings, self._dataset.questions, strict=True)
        ]
        return {n: v for n, v in per_question(outcomes).items() if n not in COSTS}


def _row(name: str, outcomes: Sequence[Outcome], base: Sequence[float]) -> Row:
    shares = [found.milliseconds / other for found, other in zip(outcomes, base, strict=True)]
    return Row(name, per_question(outcomes), statistics.median(shares))
