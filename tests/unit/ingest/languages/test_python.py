"""Python files are read as far as they parse."""

import pytest

from docgraph.ingest.languages.python_imports import module_name
from docgraph.ingest.parsed_file import ParsedFile
from tests.unit.ingest.fakes import parsed

CODE = '''\
#!/usr/bin/env python
"""Über the module.

More."""
import os

@decorated(1)
async def fetch(url: str = "#",
                *, retries=3) -> bytes:  # why
    """Gets it."""
    def inner(): ...

class Store(Base, metaclass=M):
    # first
    """Keeps."""

    @property
    def size(self): ...

    @size.setter
    def size(self, value): ...

if os.name:
    def fetch(url): ...
'''


def test_symbols_nest_and_repeated_names_are_counted() -> None:
    found = parsed("a.py", CODE)
    assert [(p.kind, p.name, p.parent) for p in found.parts] == [
        ("function", "fetch", None),
        ("function", "fetch.inner", 0),
        ("class", "Store", None),
        ("method", "Store.size", 2),
        ("method", "Store.size~2", 2),
        ("function", "fetch~2", None),
    ]


def test_a_symbol_begins_with_its_decorators_and_ends_with_its_body() -> None:
    found = parsed("a.py", CODE)
    first = CODE[found.parts[0].start : found.parts[0].end]
    assert first.startswith("@decorated(1)\nasync def fetch")
    assert first.endswith("def inner(): ...")


def test_signatures_and_docstrings_are_read() -> None:
    found = parsed("a.py", CODE)
    assert found.lead == "Über the module.\n\nMore."
    assert found.parts[0].signature == 'async def fetch(url: str = "#", *, retries=3) -> bytes'
    assert [part.lead for part in found.parts[:3]] == ["Gets it.", "", "Keeps."]
    assert found.parts[2].signature == "class Store(Base, metaclass=M)"


def test_prose_is_comments_and_docstrings() -> None:
    found = parsed("a.py", CODE)
    assert prose_of(found) == [
        '#!/usr/bin/env python\n"""Über the module.\n\nMore."""',
        '# why\n    """Gets it."""',
        '# first\n    """Keeps."""',
    ]


def prose_of(found: ParsedFile) -> list[str]:
    return [found.text[start:end] for start, end in found.prose or ()]


def test_a_file_with_errors_is_read_as_far_as_it_parses() -> None:
    found = parsed("a.py", "def good(): ...\n\nclass (:\n\ndef also(): ...\n")
    assert {"good", "also"} <= {part.name for part in found.parts}
    assert found.remarks == ("line 3: does not parse; the rest was read",)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/docgraph/engine.py", "docgraph.engine"),
        ("packages/a/src/pkg/__init__.py", "pkg"),
        ("docgraph/engine.py", "docgraph.engine"),
        ("my-scripts/run.py", "run"),
        ("src/x-y.py", "x-y.py"),
        ("__init__.py", "__init__.py"),
        ("setup.py", "setup"),
    ],
)
def test_a_modules_title_is_its_dotted_name(path: str, name: str) -> None:
    assert module_name(path) == name
