"""Prints every line of docs/requirements.md with the passing tests that cover it."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs" / "requirements.md"
SECTION = re.compile(r"## (?P<title>.+)")
LINE = re.compile(r"\| *(?P<number>\d+) *\| *(?P<status>\w+) *\|[^|]*\| *(?P<promise>.+?) *\|$")
STATUSES = ("done", "open")


@dataclass(frozen=True, slots=True)
class Requirement:
    number: int
    section: str
    status: str
    promise: str


@dataclass(frozen=True, slots=True)
class MarkedTest:
    """A test with all its cases; it passed when each of them did."""

    name: str
    requirements: frozenset[object]
    cases: int
    passed: bool


def read_requirements(document: str) -> tuple[Requirement, ...]:
    found: list[Requirement] = []
    section = ""
    for line in document.splitlines():
        if heading := SECTION.fullmatch(line):
            section = heading["title"]
        elif row := LINE.fullmatch(line):
            found.append(Requirement(int(row["number"]), section, row["status"], row["promise"]))
    return tuple(found)


def read_tests(results: str) -> tuple[MarkedTest, ...]:
    cases: dict[str, list[tuple[frozenset[object], bool]]] = {}
    for row in json.loads(results):
        name = row["test"].partition("[")[0]
        cases.setdefault(name, []).append((frozenset(row["requirements"]), row["passed"]))
    return tuple(
        MarkedTest(
            name,
            frozenset[object]().union(*(numbers for numbers, _ in outcomes)),
            len(outcomes),
            all(passed for _, passed in outcomes),
        )
        for name, outcomes in sorted(cases.items())
    )


def passing_tests(requirement: Requirement, tests: Sequence[MarkedTest]) -> tuple[MarkedTest, ...]:
    """The passing tests that carry the requirement's number."""
    return tuple(t for t in tests if t.passed and requirement.number in t.requirements)


def find_problems(
    requirements: Sequence[Requirement], tests: Sequence[MarkedTest]
) -> Iterator[str]:
    known = [requirement.number for requirement in requirements]
    if known != list(range(1, len(known) + 1)) or not known:
        yield f"the lines are numbered {known}: they must count up from 1"
    for requirement in requirements:
        if requirement.status not in STATUSES:
            yield (
                f"line {requirement.number} has the status '{requirement.status}': "
                f"it is either {' or '.join(STATUSES)}"
            )
        if requirement.status == "done" and not passing_tests(requirement, tests):
            yield (
                f"line {requirement.number} is marked done and no passing test keeps it: "
                f"mark one with @pytest.mark.requirement({requirement.number})"
            )
    for test in tests:
        for number in sorted(test.requirements - set(known), key=repr):
            yield f"{test.name} carries requirement({number!r}): there is 1 to {len(known)}"


def table(requirements: Sequence[Requirement], tests: Sequence[MarkedTest]) -> Iterator[str]:
    section = ""
    for requirement in requirements:
        if requirement.section != section:
            section = requirement.section
            yield f"\n{section}"
        yield f"{requirement.number:>3} {requirement.status}  {requirement.promise}"
        for test in passing_tests(requirement, tests):
            yield f"      ✓ {test.name}" + (f" ({test.cases} cases)" if test.cases > 1 else "")
    yield ""


def summary(requirements: Sequence[Requirement], tests: Sequence[MarkedTest]) -> str:
    done = sum(requirement.status == "done" for requirement in requirements)
    bare = [str(r.number) for r in requirements if not passing_tests(r, tests)]
    return (
        f"{len(requirements)} requirements: {done} done, "
        f"{len(requirements) - len(bare)} with passing tests, "
        f"{len(bare)} without" + (f": {', '.join(bare)}" if bare else "")
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="what pytest --requirements has written")
    parser.add_argument("--document", type=Path, default=DOCUMENT)
    parser.add_argument("--brief", action="store_true", help="only the sums")
    options = parser.parse_args(arguments)

    requirements = read_requirements(options.document.read_text(encoding="utf-8"))
    tests = read_tests(options.results.read_text(encoding="utf-8"))
    if not options.brief:
        print("\n".join(table(requirements, tests)))
    print(summary(requirements, tests))
    wrong = tuple(find_problems(requirements, tests))
    for complaint in wrong:
        print(f"{options.document.name}: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
