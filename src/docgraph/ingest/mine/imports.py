"""Imports: a Python module `imports` the modules and symbols that its statements name."""

import sys
from collections.abc import Iterator

from docgraph.ingest.mine.claims import Claim, Finding, Unresolved, claim
from docgraph.ingest.mine.corpus import Corpus, Sketch
from docgraph.ingest.mine.modules import Modules
from docgraph.ingest.parsed import Reference
from docgraph.model.identity import document_of, symbol_id

_SUBMODULE = 2  # what a module defines comes before a file of that name beside it


def imports(corpus: Corpus) -> Iterator[Finding]:
    """Every candidate is claimed. The standard library is elsewhere and not unresolved."""
    modules = Modules(corpus)
    for sketch in corpus.sketches:
        known: set[str] = set()
        missing: list[Reference] = []
        for reference in sketch.references:
            if reference.style not in {"import", "import-name"}:
                continue
            module = reference.target.partition(":")[0]
            found = list(_found(modules, sketch, reference))
            yield from (c for c in found if document_of(c.edge.target) != sketch.id)
            if found:
                known.add(module)
            elif reference.style == "import":
                missing.append(reference)
        for reference in missing:
            if reference.target not in known and not _standard(reference.target):
                yield Unresolved(sketch.path, reference.line, f"import {reference.target}")


def _found(modules: Modules, sketch: Sketch, reference: Reference) -> Iterator[Claim]:
    module, _, name = reference.target.partition(":")
    if reference.style == "import":
        for target, rank in modules.named(sketch, module):
            yield _claim(sketch, target.id, reference, rank)
        return
    for target, rank in modules.named(sketch, module):
        symbol = symbol_id(target.id, name)
        if symbol in target.nodes:
            yield _claim(sketch, symbol, reference, rank)
    for target, rank in modules.inside(sketch, module, name):
        yield _claim(sketch, target.id, reference, rank + _SUBMODULE)


def _standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _claim(sketch: Sketch, target: str, reference: Reference, rank: int) -> Claim:
    return claim(sketch, "imports", target, reference, rank=rank, says=reference.target)
