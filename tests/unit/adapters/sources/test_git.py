"""A git repository is read at a commit, without its work tree and without trusting it."""

import os
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.adapters.sources.git import GitSource
from docgraph.ports.source import SourceFile, SourceProblem
from tests.support.git_repository import GitRepository
from tests.support.git_sources import read_at, read_files, refusal_of

# What is read


@pytest.mark.requirement(8)
def test_a_branch_a_tag_and_a_commit_are_read_whatever_lies_in_the_work_tree(
    made: GitRepository,
) -> None:
    first = made.commit({"a.md": "old", "gone.md": "x"})
    made.git("tag", "-a", "v1", "-m", "the first")
    (made.folder / "gone.md").unlink()
    second = made.commit({"a.md": "new"})
    made.git("branch", "feature", first)
    made.write({"a.md": "not committed", "b.md": "not even added"})
    old, new = {"a.md": b"old", "gone.md": b"x"}, {"a.md": b"new"}
    assert [
        read_at(made.folder, ref) for ref in ("v1", "feature", first, first[:10], "main~1")
    ] == [old] * 5
    assert [read_at(made.folder, ref) for ref in ("main", "HEAD", second)] == [new] * 3


def test_a_source_knows_its_commit_and_the_branch_that_was_named(made: GitRepository) -> None:
    commit = made.commit({"a.md": "a"})
    made.git("tag", "-a", "v1", "-m", "the first")
    known = {ref: GitSource(made.folder, ref) for ref in ("main", "HEAD", "v1", commit[:12])}
    assert {source.commit for source in known.values()} == {commit}
    assert {ref: source.branch for ref, source in known.items()} == {
        "main": "main",
        "HEAD": "main",
        "v1": None,
        commit[:12]: None,
    }


@pytest.mark.requirement(35)
def test_a_branch_is_read_whatever_else_is_called_like_it(made: GitRepository) -> None:
    """Who may push a tag must not decide what `main` says."""
    first = made.commit({"a.md": "tag"})
    second = made.commit({"a.md": "branch"})
    for name in ("refs/tags/main", "refs/main", "refs/tags/refs/heads/main", "refs/tags/only"):
        made.git("update-ref", name, first)
    assert read_at(made.folder, "main") == {"a.md": b"branch"}
    known = {ref: GitSource(made.folder, ref) for ref in ("main", "only")}
    assert [(one.commit, one.branch) for one in known.values()] == [
        (second, "main"),
        (first, None),
    ]


@pytest.mark.requirement(35)
def test_head_and_a_commit_s_id_stay_what_they_are(made: GitRepository) -> None:
    first = made.commit({"a.md": "pushed"})
    second = made.commit({"a.md": "meant"})
    made.git("branch", "part", first)
    for name in ("HEAD", second):
        made.git("update-ref", f"refs/heads/{name}", first)
    assert {GitSource(made.folder, ref).commit for ref in ("HEAD", second, "main")} == {second}
    assert {GitSource(made.folder, ref).commit for ref in ("part", "main~1")} == {first}


def test_bare_repositories_work_trees_and_linked_ones_are_read_alike(
    made: GitRepository, tmp_path: Path
) -> None:
    made.commit({"a.md": "a", "docs/b.md": "b"})
    made.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    made.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    for place in ("work", "work/.git", "bare.git", "linked"):
        assert read_at(tmp_path / place) == {"a.md": b"a", "docs/b.md": b"b"}
    assert GitSource(tmp_path / "linked", "HEAD").branch == "other"


def test_a_folder_inside_a_work_tree_is_a_source_of_its_own(made: GitRepository) -> None:
    made.commit({"a.md": "a", "docs/b.md": "b", "docs/in/c.md": "c"})
    (made.folder / "docs/up.md").symlink_to("../a.md")
    made.commit()
    assert read_at(made.folder / "docs") == read_files(FolderSource(made.folder / "docs"))
    (made.folder / "later").mkdir()
    assert "there is no folder later/ in main" in refusal_of(made.folder / "later")


def test_a_file_is_named_by_its_blob_so_equal_ids_mean_equal_bytes(made: GitRepository) -> None:
    made.commit({"a.md": "same", "b.md": "same", "c.md": "other"})
    with GitSource(made.folder, "main") as source:
        ids = {f.path: f.content_id for f in source.files() if isinstance(f, SourceFile)}
    assert ids["a.md"] == ids["b.md"] == f"git:{made.git('rev-parse', 'HEAD:a.md')}"
    assert ids["c.md"] != ids["a.md"]


@pytest.mark.requirement(35)
def test_a_link_names_every_place_of_the_bytes_that_it_leads_to(made: GitRepository) -> None:
    made.write({"secret/b.md": "b", "public/a.md": "a", "copy.md": "b", ".hidden/c.md": "c"})
    links = {
        "public/l.md": "../secret/b.md",
        "public/far.md": "../folder/b.md",
        "folder": "secret",
        "chain.md": "public/l.md",
        "hidden.md": ".hidden/c.md",
    }
    for name, target in links.items():
        (made.folder / name).symlink_to(target)
    made.commit()
    with GitSource(made.folder, "main") as source:
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


def test_an_object_that_was_replaced_is_read_as_it_was_named(made: GitRepository) -> None:
    made.commit({"a.md": "true", "b.md": "false"})
    made.git("replace", made.git("rev-parse", "HEAD:a.md"), made.git("rev-parse", "HEAD:b.md"))
    assert read_at(made.folder)["a.md"] == b"true"


def test_a_file_can_be_read_without_having_been_listed(made: GitRepository) -> None:
    made.commit({"relations.yaml": "[]", "docs/a.md": "a"})
    with GitSource(made.folder, "main") as source:
        assert source.read(SourceFile("relations.yaml", 0)) == b"[]"
        for path in ("none.yaml", "docs", "../etc/passwd", "./docs/a.md", "a\nb"):
            found = source.read(SourceFile(path, 0))
            assert isinstance(found, SourceProblem)
            assert found.reason.startswith("cannot be read: ")
        assert source.read(SourceFile("docs/a.md", 0)) == b"a"


# What is left out


def test_a_checkout_and_its_commit_give_the_same(made: GitRepository) -> None:
    """Hidden and built things, links in, out and in a circle, names that are not UTF-8."""
    made.write(
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
        (made.folder / name).symlink_to(target)
    (made.folder / os.fsdecode(b"\xff.md")).write_text("x")
    made.commit()
    found = read_at(made.folder)
    (made.folder / ".git").rename(made.folder.parent / "kept-elsewhere")
    expected = read_files(FolderSource(made.folder))
    # A checkout cannot tell what lies beyond its root; a commit knows that nothing does.
    assert expected.pop("beyond.md") == "a link that leads nowhere"
    assert found.pop("beyond.md") == "a link that leads out of the folder is not followed"
    assert found == expected
    assert found["\\xff.md"] == "its name is not valid UTF-8"


def test_submodules_are_left_out_quietly(made: GitRepository) -> None:
    commit = made.commit({"a.md": "a"})
    made.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    made.git("commit", "--quiet", "--message", "with a module")
    assert read_at(made.folder) == {"a.md": b"a"}


def test_a_line_break_in_a_name_shifts_no_answer(made: GitRepository) -> None:
    made.write({"a\nb.md": "odd", "c.md": "plain"})
    (made.folder / "l\nk.md").symlink_to("c.md")
    made.commit()
    assert read_at(made.folder) == {
        "a\nb.md": b"odd",
        "c.md": b"plain",
        "l\nk.md": "a link that leads nowhere",
    }


def test_a_file_that_is_too_large_says_the_limit_and_the_next_is_read(made: GitRepository) -> None:
    made.commit({"big.md": "x" * 200_001, "small.md": "small"})
    (made.folder / "link.md").symlink_to("big.md")
    made.commit()
    reason = "200,001 bytes is over the limit of 1,000; --max-bytes raises it"
    with GitSource(made.folder, "main", max_bytes=1000) as source:
        assert read_files(source) == {"big.md": reason, "link.md": reason, "small.md": b"small"}
        assert source.read(SourceFile("big.md", 0)) == SourceProblem("big.md", reason)
        assert source.read(SourceFile("small.md", 0)) == b"small"


def test_a_pointer_to_large_file_storage_is_a_problem(made: GitRepository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    made.commit({"big.pdf": pointer})
    assert "Git LFS pointer" in str(read_at(made.folder)["big.pdf"])


def test_a_listing_longer_than_a_block_is_whole(made: GitRepository) -> None:
    files = {f"{'folder' * 10}/{number:04}.md": str(number) for number in range(1500)}
    made.commit(files)
    assert read_at(made.folder) == {path: text.encode() for path, text in files.items()}


def test_an_empty_commit_has_no_files(made: GitRepository) -> None:
    made.commit()
    assert read_at(made.folder) == {}
