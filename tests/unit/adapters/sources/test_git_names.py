"""Below a root, a commit is asked for by a plain name; on one's own machine as git can."""

import pytest

from docgraph.adapters.sources.git import GitSource
from docgraph.adapters.sources.git_repository import check_plain_name
from docgraph.model.errors import BadInput
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
def test_nothing_else_does_and_what_would_is_reported(made: GitRepository, ref: str) -> None:
    made.commit({"n.md": "n"})
    made.commit({"n.md": "m"})
    with (
        pytest.raises(BadInput, match="what fits is a branch, a tag, HEAD, or 4 to 64 digits"),
        open_source(made.folder, ref=ref, inside=made.folder),
    ):
        pass


def test_on_the_command_line_names_are_as_free_as_git_s(made: GitRepository) -> None:
    first = made.commit({"a.md": "a"})
    second = made.commit({"a.md": "b"})
    meant = {"main~1": first, "HEAD^": first, "main@{1}": first, "HEAD^{/as it}": second}
    for ref, commit in meant.items():
        with GitSource(made.folder, ref) as source:
            assert source.commit == commit
