"""Finding a git repository, and the commit that a name stands for."""

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
_OFFERED = 50  # the newest branches and tags, when a name stands for none


@dataclass(frozen=True, slots=True)
class Repository:
    """`folder` is where the path lies below the work tree's root: empty, or ending in `/`."""

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

    With `inside`, git is asked nothing before bounds are checked, and then reads what was checked.
    """
    if not path.is_dir():
        raise BadInput(f"{path}: there is no such folder")
    place = None if inside is None else check_bounds(path, inside)
    here = Git(path)
    own = _told(path, here, "--absolute-git-dir")
    folder = _told(path, here, "--show-prefix")
    if place is None:
        return Repository(path, Git(Path(own), Path(own)), folder)
    if Path(own) != place.own:
        raise BadInput(OUTSIDE)
    return Repository(path, Git(place.own, place.own, place.common), folder)


def _told(path: Path, git: Git, question: str) -> str:
    found = git.ask("rev-parse", question)
    if found.errors:
        raise _refused(path, found.errors)
    return found.line


def find_revision(repository: Repository, ref: str) -> Revision:
    """Where `ref` names a branch, that is what is read, whatever tags have the same name."""
    if not ref.isprintable():
        raise BadInput(f"{ref!r} cannot name a branch, tag or commit")
    branch = ref if _is_branch(repository, ref) else None
    name = ref if branch is None else f"{_BRANCHES}{branch}"
    commit = _verified(repository, f"{name}^{{commit}}")
    if commit is None:
        raise _unknown(repository, ref)
    tree = _verified(repository, f"{commit}:{repository.folder}")
    if tree is None:
        raise BadInput(f"{repository.path}: there is no folder {repository.folder} in {ref}")
    return Revision(commit, branch or _branch_behind(repository, ref), tree)


def _is_branch(repository: Repository, ref: str) -> bool:
    """HEAD and the whole id of a commit stay what they are, even where a branch is called so."""
    if ref == "HEAD" or _ID.fullmatch(ref):
        return False
    full = f"{_BRANCHES}{ref}"
    found = repository.git.ask("for-each-ref", "--format=%(refname)", full)
    return full in found.line.split("\n")


def _branch_behind(repository: Repository, ref: str) -> str | None:
    """The branch that HEAD is on, or that is named with more words, as `heads/main`."""
    full = repository.git.ask(
        "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", ref
    ).line
    return full.removeprefix(_BRANCHES) if full.startswith(_BRANCHES) else None


def _verified(repository: Repository, name: str) -> str | None:
    """The options end before the name, so that none which begins with `-` is taken for one."""
    reply = repository.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
    return None if reply.errors else reply.line


def _unknown(repository: Repository, ref: str) -> BadInput:
    reply = repository.git.ask(
        "for-each-ref",
        "--sort=-creatordate",
        f"--count={_OFFERED}",
        "--format=%(refname:short)",
        *("refs/heads", "refs/tags", "refs/remotes"),
    )
    known = reply.line.split("\n") if reply.line else []
    fitting = suggest(ref, known) if known else "there is no commit in it yet"
    return BadInput(f"{repository.path}: no branch, tag or commit is called {ref!r}; {fitting}")


def _refused(path: Path, errors: str) -> BadInput:
    _, asks, remedy = errors.partition("To add an exception for this directory, call: ")
    if asks:
        return BadInput(
            f"{path}: the repository belongs to another user, so git does not open it; "
            f"if you trust it: {remedy}"
        )
    if "not a git repository" in errors:
        return BadInput(f"{path}: {NO_REPOSITORY}")
    return BadInput(f"{path}: git cannot open it: {errors}")


# Names of branches, tags and commits in the plain form; git knows many more, some of them dear.


_CHARACTERS = re.compile(r"[^\x00-\x20\x7f~^:?*\[\\]{1,255}")
_NEVER = ("..", "//", "/.", "@{")


def check_plain_name(ref: str) -> None:
    """What git lets a branch be called; HEAD and the digits of a commit's id are of that form."""
    plain = (
        _CHARACTERS.fullmatch(ref) is not None
        and ref.isprintable()
        and ref != "@"
        and not ref.startswith(("-", ".", "/"))
        and not ref.endswith((".", "/", ".lock"))
        and not any(part in ref for part in _NEVER)
    )
    if not plain:
        fits = "what fits is a branch, a tag, HEAD, or 4 to 64 digits of a commit's id"
        raise BadInput(f"{ref!r} is no plain name; {fits}")


# The rules of a commit that lie above the folder which is read of it.


def git_parent_access_rules(path: Path, commit: str, inside: Path) -> bool:
    """Whether an access.yaml stands in a folder above, in this commit."""
    repository = find_repository(path, inside)
    revision = find_revision(repository, commit)
    folder = PurePosixPath(repository.folder)
    for above in folder.parents:
        tree = f"{revision.commit}:{'' if above == PurePosixPath('.') else above}"
        reply = repository.git.ask("ls-tree", "--name-only", "-z", tree)
        if reply.errors:
            raise BadInput(f"{path}: git cannot list a folder above it: {reply.errors}")
        if any(
            is_access_file(name.decode("utf-8", "replace")) for name in reply.output.split(b"\0")
        ):
            return True
    return False
