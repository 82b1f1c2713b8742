"""The memory that questions take: runs some in a separate process and prints its peak in MB.

Arguments: a store, a shipped pipeline, what it searches over, a file of questions.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.quality_engine import CachedQuestionEmbedder, services_on
from docgraph.evaluation.dataset import Dataset
from docgraph.evaluation.run import reader_for
from docgraph.interfaces.auth.principals import local
from docgraph.model.question import EmbedderIdentity
from docgraph.model.snapshot import SnapshotSelector
from docgraph.model.vector import IntVector
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.models import Embedder
from docgraph.wiring.backends import open_stores
from docgraph.wiring.settings import Settings

QUESTIONS = 20


def peak(
    store: Path, dataset: Dataset, embedder: Embedder, pipeline: str, over: str, scratch: Path
) -> float:
    """In megabytes, of a process that asks the first questions and embeds none of them."""
    first = dataset.questions[:QUESTIONS]
    vectors = embedder.embed([question.text for question in first])
    text = {
        "identity": asdict(embedder.identity),
        "questions": [
            {
                "text": question.text,
                "vector": [int(value) for value in vector],
                "where": [question.repository, question.branch],
                "labels": sorted(reader_for(question, dataset, local).labels),
            }
            for question, vector in zip(first, vectors, strict=True)
        ],
    }
    file = scratch / "questions.json"
    file.write_text(json.dumps(text), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.quality_memory"]
    done = subprocess.run(
        [*command, str(store), pipeline, over, str(file)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stdout)


def measure_peak(store: Path, pipeline: str, over: str, options: Mapping[str, Any]) -> float:
    vectors = {q["text"]: np.array(q["vector"], dtype=np.int16) for q in options["questions"]}
    embedder = CachedQuestionEmbedder(EmbedderIdentity(**options["identity"]), vectors, _unknown)
    steps = load(pipeline).with_options("search_nodes", over=over)
    with tempfile.TemporaryDirectory() as scratch:
        opened = open_stores(Settings(store=str(store))).store
        questions = services_on(opened, embedder, Path(scratch) / "store").questions
        for question in options["questions"]:
            asker = local(frozenset(question["labels"]))
            questions.retrieve(
                QuestionRequest(
                    asker, steps, question["text"], scope=(SnapshotSelector(*question["where"]),)
                )
            )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _unknown(texts: Sequence[str]) -> list[IntVector]:
    raise LookupError(f"no vector was handed over for {texts[0]!r}")


if __name__ == "__main__":
    store, pipeline, over, file = sys.argv[1:]
    print(
        measure_peak(
            Path(store), pipeline, over, json.loads(Path(file).read_text(encoding="utf-8"))
        )
    )
