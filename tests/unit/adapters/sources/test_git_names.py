"""Below a root only plain names of commits are accepted; on the command line all that git knows."""

import pytest

from docgraph.adapters.sources.git import GitSource
from docgraph.adapters.sources.git_repository import check_plain_name
from docgraph.model.errors import BadInput
from docgraph.ports.source import SourceOptions
from docgraph.wiring.sources import open_source
from tests.support.git_repository import GitRepository


@pytest.mark.parametrize(
    "ref",
    [
        "main",
        "HEAD",
        "v1.0",
        "feature/a-b_c",
        "größe",
        "origin/main",
        "abcd",
        "a" * 64,
        "a@b",
        "#1",
    ],
)
def test_plain_names_are_accepted(ref: str) -> None:
    check_plain_name(ref)


@pytest.mark.parametrize(
    "ref",
    [
        ":/((((.{1,200}){1,200}){1,200}){1,200})",
        *("HEAD:n.md", "HEAD^{tree}", "HEAD^", "main~1", "@{-1}", "main@{1}", "@", "-h", "--all"),
        *(
            "",
            " ",
            "a b",
            "a\tb",
            "a\nb",
            "a\0b",
            "\u00a0",
            "\ud800",
            "a..b",
            "..",
            "../x",
            "a/../b",
        ),
        *("/a", "a/", "a//b", ".a", "a/.b", "a.", "a.lock", "a*", "a?", "[a", "a\\b", "a" * 256),
    ],
)
def test_other_names_are_refused_with_a_list_of_valid_forms(
    repository: GitRepository, ref: str
) -> None:
    repository.commit({"n.md": "n"})
    repository.commit({"n.md": "m"})
    with (
        pytest.raises(BadInput, match="what fits is a branch, a tag, HEAD, or 4 to 64 digits"),
        open_source(repository.folder, SourceOptions(ref=ref, inside=repository.folder)),
    ):
        pass


def test_the_command_line_accepts_every_name_of_git(repository: GitRepository) -> None:
    first = repository.commit({"a.md": "a"})
    second = repository.commit({"a.md": "b"})
    meant = {"main~1": first, "HEAD^": first, "main@{1}": first, "HEAD^{/as it}": second}
    for ref, commit in meant.items():
        with GitSource(repository.folder, ref) as source:
            assert source.commit == commit
