"""Reading a pipeline file: every key with its line, or what is wrong and where."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docgraph.model.errors import BadPipeline
from docgraph.pipeline.load import MAX_BYTES, read_lines
from docgraph.yaml_lines import MAX_DEPTH, Line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "mine.yaml"


def refused(file: Path, text: str | bytes) -> str:
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(BadPipeline) as error:
        read_lines(file)
    return str(error.value)


@pytest.mark.requirement(41)
def test_every_value_knows_its_line(file: Path) -> None:
    file.write_text("pipeline: p\nsteps:\n  - a: {x: 1,\n        y: [2, null]}\n", encoding="utf-8")
    top = read_lines(file)
    assert top["pipeline"] == Line("p", 1)
    assert top["steps"].number == 2
    step = top["steps"].value[0]
    assert step.number == 3
    options = step.value["a"].value
    assert (options["x"], options["y"].number) == (Line(1, 3), 4)
    assert top["steps"].plain() == [{"a": {"x": 1, "y": [2, None]}}]


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "mine.yaml:1: a pipeline starts with `pipeline: name`"),
        ("# only a comment\n", "mine.yaml:1: a pipeline starts with `pipeline: name`"),
        ("- a\n- b\n", "mine.yaml:1: a pipeline starts with `pipeline: name`"),
        ("just text", "mine.yaml:1: a pipeline starts with `pipeline: name`"),
        ("a: 1\nb: [1,\n", "mine.yaml:3: not YAML: "),
        ("a: 1\n  b: 2\n", "mine.yaml:2: not YAML: "),
        ("a: 1\n---\nb: 2\n", "mine.yaml:2: not YAML: "),
        ("a: 1\nb: \x00\n", "mine.yaml:2: not YAML: special characters are not allowed"),
        ("a: 1\nb: 2\na: 3\n", "mine.yaml:3: 'a' stands twice"),
        ("a: 1\nb: {x: 1, x: 2}\n", "mine.yaml:2: 'x' stands twice"),
        ("a: 1\n? [b]\n: 2\n", "mine.yaml:1: keys are plain words"),
        ("a: 1\nb: " + "9" * 5000, "mine.yaml:2: "),
    ],
)
def test_what_is_no_mapping_is_refused_with_its_line(file: Path, text: str, message: str) -> None:
    assert refused(file, text).startswith(message)


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: &x {c: 1}\n",
        "a: 1\nb: *x\n",
        "a: 1\nb: !!python/object/apply:os.system [ls]\n",
        "a: 1\nb: !!set {x, y}\n",
        "a: 1\nb: !mine 3\n",
    ],
)
def test_anchors_aliases_and_tags_are_refused(file: Path, text: str) -> None:
    assert refused(file, text) == "mine.yaml:2: anchors, aliases and tags are not used here"


@pytest.mark.requirement(41)
def test_a_file_nested_too_deeply_is_refused(file: Path) -> None:
    deepest = MAX_DEPTH - 1
    file.write_text("a: " + "[" * deepest + "]" * deepest, encoding="utf-8")
    assert read_lines(file)
    for opening in ("[", "{a: ", "- ", "? "):
        message = refused(file, "a:\n  " + opening * MAX_DEPTH)
        assert message == "mine.yaml:2: nested too deeply"


@pytest.mark.requirement(41)
def test_deep_nesting_is_refused_before_it_takes_long(file: Path) -> None:
    """PyYAML needs minutes for a file of opening brackets alone."""
    assert refused(file, "a: " + "[" * (MAX_BYTES - 3)) == "mine.yaml:1: nested too deeply"


@pytest.mark.requirement(41)
def test_what_is_not_utf_8_is_refused_with_its_line(file: Path) -> None:
    assert refused(file, b"a: 1\nb: \xff\n") == "mine.yaml:2: not UTF-8 at byte 8"
    assert "not YAML" in refused(file, "a: 1".encode("utf-16-be"))


@pytest.mark.requirement(41)
def test_a_file_past_8_kibibytes_is_refused(file: Path) -> None:
    fits = "a: 1\n#" + "x" * (MAX_BYTES - 6)
    file.write_text(fits, encoding="utf-8")
    assert read_lines(file)["a"] == Line(1, 1)
    assert refused(file, fits + "x") == (
        "mine.yaml: a pipeline takes at most 8192 bytes, this is longer"
    )


@pytest.mark.requirement(41)
def test_a_directory_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "directory"), (tmp_path / "no.yaml", "No such file")):
        with pytest.raises(BadPipeline, match=f"cannot be read: .*{why}"):
            read_lines(path)
    with pytest.raises(BadPipeline, match="cannot be read: embedded null byte"):
        read_lines(Path("a\0b"))


def test_a_byte_order_mark_does_not_matter(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_lines(file) == {"a": Line(1, 1)}


@pytest.mark.requirement(41)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text("ab:-[]{}&*!?|>'\"#%@ \n\t12.", max_size=60))
def test_whatever_a_file_holds_it_is_read_or_refused(file: Path, data: bytes | str) -> None:
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    with contextlib.suppress(BadPipeline):
        assert all(isinstance(line, Line) for line in read_lines(file).values())
