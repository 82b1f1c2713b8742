"""What is remembered is right, and bounded."""

from docgraph.adapters.onnx.granite import CountCache


def test_a_cached_text_is_counted_once() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    lengths = CountCache(count, most=3, longest=4)
    assert [lengths[text] for text in ("a", "bb", "a", "a")] == [1, 2, 1, 1]
    assert asked == ["a", "bb"]


def test_the_cache_is_bounded() -> None:
    lengths = CountCache(len, most=3, longest=4)
    texts = ["a", "bb", "ccc", "dddd", "a", "e" * 5]
    assert [lengths[text] for text in texts] == [len(text) for text in texts]
    assert lengths == {"dddd": 4, "a": 1}
