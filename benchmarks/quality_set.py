"""The quality of one dataset: every pipeline, then ablations of edges one by one."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.quality_results import MeasuredSet
from benchmarks.quality_store import LoadedStore
from benchmarks.quality_switches import edges_by_origin, switches
from benchmarks.quality_variants import flat, option_variants, planned
from docgraph.evaluation.dataset import list_problems, read_dataset
from docgraph.model.edge import CONTAINS
from docgraph.ports.models import Embedder

CODE_SETS = ("cosqa",)  # code that no suffix tells apart; sets of snapshots are code too


def measure(
    folder: Path, store: Path, embedder: Callable[[], Embedder], limit: int | None = None
) -> MeasuredSet:
    """`store` is reused: what it contains is not embedded again.

    With a limit, the first so many questions are asked, of a store that all of them fill.
    """
    whole = read_dataset(folder)
    for line in list_problems(whole.problems):
        print(f"left out: {line}", file=sys.stderr)
    dataset = replace(whole, questions=whole.questions[:limit])
    localises = (folder / "manifests.jsonl").is_file()
    with tempfile.TemporaryDirectory() as scratch:
        filled = LoadedStore(folder.name, store, dataset, embedder(), Path(scratch))
        plans = planned(code=localises or folder.name in CODE_SETS)
        main = next(iter(plans.values()))
        over, policies = option_variants(main, "over"), option_variants(main, "admit")
        rows = filled.rows({**flat(), **plans, **over, **policies})
        counts = filled.counts()
        relations = Counter[str]()
        for count in counts:
            relations.update({name: edges for name, edges in count.edges if name != CONTAINS})
        return MeasuredSet(
            name=folder.name,
            localises=localises,
            documents=filled.documents(),
            questions=len(dataset.questions),
            left_out=whole.counts.left_out,
            truncated=sum(question.truncated for question in dataset.questions),
            edges=dict(sorted(relations.items())),
            flat=tuple(rows[name] for name in flat()),
            planned=tuple(rows[name] for name in plans),
            over=tuple(filled.with_cost(rows[name], steps) for name, steps in over.items()),
            policies=tuple(rows[name] for name in policies),
            off=filled.without_edges(
                {name: steps for name, steps in plans.items() if steps.name != "strict"},
                switches(edges_by_origin(counts), relations),
            ),
        )
