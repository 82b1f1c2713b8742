"""A listing of a git tree is read in time that grows with it, and ends at a limit."""

from collections.abc import Callable
from functools import cache
from math import isqrt
from pathlib import Path

import pytest

from docgraph.adapters.sources import git as git_source
from docgraph.adapters.sources.git import GitSource, list_files
from docgraph.adapters.sources.git_process import Git
from docgraph.model.errors import BadInput
from tests.support.git_repository import GitRepository
from tests.support.growth import growth_or_memory_problem

MAX_DEPTH = 1_500  # git refuses trees that are much deeper


class Trees:
    """Trees of a real repository, as an object names them: a work tree could not hold them."""

    def __init__(self, folder: Path) -> None:
        self.repository = GitRepository(folder)
        self.git = Git(folder)
        self.blob = self.repository.git("hash-object", "-w", "--stdin", input=b"text")

    def make(self, *entries: str) -> str:
        return self.repository.git("mktree", "-z", input="".join(entries).encode())

    def file(self, name: str) -> str:
        return f"100644 blob {self.blob}\t{name}\0"

    def wide(self, size: int) -> str:
        return self.make(*(self.file(f"{number}.md") for number in range(size)))

    def folders(self, size: int) -> str:
        inner = self.make(self.file("a.md"))
        return self.make(*(f"040000 tree {inner}\t{number}\0" for number in range(size)))

    def deep(self, size: int) -> str:
        """A file at each level: the listing grows with the square of the depth."""
        tree = self.make(self.file("a.md"))
        for _ in range(min(isqrt(size), MAX_DEPTH)):
            tree = self.make(self.file("a.md"), f"040000 tree {tree}\tb\0")
        return tree

    def long_name(self, size: int) -> str:
        return self.make(self.file("a" * size * 100))

    def doubled(self, levels: int) -> str:
        """Two folders with the same content at each level: few bytes, and 2 ** levels files."""
        tree = self.make(self.file("a.md"))
        for _ in range(levels):
            tree = self.make(f"040000 tree {tree}\ta\0", f"040000 tree {tree}\tb\0")
        return tree


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    return Trees(tmp_path_factory.mktemp("git"))


@pytest.mark.requirement(74)
@pytest.mark.parametrize(
    ("shape", "size"),
    [(Trees.wide, 1_000), (Trees.folders, 500), (Trees.deep, 40_000), (Trees.long_name, 1_000)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_listing_is_read_in_time_that_grows_with_it(
    trees: Trees, shape: Callable[[Trees, int], str], size: int
) -> None:
    made = cache(lambda many: shape(trees, many))

    def work(many: int) -> Callable[[], object]:
        tree = made(many)
        return lambda: sum(1 for _ in list_files(trees.git, tree))

    assert not growth_or_memory_problem(work, size)


@pytest.mark.requirement(74)
def test_a_tree_that_names_its_parts_again_and_again_ends_at_the_limit(
    trees: Trees, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_source, "MAX_ENTRIES", 1_000)
    assert sum(1 for _ in list_files(trees.git, trees.doubled(9))) == 512
    bomb = trees.doubled(40)
    with pytest.raises(BadInput, match="has more than 1,000 files"):
        list(list_files(trees.git, bomb))
    commit = trees.repository.git("commit-tree", "-m", "many", bomb)
    with (
        GitSource(trees.repository.folder, commit) as source,
        pytest.raises(BadInput, match="has more than 1,000 files"),
    ):
        list(source.files())
