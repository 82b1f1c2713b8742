"""A path in a question, even from another machine, names the file with the same suffix."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docgraph.model.identifiers import MAX_FOLDERS, normalise_name, path_suffixes


@pytest.mark.parametrize(
    "quoted",
    [
        'File "/usr/lib/site-packages/flask/cli.py", line 12, in main',
        r"File C:\Python27\lib\flask\cli.py, line 12",
        r"'..\\venv\\flask\\cli.py'",
        "[here](https://github.com/pallets/flask/blob/main/src/flask/cli.py#L12-L14)",
        "[...]/lib/python3.9/flask/cli.py:12: error",
        "it is in ./flask/cli.py.",
    ],
)
def test_a_quoted_path_may_be_ours_by_its_end(quoted: str) -> None:
    found = path_suffixes(quoted)
    assert "flask/cli.py" in found
    assert "flask.cli" in found


def test_the_longest_end_comes_first_and_a_name_alone_is_none() -> None:
    assert path_suffixes("see a/b/c.py") == ("a/b/c.py", "a.b.c", "b/c.py", "b.c")
    assert path_suffixes("see c.py and ./c.py") == ()


@pytest.mark.parametrize("text", ["and/or", "https://github.com/psf/requests", "1/2", "a\\nb", ""])
def test_what_ends_in_no_file_is_no_path(text: str) -> None:
    assert path_suffixes(text) == ()


def test_only_so_many_folders_count() -> None:
    found = path_suffixes("/".join("f" for _ in range(10_000)) + "/x.py")
    assert len(found) == 2 * MAX_FOLDERS


@given(st.text(alphabet="ab./\\: #", max_size=40))
def test_tails_are_normalised_and_each_once(text: str) -> None:
    found = path_suffixes(text)
    assert len(set(found)) == len(found)
    assert all(normalise_name(name) == name for name in found)
