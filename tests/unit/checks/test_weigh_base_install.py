"""The base install is measured by the dependencies of docgraph, not by the installed packages."""

from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from checks.weigh_base_install import Weight, dependencies_of, describe_extra, judge_install, weigh


class Site:
    """A site-packages folder of invented distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, *requires: str, content: bytes = b"") -> None:
        info = self.folder / f"{name}-1.0.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0"]
        lines += [f"Requires-Dist: {requirement}" for requirement in requires]
        (info / "METADATA").write_text("\n".join(lines), encoding="utf-8")
        (self.folder / f"{name}.py").write_bytes(content)
        (info / "RECORD").write_text(f"{name}.py,,\n{name}.gone,,\n", encoding="utf-8")

    def find(self, name: str) -> Distribution:
        return PathDistribution(self.folder / f"{name}-1.0.dist-info")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_indirect_dependencies_count_and_a_cycle_ends(site: Site) -> None:
    site.add("root", "left", "right>=1")
    site.add("left", "Shared")
    site.add("right", "Shared")
    site.add("Shared", "root")
    assert sorted(dependencies_of("root", site.find)) == ["left", "right", "root", "shared"]


def test_dependencies_of_other_platforms_do_not_count(site: Site) -> None:
    site.add("root", "absent; sys_platform == 'nowhere'")
    assert list(dependencies_of("root", site.find)) == ["root"]


def test_an_extra_counts_only_if_it_is_requested(site: Site) -> None:
    site.add("root", "server[fast]", "absent; extra == 'all'")
    site.add("server", "engine; extra == 'fast'", "absent; extra == 'slow'")
    site.add("engine")
    assert sorted(dependencies_of("root", site.find)) == ["engine", "root", "server"]


def test_an_extra_is_described_by_what_it_adds(site: Site) -> None:
    site.add("root", "left", "left; extra == 'more'", "right; extra == 'more'")
    site.add("left", content=b"x" * 9_000_000)
    site.add("right", content=b"x" * 2_000_000)
    assert describe_extra("root", "more", site.find) == "more: 1 more packages, 2 MB"


def test_the_size_of_a_package_is_that_of_its_files(site: Site) -> None:
    site.add("root", content=b"x" * 2_500_000)
    assert weigh(site.find("root")) == 2.5


def test_bytecode_does_not_count(site: Site) -> None:
    site.add("root", content=b"x" * 2_500_000)
    (site.folder / "root.pyc").write_bytes(b"x" * 1_000_000)
    (site.folder / "root-1.0.dist-info" / "RECORD").write_text("root.py,,\nroot.pyc,,\n")
    assert weigh(site.find("root")) == 2.5


def test_an_install_is_light_up_to_both_limits() -> None:
    light = [Weight(f"package-{number}", 1.0) for number in range(45)]
    sentence, is_light = judge_install(light)
    assert is_light
    assert sentence.startswith("base install: 45 packages (at most 45), 45 MB (at most 310)")


@pytest.mark.parametrize(
    "weights",
    [
        pytest.param([Weight(f"package-{n}", 1.0) for n in range(46)], id="too many"),
        pytest.param([Weight("one", 311.0)], id="too heavy"),
    ],
)
def test_an_install_beyond_a_limit_is_not_light(weights: list[Weight]) -> None:
    assert not judge_install(weights)[1]
