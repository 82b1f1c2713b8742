"""The cache of token counts gives correct counts and is bounded."""

from docgraph.adapters.onnx.granite import CountCache


def test_a_cached_text_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    lengths = CountCache(count, max_entries=3, max_characters=4)
    assert [lengths[text] for text in ("a", "bb", "a", "a")] == [1, 2, 1, 1]
    assert counted == ["a", "bb"]


def test_the_cache_is_bounded() -> None:
    lengths = CountCache(len, max_entries=3, max_characters=4)
    texts = ["a", "bb", "ccc", "dddd", "a", "e" * 5]
    assert [lengths[text] for text in texts] == [len(text) for text in texts]
    assert lengths == {"dddd": 4, "a": 1}
