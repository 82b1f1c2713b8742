"""One run of everything as a process of its own: prints every id, edge, plan and context.

Arguments: folder, store, order of the files (forwards or backwards).
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.digest import plain
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.wiring.build import build_engine, open_folder
from docgraph.wiring.settings import Settings

QUESTION = "How does the pump of engine.py draw fuel, and what superseded ADR-1?"


class Backwards:
    """The same files, listed in the opposite order."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def files(self) -> Iterator[SourceFile | SourceProblem]:
        yield from reversed(list(self._source.files()))

    def read(self, file: SourceFile) -> bytes | SourceProblem:
        return self._source.read(file)


def main(folder: str, store: str, order: str) -> None:
    source = open_folder(Path(folder), 1_000_000)
    engine = build_engine(Settings(store=store))
    engine.content.ingest(
        local(),
        source if order == "forwards" else Backwards(source),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    walked = [
        engine.questions.retrieve(QuestionRequest(local(), load(name), QUESTION))
        for name in ("documents", "code")
    ]
    found = {
        "relations": plain(engine.content.relations(local())),
        "status": plain(engine.content.status(local())),
        "plans": [walk.to_saved_plan().to_json() for walk in walked],
        "contexts": [plain(walk.context) for walk in walked],
    }
    sys.stdout.write(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
