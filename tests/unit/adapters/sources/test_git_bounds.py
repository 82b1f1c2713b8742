"""A repository below a root is refused if git would read anything outside of the root."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from docgraph.adapters.sources.git import GitSource
from docgraph.adapters.sources.git_bounds import check_bounds
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceOptions
from docgraph.wiring.sources import open_source
from tests.support.git_repository import GitRepository
from tests.support.git_sources import read_files

SECRET = {"s.md": "from outside"}


def read(path: Path, root: Path, ref: str = "main") -> dict[str, bytes | str]:
    with open_source(path, SourceOptions(ref=ref, inside=root)) as opened:
        assert isinstance(opened.source, GitSource)
        return read_files(opened.source)


def refusal(path: Path, root: Path) -> str:
    with pytest.raises(BadInput) as error:
        read(path, root)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def outside(tmp_path: Path) -> GitRepository:
    repository = GitRepository(tmp_path / "outside")
    repository.commit(SECRET)
    return repository


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def hostile(outside: GitRepository, root: Path) -> GitRepository:
    """A repository whose branch names a commit of another repository."""
    repository = GitRepository(root / "hostile")
    branch = repository.folder / ".git" / "refs" / "heads" / "main"
    branch.write_text(outside.git("rev-parse", "HEAD") + "\n")
    return repository


# Valid repositories


def test_work_trees_bare_repositories_and_linked_ones_are_read(root: Path) -> None:
    repository = GitRepository(root / "repo")
    repository.commit({"a.md": "a", "docs/b.md": "b"})
    repository.git("clone", "--quiet", "--bare", ".", "../bare.git")
    repository.git("worktree", "add", "--quiet", "-b", "other", "../linked")
    everything = {"a.md": b"a", "docs/b.md": b"b"}
    assert read(root / "repo", root) == everything
    assert read(root / "bare.git", root) == everything
    assert read(root / "linked", root, "other") == everything
    assert read(root / "linked", root, "HEAD") == everything
    assert read(root / "linked" / "docs", root) == {"b.md": b"b"}


def test_the_folder_that_is_read_may_be_the_root_itself(root: Path) -> None:
    GitRepository(root).commit({"a.md": "a"})
    assert read(root, root) == {"a.md": b"a"}


def test_a_packed_repository_is_read_without_its_multi_pack_index(root: Path) -> None:
    repository = GitRepository(root / "repo")
    repository.commit({"a.md": "a"})
    repository.git("repack", "-a", "-d", "--quiet")
    repository.git("multi-pack-index", "write")
    assert read(repository.folder, root) == {"a.md": b"a"}


# Repositories that refer to paths outside


def test_a_repository_above_the_root_is_not_found(outside: GitRepository) -> None:
    inner = outside.folder / "docs"
    inner.mkdir()
    assert "not a git repository" in refusal(inner, inner)


def test_a_folder_without_a_repository_is_refused_with_what_would_work(root: Path) -> None:
    assert "REPO.git" in refusal(root, root)


def test_a_repository_whose_git_folder_is_outside_is_refused(
    outside: GitRepository, root: Path
) -> None:
    outside.git("worktree", "add", "--quiet", str(root / "linked"), "-b", "other")
    (root / "pointing").mkdir()
    (root / "pointing" / ".git").write_text(f"gitdir: {outside.folder / '.git'}\n")
    (root / "link").mkdir()
    (root / "link" / ".git").symlink_to(outside.folder / ".git")
    for name in ("linked", "pointing"):
        assert "outside of what may be read here" in refusal(root / name, root)
    assert ".git of the repository cannot be read" in refusal(root / "link", root)


def test_a_repository_whose_common_folder_is_outside_is_refused(
    outside: GitRepository, hostile: GitRepository, root: Path
) -> None:
    (hostile.folder / ".git" / "commondir").write_text(f"{outside.folder}/.git\n")
    assert "outside of what may be read here" in refusal(hostile.folder, root)


@pytest.mark.parametrize(
    "line",
    [
        "{objects}\n",
        '"{objects}"\n',  # git takes quotes off
        "# a comment\n{objects}\n",
        *(
            f"q{cut}#/{{relative}}\n" for cut in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028"
        ),  # git cuts at \n
    ],
)
def test_a_repository_with_alternate_objects_is_refused(
    outside: GitRepository, hostile: GitRepository, root: Path, line: str
) -> None:
    objects = outside.folder / ".git" / "objects"
    own = hostile.folder / ".git" / "objects"
    (own / line.partition("/")[0]).mkdir(exist_ok=True)
    text = line.format(objects=objects, relative=os.path.relpath(objects, own / "q"))
    (own / "info" / "alternates").write_bytes(text.encode())
    assert "objects/info/alternates of the repository leads elsewhere" in refusal(
        hostile.folder, root
    )


def linked_objects(outside: Path, own: Path, root: Path) -> None:
    """Each folder is a link to one below the root, which contains a link out of it."""
    for folder in outside.glob("??"):
        near = root / "elsewhere" / folder.name
        near.mkdir(parents=True)
        for file in folder.iterdir():
            (near / file.name).symlink_to(file)
        (own / folder.name).symlink_to(near)


def linked_as_a_whole(outside: Path, own: Path, root: Path) -> None:
    (root / "elsewhere").mkdir()
    for folder in outside.glob("??"):
        (root / "elsewhere" / folder.name).symlink_to(folder)
    shutil.rmtree(own)
    own.symlink_to(root / "elsewhere")


def linked_files(outside: Path, own: Path, _: Path) -> None:
    for folder in outside.glob("??"):
        (own / folder.name).mkdir(exist_ok=True)
        for file in folder.iterdir():
            (own / folder.name / file.name).symlink_to(file)


@pytest.mark.parametrize("laid", [linked_objects, linked_as_a_whole, linked_files])
def test_a_repository_with_a_link_in_it_is_refused(
    outside: GitRepository,
    hostile: GitRepository,
    root: Path,
    laid: Callable[[Path, Path, Path], None],
) -> None:
    laid(outside.folder / ".git" / "objects", hostile.folder / ".git" / "objects", root)
    assert "of the repository is a link" in refusal(hostile.folder, root)


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "a\x00b", "\n"])
def test_a_pointer_that_is_not_one_plain_line_is_refused(
    outside: GitRepository, root: Path, name: str
) -> None:
    place = root / "newline"
    inner = place / name.replace("\x00", "")
    inner.mkdir(parents=True, exist_ok=True)
    repository = GitRepository(inner / "r")
    (repository.folder / ".git" / "objects" / "info" / "alternates").write_text(
        f"{outside.folder}/.git/objects\n"
    )
    head = outside.git("rev-parse", "HEAD")
    (repository.folder / ".git" / "refs" / "heads" / "main").write_text(f"{head}\n")
    (place / ".git").write_bytes(f"gitdir: {name}/r/.git\n".encode())
    assert "is not one plain line" in refusal(place, root)


def test_a_multi_pack_index_is_not_read(
    outside: GitRepository, hostile: GitRepository, root: Path
) -> None:
    """It names each pack by a path from its own folder; here by one that leads out."""
    outside.git("repack", "-a", "-d", "--quiet")
    outside.git("multi-pack-index", "write")
    packs = outside.folder / ".git" / "objects" / "pack"
    (name,) = [path.name for path in packs.glob("*.idx")]
    short = root.parent / "p"
    short.mkdir()
    shutil.copy(packs / name, short / "k.idx")
    shutil.copy(packs / name.replace(".idx", ".pack"), short / "k.pack")
    own = hostile.folder / ".git" / "objects" / "pack"
    relative = os.path.relpath(short / "k.idx", own).encode()
    index = (packs / "multi-pack-index").read_bytes()
    forged = index.replace(name.encode(), relative.ljust(len(name), b"\0"))
    (own / "multi-pack-index").write_bytes(forged)
    assert hostile.git("show", "main:s.md") == SECRET["s.md"]  # git itself reads outside
    assert "no branch, tag or commit is called 'main'" in refusal(hostile.folder, root)


@pytest.mark.parametrize(
    "text", ["[include]\n path = {file}\n", '[IncludeIf "gitdir:**"]\n path = {file}\n']
)
@pytest.mark.parametrize("name", ["config", "config.worktree"])
def test_settings_that_include_others_are_refused_before_git_reads_them(
    root: Path, text: str, name: str
) -> None:
    """The included file is a pipe without a writer."""
    repository = GitRepository(root / "repo")
    repository.commit({"a.md": "a"})
    os.mkfifo(root / "pipe")
    with (repository.folder / ".git" / name).open("a") as settings:
        settings.write(text.format(file=root / "pipe"))
    assert f"{name} of the repository leads elsewhere" in refusal(repository.folder, root)


@pytest.mark.parametrize("name", [".git/config", ".git/refs/heads/pipe", ".git/commondir"])
def test_a_pipe_in_a_repository_does_not_block(root: Path, name: str) -> None:
    repository = GitRepository(root / "repo")
    repository.commit({"a.md": "a"})
    (repository.folder / name).unlink(missing_ok=True)
    os.mkfifo(repository.folder / name)
    assert "of the repository" in refusal(repository.folder, root)


def test_git_reads_the_checked_folders_if_pointers_change_later(
    outside: GitRepository, root: Path
) -> None:
    repository = GitRepository(root / "repo")
    repository.commit({"a.md": "a"})
    with open_source(repository.folder, SourceOptions(ref="main", inside=root)) as opened:
        (repository.folder / ".git" / "commondir").write_text(f"{outside.folder}/.git\n")
        assert isinstance(opened.source, GitSource)
        assert read_files(opened.source) == {"a.md": b"a"}


def test_bounds_are_checked_after_resolving_links(root: Path) -> None:
    repository = GitRepository(root / "repo")
    (root.parent / "alias").symlink_to(root)
    place = check_bounds(root.parent / "alias" / "repo", root.parent / "alias")
    assert place.own == place.common == (repository.folder / ".git").resolve()
