"""A git repository is read at a commit, without its work tree and without trusting it."""

import gc
import os
import shutil
from pathlib import Path

import pytest

from docgraph.adapters.sources.folder import FolderSource
from docgraph.adapters.sources.git import GitSource
from docgraph.model.errors import BadInput
from docgraph.ports.source import Problem, SourceFile
from tests.support.made_repository import MadeRepository


@pytest.fixture
def made(tmp_path: Path) -> MadeRepository:
    return MadeRepository(tmp_path / "work")


def told(source: GitSource | FolderSource) -> dict[str, bytes | str]:
    """Every file's bytes, and every problem's reason."""
    found: dict[str, bytes | str] = {}
    for file in source.files():
        data = file if isinstance(file, Problem) else source.read(file)
        found[file.path] = data.reason if isinstance(data, Problem) else data
    return found


def at(place: Path, ref: str = "HEAD") -> dict[str, bytes | str]:
    with GitSource(place, ref) as source:
        return told(source)


def refused(place: Path, ref: str = "main") -> str:
    with pytest.raises(BadInput) as error:
        GitSource(place, ref)
    assert "\n" not in str(error.value)
    return str(error.value)


CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
if_children_are_told = pytest.mark.skipif(not CHILDREN.exists(), reason="only Linux tells them")


def processes() -> set[str]:
    """Children of this process that still run, or that nobody has waited for."""
    return set(CHILDREN.read_text().split())


# What is read


@pytest.mark.requirement(8)
def test_a_branch_a_tag_and_a_commit_are_read_whatever_lies_in_the_work_tree(
    made: MadeRepository,
) -> None:
    first = made.commit({"a.md": "old", "gone.md": "x"})
    made.git("tag", "-a", "v1", "-m", "the first")
    (made.folder / "gone.md").unlink()
    second = made.commit({"a.md": "new"})
    made.git("branch", "feature", first)
    made.write({"a.md": "not committed", "b.md": "not even added"})
    old, new = {"a.md": b"old", "gone.md": b"x"}, {"a.md": b"new"}
    assert [at(made.folder, ref) for ref in ("v1", "feature", first, first[:10], "main~1")] == [
        old
    ] * 5
    assert [at(made.folder, ref) for ref in ("main", "HEAD", second)] == [new] * 3


def test_a_source_knows_its_commit_and_the_branch_that_was_named(made: MadeRepository) -> None:
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
def test_a_branch_is_read_whatever_else_is_called_like_it(made: MadeRepository) -> None:
    """Whoever may push a tag must not decide what `main` says."""
    first = made.commit({"a.md": "tag"})
    second = made.commit({"a.md": "branch"})
    for name in ("refs/tags/main", "refs/main", "refs/tags/refs/heads/main", "refs/tags/only"):
        made.git("update-ref", name, first)
    assert at(made.folder, "main") == {"a.md": b"branch"}
    known = {ref: GitSource(made.folder, ref) for ref in ("main", "only")}
    assert [(one.commit, one.branch) for one in known.values()] == [
        (second, "main"),
        (first, None),
    ]


@pytest.mark.requirement(35)
def test_head_and_a_commit_s_id_stay_what_they_are(made: MadeRepository) -> None:
    first = made.commit({"a.md": "pushed"})
    second = made.commit({"a.md": "meant"})
    made.git("branch", "part", first)
    for name in ("HEAD", second):
        made.git("update-ref", f"refs/heads/{name}", first)
    assert {GitSource(made.folder, ref).commit for ref in ("HEAD", second, "main")} == {second}
    assert {GitSource(made.folder, ref).commit for ref in ("part", "main~1")} == {first}


def test_bare_repositories_work_trees_and_linked_ones_are_read_alike(
    made: MadeRepository, tmp_path: Path
) -> None:
    made.commit({"a.md": "a", "docs/b.md": "b"})
    made.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    made.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "linked"))
    for place in ("work", "work/.git", "bare.git", "linked"):
        assert at(tmp_path / place) == {"a.md": b"a", "docs/b.md": b"b"}
    assert GitSource(tmp_path / "linked", "HEAD").branch == "other"


def test_a_folder_inside_a_work_tree_is_a_source_of_its_own(made: MadeRepository) -> None:
    made.commit({"a.md": "a", "docs/b.md": "b", "docs/in/c.md": "c"})
    (made.folder / "docs/up.md").symlink_to("../a.md")
    made.commit()
    assert at(made.folder / "docs") == told(FolderSource(made.folder / "docs"))
    (made.folder / "later").mkdir()
    assert "there is no folder later/ in main" in refused(made.folder / "later")


def test_a_file_is_named_by_its_blob_so_equal_ids_mean_equal_bytes(made: MadeRepository) -> None:
    made.commit({"a.md": "same", "b.md": "same", "c.md": "other"})
    with GitSource(made.folder, "main") as source:
        ids = {f.path: f.content_id for f in source.files() if isinstance(f, SourceFile)}
    assert ids["a.md"] == ids["b.md"] == f"git:{made.git('rev-parse', 'HEAD:a.md')}"
    assert ids["c.md"] != ids["a.md"]


@pytest.mark.requirement(35)
def test_a_link_names_every_place_of_the_bytes_that_it_leads_to(made: MadeRepository) -> None:
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
        found = {f.path: f.also for f in source.files() if isinstance(f, SourceFile)}
    assert found == {
        "secret/b.md": (),
        "public/a.md": (),
        "copy.md": (),
        "public/l.md": ("copy.md", "secret/b.md"),
        "public/far.md": ("copy.md", "secret/b.md"),
        "chain.md": ("copy.md", "secret/b.md"),
        "hidden.md": (".hidden/c.md",),
    }


def test_an_object_that_was_replaced_is_read_as_it_was_named(made: MadeRepository) -> None:
    made.commit({"a.md": "true", "b.md": "false"})
    made.git("replace", made.git("rev-parse", "HEAD:a.md"), made.git("rev-parse", "HEAD:b.md"))
    assert at(made.folder)["a.md"] == b"true"


def test_a_file_can_be_read_without_having_been_listed(made: MadeRepository) -> None:
    made.commit({"relations.yaml": "[]", "docs/a.md": "a"})
    with GitSource(made.folder, "main") as source:
        assert source.read(SourceFile("relations.yaml", 0)) == b"[]"
        for path in ("none.yaml", "docs", "../etc/passwd", "./docs/a.md", "a\nb"):
            found = source.read(SourceFile(path, 0))
            assert isinstance(found, Problem)
            assert found.reason.startswith("cannot be read: ")
        assert source.read(SourceFile("docs/a.md", 0)) == b"a"


# What is left out


def test_a_checkout_and_its_commit_give_the_same(made: MadeRepository) -> None:
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
    found = at(made.folder)
    (made.folder / ".git").rename(made.folder.parent / "kept-elsewhere")
    expected = told(FolderSource(made.folder))
    # A checkout cannot tell what lies beyond its root; a commit knows that nothing does.
    assert expected.pop("beyond.md") == "a link that leads nowhere"
    assert found.pop("beyond.md") == "a link that leads out of the folder is not followed"
    assert found == expected
    assert found["\\xff.md"] == "its name is not valid UTF-8"


def test_submodules_are_left_out_quietly(made: MadeRepository) -> None:
    commit = made.commit({"a.md": "a"})
    made.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    made.git("commit", "--quiet", "--message", "with a module")
    assert at(made.folder) == {"a.md": b"a"}


def test_a_line_break_in_a_name_shifts_no_answer(made: MadeRepository) -> None:
    made.write({"a\nb.md": "odd", "c.md": "plain"})
    (made.folder / "l\nk.md").symlink_to("c.md")
    made.commit()
    assert at(made.folder) == {
        "a\nb.md": b"odd",
        "c.md": b"plain",
        "l\nk.md": "a link that leads nowhere",
    }


def test_a_file_that_is_too_large_says_the_limit_and_the_next_is_read(made: MadeRepository) -> None:
    made.commit({"big.md": "x" * 200_001, "small.md": "small"})
    (made.folder / "link.md").symlink_to("big.md")
    made.commit()
    reason = "200,001 bytes is over the limit of 1,000; --max-bytes raises it"
    with GitSource(made.folder, "main", max_bytes=1000) as source:
        assert told(source) == {"big.md": reason, "link.md": reason, "small.md": b"small"}
        assert source.read(SourceFile("big.md", 0)) == Problem("big.md", reason)
        assert source.read(SourceFile("small.md", 0)) == b"small"


def test_a_pointer_to_large_file_storage_is_a_problem(made: MadeRepository) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"
    made.commit({"big.pdf": pointer})
    assert "Git LFS pointer" in str(at(made.folder)["big.pdf"])


def test_a_listing_longer_than_a_block_is_whole(made: MadeRepository) -> None:
    files = {f"{'folder' * 10}/{number:04}.md": str(number) for number in range(1500)}
    made.commit(files)
    assert at(made.folder) == {path: text.encode() for path, text in files.items()}


def test_an_empty_commit_has_no_files(made: MadeRepository) -> None:
    made.commit()
    assert at(made.folder) == {}


# What is refused


def test_an_unknown_name_is_told_what_would_fit(made: MadeRepository) -> None:
    made.commit({"a.md": "a"})
    made.git("tag", "v1.0")
    front = f"{made.folder}: no branch, tag or commit is called"
    assert refused(made.folder, "mian") == f"{front} 'mian'; did you mean 'main'?"
    assert refused(made.folder, "zzz") == f"{front} 'zzz'; known: main, v1.0"


@pytest.mark.parametrize(
    "ref", ["-x", "--all", "--help", "--output=x", "", "main:a.md", "main main"]
)
def test_a_name_is_never_taken_for_an_option(made: MadeRepository, ref: str) -> None:
    made.commit({"a.md": "a"})
    assert f"is called {ref!r}" in refused(made.folder, ref)
    assert not (made.folder / "x").exists()


@pytest.mark.parametrize("ref", ["a\0b", "a\nb", "\x1b[31m"])
def test_a_name_that_is_no_text_is_refused(made: MadeRepository, ref: str) -> None:
    made.commit({"a.md": "a"})
    assert refused(made.folder, ref) == f"{ref!r} cannot name a branch, tag or commit"


def test_a_repository_without_commits_says_so(made: MadeRepository) -> None:
    assert "there is no commit in it yet" in refused(made.folder, "HEAD")


def test_what_is_no_repository_is_told_what_is(tmp_path: Path) -> None:
    assert "REPO.git" in refused(tmp_path)
    assert refused(tmp_path / "none") == f"{tmp_path / 'none'}: there is no such folder"


def test_a_broken_configuration_is_told_in_git_s_words(made: MadeRepository) -> None:
    made.commit({"a.md": "a"})
    (made.folder / ".git/config").write_text("[core\n")
    assert "bad config line 1" in refused(made.folder)


def test_without_the_git_program_the_error_says_so(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "needs the git program" in refused(made.folder)


def stand_in(place: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A git that does something else first."""
    real = shutil.which("git")
    program = place / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n{script}\nexec {real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_repository_of_another_user_is_explained_with_the_remedy(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    stand_in(tmp_path, monkeypatch, "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "trusted"))
    said = refused(made.folder)
    assert "belongs to another user" in said
    remedy = f"git config --global --add safe.directory {made.folder}"
    assert said.endswith(remedy)
    os.system(remedy)
    assert at(made.folder) == {"a.md": b"a"}


# What a repository cannot do


def test_a_repository_starts_no_program_of_its_own(made: MadeRepository, tmp_path: Path) -> None:
    """Not even where an object is missing that its configuration promises to fetch."""
    made.commit({"a.md": "a", "b.md": "b"})
    blob = made.git("rev-parse", "HEAD:a.md")
    (made.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
    trap.chmod(0o755)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://host/repository",
        "core.sshCommand": str(trap),
        "core.fsmonitor": str(trap),
        "core.pager": str(trap),
        "protocol.allow": "always",
    }
    for name, value in settings.items():
        made.git("config", name, value)
    assert at(made.folder) == {"a.md": f"its blob {blob} is not in the repository", "b.md": b"b"}
    with GitSource(made.folder, "main") as source:
        assert source.read(SourceFile("a.md", 1)) == Problem("a.md", "cannot be read: missing")
    assert not (tmp_path / "sprung").exists()
    with pytest.raises(Exception, match="cat-file"):  # the trap works where nobody guards
        made.git("cat-file", "-p", blob)
    assert (tmp_path / "sprung").exists()


def test_git_s_own_variables_lead_nowhere_else(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A hook is started with GIT_DIR and more of the repository it belongs to."""
    made.commit({"a.md": "right"})
    other = MadeRepository(tmp_path / "other")
    other.commit({"a.md": "wrong"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.folder))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git/objects"))
    assert at(made.folder) == {"a.md": b"right"}


def test_reading_changes_nothing_in_the_repository(made: MadeRepository) -> None:
    made.commit({"a.md": "a"})
    before = {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")}
    at(made.folder)
    assert {path: path.stat().st_mtime_ns for path in made.folder.rglob("*")} == before


# The process behind it


def test_a_damaged_object_ends_the_reading_with_the_file_s_name_and_git_s_words(
    made: MadeRepository,
) -> None:
    made.commit({"a.md": "a" * 1000})
    blob = made.git("rev-parse", "HEAD:a.md")
    place = made.folder / ".git/objects" / blob[:2] / blob[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:20])
    with (
        GitSource(made.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while it read a.md: fatal: .*; git fsck"),
    ):
        source.read(SourceFile("a.md", 1000, content_id=f"git:{blob}"))


def test_a_reader_that_dies_is_an_error_and_not_an_empty_file(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    dies = 'case "$*" in *cat-file*) echo "killed by the moon" >&2; exit 3;; esac'
    stand_in(tmp_path, monkeypatch, dies)
    with (
        GitSource(made.folder, "main") as source,
        pytest.raises(BadInput, match=r"git stopped while .*killed by the moon"),
    ):
        told(source)


def test_a_listing_that_breaks_off_is_an_error_and_not_a_smaller_repository(
    made: MadeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.commit({"a.md": "a"})
    stand_in(tmp_path, monkeypatch, 'case "$*" in *ls-tree*) exit 3;; esac')
    with pytest.raises(BadInput, match=r"git cannot list .*: git ended with exit code 3"):
        at(made.folder)


@if_children_are_told
def test_no_process_is_left_behind(made: MadeRepository) -> None:
    made.commit({"a.md": "a"})
    before = processes()
    with GitSource(made.folder, "main") as source:
        told(source)
        assert processes() > before
    assert processes() == before
    told(source)  # may be read again, and is given back when nobody holds it
    del source
    gc.collect()
    assert processes() == before


@if_children_are_told
def test_a_listing_that_nobody_finishes_leaves_nothing_behind(made: MadeRepository) -> None:
    made.commit({f"{number}.md": "x" for number in range(3000)})
    before = processes()
    with GitSource(made.folder, "main") as source:
        next(iter(source.files()))
    gc.collect()
    assert processes() == before
