"""YAML is read with line numbers, and nothing in it can do more than be read."""

import pytest

from docgraph.yaml_lines import BadYaml, Line, yaml_lines


def test_every_value_knows_its_line_and_a_keyed_one_that_of_its_key() -> None:
    found = yaml_lines(b"- a\n- b:\n    - c\n")
    inner = Line([Line("c", 3)], 2)
    assert found == Line([Line("a", 1), Line({"b": inner}, 2)], 1)
    assert found.plain() == ["a", {"b": ["c"]}]


def test_a_scalar_knows_how_it_is_written() -> None:
    found = yaml_lines(b"a: 010\nb: [0x1F, '7']\n").value
    assert (found["a"].value, found["a"].written) == (8, "010")
    assert [(item.value, item.written) for item in found["b"].value] == [(31, "0x1F"), ("7", "7")]
    assert found["b"].written == ""


@pytest.mark.parametrize("data", [b"", b"# nothing\n", b"null"])
def test_an_empty_text_has_no_value(data: bytes) -> None:
    assert yaml_lines(data) == Line(None, 1)


def test_an_error_names_its_line() -> None:
    with pytest.raises(BadYaml, match=r"^line 2: anchors, aliases and tags are not used here$"):
        yaml_lines(b"- a\n- &x b\n")
    with pytest.raises(BadYaml) as error:
        yaml_lines(b"- a\n- b: 1\n  b: 2\n")
    assert (error.value.line, error.value.reason) == (3, "'b' stands twice")


@pytest.mark.parametrize("data", [b'- a\n- "x\\ud800"', b'a: 1\n"\\udfff": 2'])
def test_half_a_character_is_refused(data: bytes) -> None:
    with pytest.raises(BadYaml, match="line 2: half a character"):
        yaml_lines(data)


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    bomb += [f"{n}: &{n} [{', '.join(['*' + chr(ord(n) - 1)] * 9)}]" for n in "bcdefghi"]
    with pytest.raises(BadYaml, match="line 1: anchors"):
        yaml_lines("\n".join(bomb).encode())
