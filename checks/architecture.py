"""Measures the code base and compares it with the limits in `architecture.toml`.

A row per measure: its value and its limit, if it has one. A value above its limit fails.
`--show MEASURE` prints what was counted. How each is counted stands in the module that counts it.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checks.dialect import count_dialect, read_entries, sum_counts
from checks.entered_files import profile_question
from checks.import_cycles import find_import_cycles
from checks.option_spread import find_option_files
from checks.pass_through import measure_pass_through
from checks.repeated_lines import find_repeated_runs
from checks.source_files import (
    SourceFile,
    compute_median,
    compute_percentile,
    find_duplicate_classes,
    read_files,
)

ROOT = Path(__file__).parent.parent
LIMITS = Path(__file__).with_suffix(".toml")
DIALECT = Path(__file__).with_name("dialect.txt")
PACKAGE = "docgraph"
OPTION = "max_tokens"
# Each framework's integration names its class like the framework's own.
SAME_NAME = frozenset({"DocgraphRetriever"})


@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    value: float
    items: tuple[str, ...] = ()
    note: str = ""


def measure(root: Path) -> Iterator[Measure]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    package = root / "src" / PACKAGE
    yield from measure_sizes(read_files(package, ".py"))
    yield count_items(
        "entered_files", profile_question(package, project["project"]["scripts"][PACKAGE])
    )
    yield from measure_sources(read_files(package, ".py", ".sql"))
    yield measure_dialect(root)
    yield count_items("import_cycles", (" ".join(cycle) for cycle in find_import_cycles(package)))
    contracts = project["tool"]["importlinter"]["contracts"]
    yield count_items("contracts", (contract["name"] for contract in contracts))


def measure_sizes(modules: Sequence[SourceFile]) -> Iterator[Measure]:
    own = [file for file in modules if not file.is_testing]
    lengths = [f"{file.length} {file.path}" for file in sorted(own, key=lambda f: -f.length)]
    yield count_items("modules", (file.path for file in own))
    yield count_items("testing_modules", (file.path for file in modules if file.is_testing))
    yield Measure("lines", sum(file.length for file in own))
    yield Measure("median_length", compute_median(own))
    yield Measure("p95_length", compute_percentile(own, 95), tuple(lengths))


def measure_sources(files: Sequence[SourceFile]) -> Iterator[Measure]:
    modules = [file for file in files if file.path.suffix == ".py"]
    share = measure_pass_through(modules)
    yield Measure("pass_through_percent", share.percent, share.pass_through)
    yield count_items("option_files", find_option_files(modules, OPTION))
    classes = find_duplicate_classes(modules, SAME_NAME)
    yield count_items(
        "duplicate_classes", (f"{name}: {', '.join(p)}" for name, p in classes.items())
    )
    yield count_items("repeated_runs", find_repeated_runs(files))


def measure_dialect(root: Path) -> Measure:
    """Its items are the words, the most frequent first, then the words of each file."""
    by_file = count_dialect(root, read_entries(DIALECT.read_text(encoding="utf-8")))
    words = sum_counts(by_file)
    files = (f"{path}: {_list_counts(count.most_common())}" for path, count in by_file.items())
    return Measure(
        "dialect_words",
        words.total(),
        (*(f"{word} {times}" for word, times in words.most_common()), *files),
        f"most frequent dialect words: {_list_counts(words.most_common(10)) or 'none'}",
    )


def _list_counts(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{word} {times}" for word, times in counts)


def count_items(name: str, items: Iterable[object]) -> Measure:
    texts = tuple(str(item) for item in items)
    return Measure(name, len(texts), texts)


def format_table(measures: Sequence[Measure], limits: Mapping[str, float]) -> Iterator[str]:
    yield f"{'measure':22}{'value':>8}{'limit':>8}"
    for one in measures:
        yield f"{one.name:22}{one.value:>8}{limits.get(one.name, '-'):>8}"


def find_exceeded(measures: Sequence[Measure], limits: Mapping[str, float]) -> Iterator[str]:
    names = {one.name for one in measures}
    for name in sorted(limits.keys() - names):
        yield f"nothing is measured as {name}; there is {', '.join(sorted(names))}"
    for one in measures:
        limit = limits.get(one.name)
        if limit is not None and one.value > limit:
            yield (
                f"{one.name} is {one.value}, and at most {limit} is allowed; "
                f"python -m checks.architecture --show {one.name} lists what was counted"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="MEASURE", help="list what this measure counted")
    options = parser.parse_args(arguments)
    measures = {one.name: one for one in measure(ROOT)}
    if options.show:
        if options.show not in measures:
            parser.error(f"there is no measure {options.show}: {', '.join(measures)}")
        print("\n".join(measures[options.show].items))
        return 0
    limits: dict[str, float] = tomllib.loads(LIMITS.read_text(encoding="utf-8"))
    print("\n".join(format_table(tuple(measures.values()), limits)))
    print("\n".join(one.note for one in measures.values() if one.note))
    exceeded = tuple(find_exceeded(tuple(measures.values()), limits))
    for complaint in exceeded:
        print(f"{LIMITS.name}: {complaint}", file=sys.stderr)
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
