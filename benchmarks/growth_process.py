"""Questions to one store in a separate process.

Takes lines such as `search 3` or `execute 3` and answers each with the seconds it took; `memory` is
answered with the most megabytes that were ever resident. A plan is made, by `plan 3`, before it is
executed. Arguments: store, questions.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.peak_memory import peak_memory
from benchmarks.questions import engine_for, questions
from docgraph.interfaces.auth.principals import local
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.pipeline.retrieval import SavedPlan


def serve(store: Path, count: int, audit: Path) -> None:
    asked = questions(count)
    engine = engine_for(asked, store, audit)
    whole = load("documents").with_options("search_nodes", mode="hybrid", over="documents")
    seeds = whole.up_to(Seeds)

    @cache
    def plan(number: int) -> SavedPlan:
        return engine.questions.retrieve(
            QuestionRequest(local(), whole, asked[number].text)
        ).to_saved_plan()

    ways: dict[str, Callable[[int], object]] = {
        "search": lambda number: engine.questions.retrieve(
            QuestionRequest(local(), seeds, asked[number].text)
        ),
        "plan": plan,
        "execute": lambda number: engine.questions.execute(local(), plan(number), whole),
    }
    for line in sys.stdin:
        name, *numbers = line.split()
        if name == "memory":
            answer = peak_memory()
        else:
            began = time.perf_counter()
            ways[name](int(numbers[0]))
            answer = time.perf_counter() - began
        print(answer, flush=True)


if __name__ == "__main__":
    store = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(dir=store.parent) as scratch:
        serve(store, int(sys.argv[2]), Path(scratch) / "audit")
