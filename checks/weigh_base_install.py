"""How many packages a plain `pip install docgraph` brings, and how many megabytes they take.

Without bytecode: pip writes it for every module unless it is asked not to, and `make` asks.
Arguments are extras: for each it also prints what `pip install docgraph[extra]` adds.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MOST_PACKAGES = 45
MOST_MEGABYTES = 310  # 350 with the bytecode of all modules
SOURCES = Path(__file__).parent.parent / "src"

Find = Callable[[str], Distribution]


@dataclass(frozen=True, slots=True)
class Weight:
    package: str
    megabytes: float


def dependencies_of(name: str, find: Find = Distribution.from_name) -> dict[str, Distribution]:
    """The distribution and all that it needs here, directly and indirectly; extras as asked."""
    found: dict[str, Distribution] = {}
    seen: set[Requirement] = set()
    waiting = [Requirement(name)]
    while waiting:
        requirement = waiting.pop()
        if requirement in seen:
            continue
        seen.add(requirement)
        distribution = found.setdefault(canonicalize_name(requirement.name), find(requirement.name))
        waiting.extend(
            dependency
            for dependency in map(Requirement, distribution.requires or ())
            if applies(dependency, requirement.extras)
        )
    return found


def applies(dependency: Requirement, extras: Iterable[str]) -> bool:
    marker = dependency.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def megabytes(files: Iterable[Path]) -> float:
    return (
        sum(file.stat().st_size for file in files if file.suffix != ".pyc" and file.is_file()) / 1e6
    )


def weigh(distribution: Distribution) -> float:
    return megabytes(Path(str(file.locate())) for file in distribution.files or ())


def judge_install(weights: Sequence[Weight]) -> tuple[str, bool]:
    """A sentence, and whether the install is light enough."""
    total = sum(weight.megabytes for weight in weights)
    heaviest = sorted(weights, key=lambda weight: (-weight.megabytes, weight.package))[:5]
    sentence = (
        f"base install: {len(weights)} packages (at most {MOST_PACKAGES}), "
        f"{total:.0f} MB (at most {MOST_MEGABYTES}); heaviest: "
        + ", ".join(f"{weight.package} {weight.megabytes:.0f}" for weight in heaviest)
    )
    return sentence, len(weights) <= MOST_PACKAGES and total <= MOST_MEGABYTES


def describe_extra(name: str, extra: str, find: Find = Distribution.from_name) -> str:
    base, whole = dependencies_of(name, find), dependencies_of(f"{name}[{extra}]", find)
    more = [weigh(whole[one]) for one in whole if one not in base]
    return f"{extra}: {len(more)} more packages, {sum(more):.0f} MB"


def main() -> int:
    packages = dependencies_of("docgraph")
    # An editable install lists no modules of its own, so they are weighed where they lie.
    own = Weight("docgraph", megabytes(SOURCES.rglob("*")))
    others = [Weight(name, weigh(packages[name])) for name in packages if name != own.package]
    sentence, light = judge_install([own, *others])
    print(sentence, *(describe_extra(own.package, extra) for extra in sys.argv[1:]), sep="\n")
    return 0 if light else 1


if __name__ == "__main__":
    sys.exit(main())
