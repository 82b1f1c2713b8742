"""Finding a git repository, and the commit that a name stands for."""

from dataclasses import dataclass
from pathlib import Path

from docgraph.adapters.sources.git_program import Git
from docgraph.model.errors import BadInput
from docgraph.model.would_fit import would_fit

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


def find_repository(path: Path) -> Repository:
    """A bare repository, a work tree, a linked one, or a folder inside of them."""
    if not path.is_dir():
        raise BadInput(f"{path}: there is no such folder")
    here = Git(path)
    found = here.ask("rev-parse", "--absolute-git-dir")
    if found.errors:
        raise _refused(path, found.errors)
    git_dir = Path(found.line)
    return Repository(path, Git(git_dir, git_dir), here.ask("rev-parse", "--show-prefix").line)


def find_revision(repository: Repository, ref: str) -> Revision:
    """Where `ref` names both, a tag comes before a branch, as everywhere in git."""
    if not ref.isprintable():
        raise BadInput(f"{ref!r} cannot name a branch, tag or commit")
    commit = _verified(repository, f"{ref}^{{commit}}")
    if commit is None:
        raise _unknown(repository, ref)
    tree = _verified(repository, f"{commit}:{repository.folder}")
    if tree is None:
        raise BadInput(f"{repository.path}: there is no folder {repository.folder} in {ref}")
    full = repository.git.ask(
        "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", ref
    ).line
    branch = full.removeprefix("refs/heads/") if full.startswith("refs/heads/") else None
    return Revision(commit, branch, tree)


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
    fitting = would_fit(ref, known) if known else "there is no commit in it yet"
    return BadInput(f"{repository.path}: no branch, tag or commit is called {ref!r}; {fitting}")


def _refused(path: Path, errors: str) -> BadInput:
    _, asks, remedy = errors.partition("To add an exception for this directory, call: ")
    if asks:
        return BadInput(
            f"{path}: the repository belongs to another user, so git does not open it; "
            f"if you trust it: {remedy}"
        )
    if "not a git repository" in errors:
        return BadInput(
            f"{path}: not a git repository; what fits is a work tree, a folder inside one, "
            "or a bare repository such as REPO.git"
        )
    return BadInput(f"{path}: git cannot open it: {errors}")
