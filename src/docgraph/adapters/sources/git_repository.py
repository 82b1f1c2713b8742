"""Finding a git repository, and the commit that a name refers to."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docgraph.adapters.sources.git_bounds import NO_REPOSITORY, OUTSIDE, check_bounds
from docgraph.adapters.sources.git_process import Git
from docgraph.model.access_policy import is_access_file
from docgraph.model.errors import BadInput
from docgraph.model.validation import suggest

_BRANCHES = "refs/heads/"
_ID = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
_MAX_SUGGESTED = 50  # newest branches and tags, for an unknown name


@dataclass(frozen=True, slots=True)
class Repository:
    """`folder` is the path relative to the work tree's root: empty, or ending in `/`."""

    path: Path
    git: Git
    folder: str


@dataclass(frozen=True, slots=True)
class Revision:
    """`branch` is None for a tag, a commit, or a HEAD that is on no branch."""

    commit: str
    branch: str | None
    tree: str


def find_repository(path: Path, inside: Path | None = None) -> Repository:
    """A bare repository, a work tree, a linked one, or a folder inside of them.

    With `inside`, git runs only after the bounds are checked, and on exactly what was checked.
    """
    if not path.is_dir():
        raise BadInput(f"{path}: there is no such folder")
    layout = None if inside is None else check_bounds(path, inside)
    git = Git(path)
    own = _rev_parse(path, git, "--absolute-git-dir")
    folder = _rev_parse(path, git, "--show-prefix")
    if layout is None:
        return Repository(path, Git(Path(own), Path(own)), folder)
    if Path(own) != layout.own:
        raise BadInput(OUTSIDE)
    return Repository(path, Git(layout.own, layout.own, layout.common), folder)


def _rev_parse(path: Path, git: Git, option: str) -> str:
    reply = git.run("rev-parse", option)
    if reply.errors:
        raise _open_error(path, reply.errors)
    return reply.line


def find_revision(repository: Repository, ref: str) -> Revision:
    """A branch comes before a tag of the same name."""
    if not ref.isprintable():
        raise BadInput(f"{ref!r} cannot name a branch, tag or commit")
    branch = ref if _is_branch(repository, ref) else None
    name = ref if branch is None else f"{_BRANCHES}{branch}"
    commit = _resolve(repository, f"{name}^{{commit}}")
    if commit is None:
        raise _unknown_ref_error(repository, ref)
    tree = _resolve(repository, f"{commit}:{repository.folder}")
    if tree is None:
        raise BadInput(f"{repository.path}: there is no folder {repository.folder} in {ref}")
    return Revision(commit, branch or _full_branch_name(repository, ref), tree)


def _is_branch(repository: Repository, ref: str) -> bool:
    """HEAD and full commit ids keep their meaning, even where a branch has that name."""
    if ref == "HEAD" or _ID.fullmatch(ref):
        return False
    full = f"{_BRANCHES}{ref}"
    found = repository.git.run("for-each-ref", "--format=%(refname)", full)
    return full in found.line.split("\n")


def _full_branch_name(repository: Repository, ref: str) -> str | None:
    """The branch that HEAD is on, or that a longer name such as `heads/main` means."""
    full = repository.git.run(
        "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", ref
    ).line
    return full.removeprefix(_BRANCHES) if full.startswith(_BRANCHES) else None


def _resolve(repository: Repository, name: str) -> str | None:
    """Options end before the name, so that a name with a leading `-` is not an option."""
    reply = repository.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    return None if reply.errors else reply.line


def _unknown_ref_error(repository: Repository, ref: str) -> BadInput:
    reply = repository.git.run(
        "for-each-ref",
        "--sort=-creatordate",
        f"--count={_MAX_SUGGESTED}",
        "--format=%(refname:short)",
        *("refs/heads", "refs/tags", "refs/remotes"),
    )
    known = reply.line.split("\n") if reply.line else []
    fitting = suggest(ref, known) if known else "there is no commit in it yet"
    return BadInput(f"{repository.path}: no branch, tag or commit is called {ref!r}; {fitting}")


def _open_error(path: Path, errors: str) -> BadInput:
    _, asks, remedy = errors.partition("To add an exception for this directory, call: ")
    if asks:
        return BadInput(
            f"{path}: the repository belongs to another user, so git does not open it; "
            f"if you trust it: {remedy}"
        )
    if "not a git repository" in errors:
        return BadInput(f"{path}: {NO_REPOSITORY}")
    return BadInput(f"{path}: git cannot open it: {errors}")


# Other forms of names that git understands can be expensive to resolve.
_NAME = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]{1,255}")
_FORBIDDEN = ("..", "//", "/.", "@{")


def check_plain_name(ref: str) -> None:
    """A name that git allows for a branch; HEAD and commit ids have that form."""
    plain = (
        _NAME.fullmatch(ref) is not None
        and ref.isprintable()
        and ref != "@"
        and not ref.startswith(("-", ".", "/"))
        and not ref.endswith((".", "/", ".lock"))
        and not any(part in ref for part in _FORBIDDEN)
    )
    if not plain:
        fits = "what fits is a branch, a tag, HEAD, or 4 to 64 digits of a commit's id"
        raise BadInput(f"{ref!r} is no plain name; {fits}")


def git_parent_access_rules(path: Path, commit: str, inside: Path) -> bool:
    """Whether a parent folder has an access.yaml in this commit."""
    repository = find_repository(path, inside)
    revision = find_revision(repository, commit)
    folder = PurePosixPath(repository.folder)
    for above in folder.parents:
        tree = f"{revision.commit}:{'' if above == PurePosixPath('.') else above}"
        reply = repository.git.run("ls-tree", "--name-only", "-z", tree)
        if reply.errors:
            raise BadInput(f"{path}: git cannot list a folder above it: {reply.errors}")
        if any(
            is_access_file(name.decode("utf-8", "replace")) for name in reply.output.split(b"\0")
        ):
            return True
    return False
