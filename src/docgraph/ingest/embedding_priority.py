"""The order of embedding: source and docs, then tests, then vendored and generated files.

By path and first lines alone, so that the same file has the same priority everywhere. It decides
about order, never about what is embedded.
"""

import re
from typing import Final, Literal

from docgraph.model.node import CODE

EmbeddingPriority = Literal[1, 2, 3]
SOURCE_AND_DOCS: Final = 1
TESTS: Final = 2
VENDORED_AND_GENERATED: Final = 3

# Compared with folders in lower case, without the `_` or `.` before them.
VENDORED_FOLDERS = frozenset(
    {
        *("vendor", "vendored", "vendors", "third_party", "third-party", "thirdparty", "3rdparty"),
        *("node_modules", "bower_components", "site-packages", "dist-packages", "venv"),
        *("externals", "dist", "generated", "locale", "locales", "lc_messages"),
    }
)
TEST_FOLDERS = frozenset(
    {
        *("test", "tests", "test-data", "test_data", "testdata", "spec", "specs", "e2e"),
        *("fixtures", "__tests__", "__fixtures__", "__mocks__", "__snapshots__"),
    }
)
GENERATED_NAMES = frozenset(
    {"go.sum", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml"}
)
# Of names in lower case.
GENERATED_ENDS = (
    *(".lock", ".map", ".mo", ".po", ".pot", ".snap", ".xlf", ".xliff", ".min.css", ".min.html"),
    *(".min.js", ".min.mjs", ".min.cjs", "-min.js", ".bundle.js", ".designer.cs", ".g.cs"),
    *("_pb2.py", "_pb2_grpc.py", "_pb.js", "_pb.ts", ".pb.go"),
)
_GENERATED_NAME = re.compile(r"[._-]generated\.")
_TEST_NAME = re.compile(r"(?:test|spec)s?[._-]|conftest\.")  # at the beginning, in lower case
_TEST_STEM = re.compile(r"[._-](?:test|spec)s?\Z")  # before the suffix
_TEST_CLASS = re.compile(r"[a-z0-9]Tests?\Z")  # in Java and C#
_CLASS_SUFFIXES = frozenset({"java", "cs"})

FIRST_LINES = 10
FIRST_CHARACTERS = 2_000
_MARK = re.compile(
    r"""@generated\b
    |\bdo\ not\ (?:edit|modify)\b
    |\b(?:file|code|module|document|page)\ (?:is|was|has\ been)
        \ (?:auto-?|automatically\ |)generated\b
    |^\W{0,8}(?:code\ |auto-?|automatically\ |)generated\ (?:by|from|with)\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
# Code whose first lines are longer than this in the mean was written by a program.
LINE_CHARACTERS = 250
MEASURED_CHARACTERS = 20_000


def embedding_priority(path: str, kind: str, text: str) -> EmbeddingPriority:
    """`kind` and `text` are those of the document at that path."""
    *folders, name = path.split("/")
    lower = name.lower()
    within = {_plain(folder.lower()) for folder in folders}
    if within & VENDORED_FOLDERS or _is_generated_name(lower) or _is_generated(kind, text):
        return VENDORED_AND_GENERATED
    return TESTS if _is_test(within, name, kind) else SOURCE_AND_DOCS


def _plain(folder: str) -> str:
    """`_vendor` and `.venv` are `vendor` and `venv`; `__tests__` stays as it is."""
    return folder if folder.startswith("__") else folder.lstrip("._")


def _is_generated_name(lower: str) -> bool:
    return (
        lower in GENERATED_NAMES
        or lower.endswith(GENERATED_ENDS)
        or _GENERATED_NAME.search(lower) is not None
    )


def _is_generated(kind: str, text: str) -> bool:
    """Prose may have one line for a paragraph, so that only lines of code are measured."""
    head = "\n".join(text[:FIRST_CHARACTERS].splitlines()[:FIRST_LINES])
    if _MARK.search(head):
        return True
    measured = min(len(text), MEASURED_CHARACTERS)
    lines = text.count("\n", 0, measured) + 1
    return kind == CODE and measured > LINE_CHARACTERS * lines


def _is_test(within: set[str], name: str, kind: str) -> bool:
    if any(folder in TEST_FOLDERS or folder.endswith((".test", ".tests")) for folder in within):
        return True
    if kind != CODE:  # a page about tests is a page
        return False
    stem, _, suffix = name.rpartition(".")
    lower = name.lower()
    return (
        _TEST_NAME.match(lower) is not None
        or _TEST_STEM.search(stem.lower()) is not None
        or (suffix in _CLASS_SUFFIXES and _TEST_CLASS.search(stem) is not None)
    )
