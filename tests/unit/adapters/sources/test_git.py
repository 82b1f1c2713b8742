"""A git repository is read at a commit, without its work tree and without trusting it."""

import os
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.adapters.sources.git import GitSource
from docgraph.ports.source import SourceFile, SourceProblem
from tests.support.git_repository import GitRepository
from tests.support.git_sources import read_at, read_files, refusal_of

# Revisions and files


@pytest.mark.requirement(8)
def test_a_branch_a_tag_and_a_commit_are_read_independently_of_the_work_tree(
    repository: GitRepository,
) -> None:
    first = repository.commit({"a.md": "old", "gone.md": "x"})
    repository.git("tag", "-a", "v1", "-m", "the first")
    (repository.folder / "gone.md").unlink()
    second = repository.commit({"a.md": "new"})
    repository.git("branch", "feature", first)
    repository.write({"a.md": "not committed", "b.md": "not even added"})
    old, new = {"a.md": b"old", "gone.md": b"x"}, {"a.md": b"new"}
    assert [
        read_at(repository.folder, ref) for ref in ("v1", "feature", first, first[:10], "main~1")
    ] == [old] * 5
    assert [read_at(repository.folder, ref) for ref in ("main", "HEAD", second)] == [new] * 3


def test_a_source_knows_its_commit_and_the_branch_that_was_named(repository: GitRepository) -> None:
    commit = repository.commit({"a.md": "a"})
    repository.git("tag", "-a", "v1", "-m", "the first")
    known = {ref: GitSource(repository.folder, ref) for ref in ("main", "HEAD", "v1", commit[:12])}
    assert {source.commit for source in known.values()} == {commit}
    assert {ref: source.branch for ref, source in known.items()} == {
        "main": "main",
        "HEAD": "main",
        "v1": None,
        commit[:12]: None,
    }


@pytest.mark.requirement(35)
def test_a_branch_has_precedence_over_other_refs_of_its_name(repository: GitRepository) -> None:
    """A user who may push tags only must not change what `main` refers to."""
    first = repository.commit({"a.md": "tag"})
    second = repository.commit({"a.md": "branch"})
    for name in ("refs/tags/main", "refs/main", "refs/tags/refs/heads/main", "refs/tags/only"):
        repository.git("update-ref", name, first)
    assert read_at(repository.folder, "main") == {"a.md": b"branch"}
    known = {ref: GitSource(repository.folder, ref) for ref in ("main", "only")}
    assert [(one.commit, one.branch) for one in known.values()] == [
        (second, "main"),
        (first, None),
    ]


@pytest.mark.requirement(35)
def test_head_and_commit_ids_keep_their_meaning(repository: GitRepository) -> None:
    first = repository.commit({"a.md": "pushed"})
    second = repository.commit({"a.md": "meant"})
    repository.git("branch", "part", first)
    for name in ("HEAD", second):
        repository.git("update-ref", f"refs/heads/{name}", first)
    assert {GitSource(repository.folder, ref).commit for ref in ("HEAD", second, "main")} == {
        second
    }
    assert {GitSource(repository.folder, ref).commit for ref in ("part", "main~1")} == {first}


def test_bare_repositories_work_trees_and_linked_ones_are_read_alike(
    repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.md": "a", "docs/b.md": "b"})
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    repository.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    for place in ("work", "work/.git", "bare.git", "linked"):
        assert read_at(tmp_path / place) == {"a.md": b"a", "docs/b.md": b"b"}
    assert GitSource(tmp_path / "linked", "HEAD").branch == "other"


def test_a_folder_inside_a_work_tree_is_a_source_of_its_own(repository: GitRepository) -> None:
    repository.commit({"a.md": "a", "docs/b.md": "b", "docs/in/c.md": "c"})
    (repository.folder / "docs/up.md").symlink_to("../a.md")
    repository.commit()
    assert read_at(repository.folder / "docs") == read_files(
        FolderSource(repository.folder / "docs")
    )
    (repository.folder / "later").mkdir()
    assert "there is no folder later/ in main" in refusal_of(repository.folder / "later")


def test_a_file_is_named_by_its_blob_so_equal_ids_mean_equal_bytes(
    repository: GitRepository,
) -> None:
    repository.commit({"a.md": "same", "b.md": "same", "c.md": "other"})
    with GitSource(repository.folder, "main") as source:
        ids = {f.path: f.content_id for f in source.files() if isinstance(f, SourceFile)}
    assert ids["a.md"] == ids["b.md"] == f"git:{repository.git('rev-parse', 'HEAD:a.md')}"
    assert ids["c.md"] != ids["a.md"]


@pytest.mark.requirement(35)
def test_a_link_has_every_path_of_its_blob_as_alias(repository: GitRepository) -> None:
    repository.write({"secret/b.md": "b", "public/a.md": "a", "copy.md": "b", ".hidden/c.md": "c"})
    links = {
        "public/l.md": "../secret/b.md",
        "public/far.md": "../folder/b.md",
        "folder": "secret",
        "chain.md": "public/l.md",
        "hidden.md": ".hidden/c.md",
    }
    for name, target in links.items():
        (repository.folder / name).symlink_to(target)
    repository.commit()
    with GitSource(repository.folder, "main") as source:
        found = {f.path: f.aliases for f in source.files() if isinstance(f, SourceFile)}
    assert found == {
        "secret/b.md": (),
        "public/a.md": (),
        "copy.md": (),
        "public/l.md": ("copy.md", "secret/b.md"),
        "public/far.md": ("copy.md", "secret/b.md"),
        "chain.md": ("copy.md", "secret/b.md"),
        "hidden.md": (".hidden/c.md",),
    }


def test_replacement_objects_are_ignored(repository: GitRepository) -> None:
    repository.commit({"a.md": "true", "b.md": "false"})
    repository.git(
        "replace",
        repository.git("rev-parse", "HEAD:a.md"),
        repository.git("rev-parse", "HEAD:b.md"),
    )
    assert read_at(repository.folder)["a.md"] == b"true"


def test_a_file_can_be_read_without_having_been_listed(repository: GitRepository) -> None:
    repository.commit({"relations.yaml": "[]", "docs/a.md": "a"})
    with GitSource(repository.folder, "main") as source:
        assert source.read(SourceFile("relations.yaml", 0)) == b"[]"
        for path in ("none.yaml", "docs", "../etc/passwd", "./docs/a.md", "a\nb"):
            found = source.read(SourceFile(path, 0))
            assert isinstance(found, SourceProblem)
            assert found.reason.startswith("cannot be read: ")
        assert source.read(SourceFile("docs/a.md", 0)) == b"a"


# Skipped files and problems


def test_a_checkout_and_its_commit_give_the_same(repository: GitRepository) -> None:
    """Hidden files, build output, links in, out and in a cycle, names that are not UTF-8."""
    repository.write(
        {
            path: path
            for path in (
                *(".hidden.md", ".github/x.md", "node_modules/x.md", "a/__pycache__/x.py"),
                *("pyproject.toml", "build/x.py", "dist/x.md", "env/pyvenv.cfg", "env/in/x.py"),
                *("kept.md", "pip/build/kept.py", "pip/target/kept.md", "x.egg-info/top.txt"),
                *(
                    "sub/package.json",
                    "sub/dist/deep/x.md",
                    "sub/lib/dist/kept.md",
                    "weird name.md",
                ),
            )
        }
    )
    links = {
        "inner.md": "kept.md",
        "pip/up.md": "../kept.md",
        "chain.md": "inner.md",
        "folder": "pip",
        "out.md": "/etc/hostname",
        "beyond.md": "../../nothing.md",
        "dangling.md": "none.md",
        "loop.md": "loop.md",
        "through.md": "kept.md/x",
        ".hidden-link.md": "kept.md",
    }
    for name, target in links.items():
        (repository.folder / name).symlink_to(target)
    (repository.folder / os.fsdecode(b"\xff.md")).write_text("x")
    repository.commit()
    found = read_at(repository.folder)
    (repository.folder / ".git").rename(repository.folder.parent / "kept-elsewhere")
    expected = read_files(FolderSource(repository.folder))
    assert found == expected
    assert found["beyond.md"] == "a link that leads out of the folder is not followed"
    assert found["\\xff.md"] == "its name is not valid UTF-8"


def test_submodules_are_left_out(repository: GitRepository) -> None:
    commit = repository.commit({"a.md": "a"})
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    repository.git("commit", "--quiet", "--message", "with a module")
    assert read_at(repository.folder) == {"a.md": b"a"}


def test_a_line_break_in_a_name_does_not_confuse_replies(repository: GitRepository) -> None:
    repository.write({"a\nb.md": "odd", "c.md": "plain"})
    (repository.folder / "l\nk.md").symlink_to("c.md")
    repository.commit()
    assert read_at(repository.folder) == {
        "a\nb.md": b"odd",
        "c.md": b"plain",
        "l\nk.md": "a link that leads nowhere",
    }


def test_a_file_that_is_too_large_says_the_limit_and_the_next_is_read(
    repository: GitRepository,
) -> None:
    repository.commit({"big.md": "x" * 200_001, "small.md": "small"})
    (repository.folder / "link.md").symlink_to("big.md")
    repository.commit()
    reason = "200,001 bytes is over the limit of 1,000; --max-bytes raises it"
    with GitSource(repository.folder, "main", max_bytes=1000) as source:
        assert read_files(source) == {"big.md": reason, "link.md": reason, "small.md": b"small"}
        assert source.read(SourceFile("big.md", 0)) == SourceProblem("big.md", reason)
        assert source.read(SourceFile("small.md", 0)) == b"small"


def test_a_pointer_to_large_file_storage_is_a_problem(repository: GitRepository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    repository.commit({"big.pdf": pointer})
    assert "Git LFS pointer" in str(read_at(repository.folder)["big.pdf"])


def test_a_listing_longer_than_a_block_is_complete(repository: GitRepository) -> None:
    files = {f"{'folder' * 10}/{number:04}.md": str(number) for number in range(1500)}
    repository.commit(files)
    assert read_at(repository.folder) == {path: text.encode() for path, text in files.items()}


def test_an_empty_commit_has_no_files(repository: GitRepository) -> None:
    repository.commit()
    assert read_at(repository.folder) == {}
