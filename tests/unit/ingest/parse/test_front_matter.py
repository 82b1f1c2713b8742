"""Front matter is read as it is written, or left alone and said so."""

import pytest

from docgraph.ingest.parse.front_matter import front_matter


def test_scalars_and_lists_become_fields_with_their_places() -> None:
    text = "---\ntitle: \"A: b\"\nid: 0012\ndate: 2024-13-45\nsupersedes: [x.md, 'y']\n---\n# H\n"
    fields, end, remark = front_matter(text)
    assert [(f.name, f.value, f.line) for f in fields] == [
        ("title", "A: b", 2),
        ("id", "0012", 3),
        ("date", "2024-13-45", 4),
        ("supersedes", "x.md", 5),
        ("supersedes", "y", 5),
    ]
    assert all(text[f.start : f.end] == f.value for f in fields)
    assert text[end:] == "# H\n"
    assert remark == ""


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("---\na: [1\n---\n", "line 3: front matter is not YAML"),
        ("---\njust words\n---\n", "line 1: front matter is not a mapping; kept as text"),
        ("---\na: \x07\n---\n", "line 1: front matter is not YAML; kept as text"),
    ],
)
def test_what_is_not_a_yaml_mapping_is_kept_as_text_and_reported(text: str, remark: str) -> None:
    fields, end, said = front_matter(text)
    assert (fields, end) == ((), 0)
    assert said.startswith(remark)


@pytest.mark.parametrize("text", ["# H\n---\na: b\n---\n", "---\nno end", "---\n---\n", ""])
def test_a_rule_on_top_is_no_front_matter(text: str) -> None:
    assert front_matter(text) == ((), 0, "")


def test_a_bomb_of_aliases_does_no_harm() -> None:
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40))]
    fields, _, remark = front_matter("---\n" + "\n".join(lines) + "\n---\n")
    assert remark == ""
    assert [field.name for field in fields] == ["a0", "a0"]
