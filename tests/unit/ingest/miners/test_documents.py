"""A document that names a symbol or a file of code documents it."""

import pytest

from tests.unit.ingest.fakes import candidates, edges, evidence_of, unresolved

ENGINE = {"src/pkg/engine.py": "class Engine:\n    def ask_all(self): ...\n\ndef run(): ...\n"}
METHOD = "src/pkg/engine.py::Engine.ask_all"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Call ask_all to do so.", METHOD),
        ("Call Engine.ask_all() to do so.", METHOD),
        ("Call pkg.engine.Engine.ask_all to do so.", METHOD),
        ("`run` does so.", "src/pkg/engine.py::run"),
        ("`Engine` does so.", "src/pkg/engine.py::Engine"),
        ("pkg.engine does so.", "src/pkg/engine.py"),
        ("It is in src/pkg/engine.py.", "src/pkg/engine.py"),
        ("It is in `engine.py`.", "src/pkg/engine.py"),
    ],
)
def test_a_symbol_or_path_in_a_text_is_documented_by_it(text: str, target: str) -> None:
    assert edges({"a.md": text} | ENGINE, "documents") == [("a.md", "documents", target)]


@pytest.mark.parametrize("text", ["run the engine", "https://x.y/src/pkg/engine.py", "e.g. run"])
def test_plain_words_and_addresses_document_nothing(text: str) -> None:
    assert edges({"a.md": text} | ENGINE, "documents") == []


def test_code_documents_nothing_and_documents_are_not_documented() -> None:
    files = {"a.py": "# see ask_all\n", "b.md": "see docs/c.md", "docs/c.md": ""} | ENGINE
    assert edges(files, "documents") == []


def test_the_span_is_the_name_itself() -> None:
    (one,) = evidence_of({"a.md": "one\n\ncall `Engine.ask_all()`"} | ENGINE, "documents")
    assert (one.line, one.start, one.end) == (3, 11, 25)
    assert one.text == "Engine.ask_all"


def test_of_several_symbols_of_a_name_the_nearest_is_the_target() -> None:
    files = {
        "x/README.md": "`fetch`",
        "x/a.py": "def fetch(): ...\n",
        "y/a.py": "def fetch(): ...\n",
    }
    assert len(candidates(files, "documents")) == 2
    assert edges(files, "documents") == [("x/README.md", "documents", "x/a.py::fetch")]


def test_a_name_of_nothing_is_not_reported() -> None:
    assert unresolved({"a.md": "`gone`, gone_too and src/gone.py"}, "documents") == []
