"""The benchmark of questions about a tree runs at a tiny size; no time is asserted."""

from pathlib import Path

import pytest

from benchmarks import tree_questions
from benchmarks.search_baseline import MISSING, is_installed

PAGES = 30


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for number in range(PAGES):
        page = folder / f"part{number % 3}" / f"page{number}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        text = f"Cranes lift cargo{number} beside harbour{number} walls."
        page.write_text(f"# Page {number}\n\n{text} See page{number - 1}.\n", encoding="utf-8")
    return folder


def test_questions_are_words_of_chunks_of_the_whole_tree(tree: Path, tmp_path: Path) -> None:
    texts = list(tree_questions.chunk_texts(tree_questions.ingest(tree, tmp_path / "s.db")))
    assert len(texts) == PAGES
    asked = [one.text for one in tree_questions.questions_about(texts, 10)]
    assert len(set(asked)) == 10
    for one in asked:
        words = one.split()
        assert 0 < len(words) <= tree_questions.WORDS
        assert any(all(word in text for word in words) for text in texts)


def test_fewer_chunks_than_questions_are_asked_once_each() -> None:
    asked = tree_questions.questions_about(["some words", "some words", "other words", "1 2"], 10)
    assert [one.text for one in asked] == ["some words", "other words"]


@pytest.mark.skipif(not is_installed(), reason=MISSING)
def test_every_pipeline_is_measured_on_new_questions_and_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tree_questions, "WARM_UP", 2)
    tree_questions.measure(tree, 5)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith(f"tree: {PAGES} chunks, ")
    assert [line.split()[:2] for line in lines] == [
        [f"{name},", when] for name in tree_questions.PIPELINES for when in ("new", "again")
    ]
