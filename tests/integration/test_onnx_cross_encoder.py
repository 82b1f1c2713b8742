"""A cross-encoder from an ONNX folder scores pairs of question and text; search reorders by it."""

import json
import random
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from docgraph.adapters.onnx import cross_encoder
from docgraph.adapters.onnx.cross_encoder import OnnxCrossEncoder
from docgraph.adapters.onnx.model_folder import ModelFolder
from docgraph.adapters.onnx.session import Session, open_folder_session
from docgraph.adapters.onnx.tokenizer import load_tokenizer, pair_tokens
from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import AccessRule
from docgraph.model.digest import plain
from docgraph.model.document import Document
from docgraph.model.errors import ModelError
from docgraph.model.seeds import Seeds
from docgraph.pipeline.load import load
from docgraph.pipeline.pipeline import Pipeline
from docgraph.pipeline.request import QuestionRequest
from docgraph.ports.models import RerankModel
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.build import build_engine
from docgraph.wiring.doctor import diagnose
from docgraph.wiring.settings import Settings
from tests.support.cross_encoder_files import (
    TWO_CLASSES,
    make_cross_encoder,
    write_graph,
    write_tokenizer,
)
from tests.support.small_world import IDENTITY, document, write

WORDS = "which pump feeds the cold engine in winter fuel tank pumps oil"
QUESTION = "Which pump feeds the cold engine in winter?"
Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_cross_encoder(tmp_path / "counts-words", WORDS)


def scores(folder: Path, texts: Sequence[str], question: str = QUESTION) -> list[float]:
    return OnnxCrossEncoder(folder).relevance(question, texts)


# Pairs of question and text


def test_a_cross_encoder_implements_the_port(folder: Path) -> None:
    model: RerankModel = OnnxCrossEncoder(folder)
    assert (model.name, model.clearance) == ("counts-words", None)
    assert model.relevance(QUESTION, []) == []


def test_a_score_depends_on_question_and_text(folder: Path) -> None:
    assert scores(folder, ["the pump", "oil", "", "Cold winter, COLD engine"]) == [2, 0, 0, 3]
    assert scores(folder, ["the pump", "oil"], question="oil") == [0, 1]


def test_segments_are_those_that_the_tokenizer_gives(folder: Path) -> None:
    write_tokenizer(folder / "tokenizer.json", WORDS, pair="[CLS]:0 $A:0 [SEP]:0 $B:0 [SEP]:0")
    assert scores(folder, ["the pump"]) == [0]  # as roberta's: nothing is in a second segment


def test_a_model_of_two_classes_scores_by_their_difference(folder: Path) -> None:
    write_graph(folder / "model.onnx", TWO_CLASSES)
    assert scores(folder, ["the pump", "oil"]) == [2 - 4, 0 - 4]


def test_the_model_may_be_in_a_subfolder(folder: Path) -> None:
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / "onnx" / "model.onnx")
    assert scores(folder, ["the pump"]) == [2]


def test_half_a_character_can_be_read(folder: Path) -> None:
    assert scores(folder, ["the \ud83d pump"], question="pump \udc00") == [1]


# Truncation


def test_a_text_is_truncated_to_the_tokens_that_the_question_leaves(folder: Path) -> None:
    write_config(folder, max_position_embeddings=8)
    assert scores(folder, ["oil oil winter"], question="pump winter") == [1]
    assert scores(folder, ["oil oil oil winter"], question="pump winter") == [0]


def test_a_question_is_not_truncated_if_it_leaves_tokens_for_a_text(folder: Path) -> None:
    write_config(folder, max_position_embeddings=8)  # 5 tokens, and 3 special ones
    assert scores(folder, ["winter oil"], question="the cold pump winter") == [1]
    assert scores(folder, ["oil winter"], question="the cold pump winter") == [0]


def test_a_question_that_leaves_no_tokens_is_truncated_to_half_of_them(folder: Path) -> None:
    write_config(folder, max_position_embeddings=8)
    question = "the cold pump in winter"
    assert scores(folder, ["oil oil cold"], question=question) == [1]
    assert scores(folder, ["oil oil oil cold"], question=question) == [0]
    assert scores(folder, ["pump in winter"], question=question) == [0]


@pytest.mark.parametrize("question_words", range(12))
@pytest.mark.parametrize("longest", [5, 6, 9])
def test_a_pair_has_no_more_tokens_than_the_model_reads(
    folder: Path, question_words: int, longest: int
) -> None:
    tokenizer = load_tokenizer("words", (folder / "tokenizer.json").read_text())
    for text_words in range(12):
        ids, segments = pair_tokens(
            tokenizer, "pump " * question_words, "oil " * text_words, longest
        )
        assert len(ids) == len(segments) == min(longest, len(ids))
        whole = tokenizer.encode("pump " * question_words, "oil " * text_words)
        if question_words < longest - 3 and len(whole) <= longest:
            assert (ids, segments) == (whole.ids, whole.type_ids)
        assert (1 in segments[:-1]) == bool(text_words)  # some of every text is read


# Equal input, equal output


def test_a_score_depends_neither_on_other_texts_nor_on_cores(folder: Path) -> None:
    write_graph(folder / "model.onnx", ((0.37, 0.011),))
    generator = random.Random(4)
    texts = [
        " ".join(generator.choices(WORDS.split(), k=generator.randint(0, 70))) for _ in range(40)
    ]
    alone = [scores(folder, [text])[0] for text in texts]
    assert len(set(alone)) > 4
    for cores in (1, 2, 7):
        model = OnnxCrossEncoder(folder, cores=cores)
        assert model.relevance(QUESTION, texts) == alone
        assert model.relevance(QUESTION, texts[::-1]) == alone[::-1]


def test_scores_are_rounded_to_digits_that_all_machines_share(folder: Path) -> None:
    write_graph(folder / "model.onnx", ((1e-6, 0.5),))
    assert scores(folder, ["the pump", "oil"]) == [0.5, 0.5]


def test_concurrent_questions_read_the_folder_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    def recording_open(found: ModelFolder) -> Session:
        opened.append(found.path)
        return open_folder_session(found)

    monkeypatch.setattr(cross_encoder, "open_folder_session", recording_open)
    model = OnnxCrossEncoder(folder)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: model.relevance(QUESTION, ["the pump", "oil"]), range(24)))
    assert found == [[2, 0]] * 24
    assert opened == [folder]


# Invalid folders


def write_config(folder: Path, **settings: object) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", **settings}))


INVALID: dict[str, tuple[Change, str]] = {
    "no folder": (shutil.rmtree, "counts-words: holds neither model.onnx nor onnx/model.onnx"),
    "no model": (lambda f: (f / "model.onnx").unlink(), "holds neither model.onnx nor onnx/model"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json: cannot be read"),
    "bad tokenizer": (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer cannot be"),
    "bad model": (lambda f: (f / "model.onnx").write_text("{}"), "onnxruntime cannot load"),
    "bad config": (lambda f: (f / "config.json").write_text("{"), "config.json: is not JSON"),
    "a bi-encoder": (
        lambda f: write_graph(f / "model.onnx", output="last_hidden_state"),
        "counts-words: the model gives last_hidden_state; .* text classification gives logits",
    ),
    "unknown input": (
        lambda f: write_graph(f / "model.onnx", segments="pixels"),
        "asks for pixels .*known are input_ids",
    ),
    "three classes": (
        lambda f: write_graph(f / "model.onnx", ((1.0, 0.0),) * 3),
        r"counts-words: logits has shape \(1, 3\); \(1, 1\), a score, or \(1, 2\), .* would fit",
    ),
    "not a number": (
        lambda f: write_graph(f / "model.onnx", ((1.0, np.nan),)),
        "counts-words: a score is not a finite number",
    ),
    "infinite": (
        lambda f: write_graph(f / "model.onnx", ((1.0, np.inf), (1.0, np.inf))),
        "counts-words: a score is not a finite number",
    ),
    "no pairs": (
        lambda f: write_tokenizer(f / "tokenizer.json", WORDS, pair=None),
        "tokenizer.json: sets no token between a question and a text",
    ),
    "too few tokens": (
        lambda f: write_config(f, max_position_embeddings=4),
        "reads 4 tokens; a question and a text need 5",
    ),
}


@pytest.mark.parametrize(("change", "message"), INVALID.values(), ids=INVALID.keys())
def test_an_error_says_why_a_folder_is_invalid(
    folder: Path, change: Change, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    change(folder)
    model = OnnxCrossEncoder(folder)
    for _ in range(2):
        with pytest.raises(ModelError, match=message):
            model.relevance(QUESTION, ["a text", "another"])
    assert capfd.readouterr().err == ""


def test_doctor_tries_a_reranker_that_is_set(folder: Path, tmp_path: Path) -> None:
    settings = Settings(store=str(tmp_path / "none.db"), reranker_folder=str(folder))

    def reranker_findings(settings: Settings) -> list[tuple[bool, str]]:
        found = diagnose(settings, local())
        return [(finding.good, finding.detail) for finding in found if finding.part == "reranker"]

    assert reranker_findings(settings) == [(True, "counts-words, gives a text 0")]
    assert reranker_findings(replace(settings, reranker_folder=None)) == []
    (folder / "tokenizer.json").unlink()
    ((good, detail),) = reranker_findings(settings)
    assert not good
    assert "tokenizer.json: cannot be read" in detail


# In search

# One text has all terms of the question and many others; the other texts repeat a few terms.
VISIBLE = [
    document("pumps.md", "pump engine pump engine pump engine"),
    document("cold.md", "cold winter cold winter"),
    document("feeds.md", "which feeds the engine, which feeds the pump"),
    document("test.md", "winter in the engine test, in the winter"),
    document(
        "answer.md",
        "The tank lies low. Once snow has come and oil is thick, a hand pump of brass, kept dry "
        "behind that panel, feeds whatever cold engine still stands outside in winter, until "
        "somebody mends our older one.",
    ),
]
SEARCH_ORDER = ("r:feeds.md", "r:pumps.md", "r:test.md", "r:answer.md", "r:cold.md")
RERANKED_ORDER = ("r:answer.md", "r:feeds.md", "r:test.md", "r:pumps.md", "r:cold.md")
HIDDEN = document(
    "secret.md", f"{QUESTION} secret", rule=AccessRule("local", frozenset({"others"}))
)


def make_reranking_engine(
    path: Path, documents: Sequence[Document], folder: Path | str | None
) -> Engine:
    store = path / "s.db"
    with SqliteStore(store, now=lambda: "now").open_writer(
        "local", "r", "main", IDENTITY
    ) as writes:
        write(writes, documents)
        writes.publish()
    reranker = str(folder) if folder else None
    return build_engine(Settings(store=str(store), reranker_folder=reranker), HashedWords)


def load_reranking(path: Path, first: int, extends: str = "flat") -> Pipeline:
    """A pipeline file of a user."""
    file = path / "mine.yaml"
    file.write_text(
        f"pipeline: mine\nextends: {extends}\nchange:\n  search_nodes: {{rerank: {first}}}\n"
    )
    return load(str(file))


@pytest.mark.requirement(16)
def test_a_cross_encoder_changes_the_order_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    engine = make_reranking_engine(tmp_path, VISIBLE, folder)
    before = engine.questions.retrieve(
        QuestionRequest(local(), load_reranking(tmp_path, 0), QUESTION)
    ).seeds
    ranked = engine.questions.retrieve(
        QuestionRequest(local(), load_reranking(tmp_path, 5), QUESTION)
    ).seeds
    assert before.ids == SEARCH_ORDER
    assert ranked.ids == RERANKED_ORDER
    assert sorted(before.ranked, key=str) == sorted(ranked.ranked, key=str)
    search = dict(ranked.search)
    assert search.pop("rerank") == "counts-words"
    assert search == {key: value for key, value in before.search if key != "rerank"}
    assert all(getattr(before, f.name) == getattr(ranked, f.name) for f in fields(Seeds)[2:])


@pytest.mark.requirement(16)
def test_the_order_of_the_context_is_that_of_the_reranker(folder: Path, tmp_path: Path) -> None:
    engine = make_reranking_engine(tmp_path, VISIBLE, folder)
    first = {
        count: engine.questions.retrieve(
            QuestionRequest(local(), load_reranking(tmp_path, count, "documents"), QUESTION)
        )
        for count in (0, 5)
    }
    first_documents = {count: found.context.items[0].document_id for count, found in first.items()}
    assert first_documents == {0: "r:feeds.md", 5: "r:answer.md"}
    assert shape(plain(first[0].context)) == shape(plain(first[5].context))


def shape(value: object) -> object:
    """Its keys and types; the numbers of items depend on the token budget."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted({str(shape(inner)) for inner in value})
    return type(value).__name__


def test_only_the_first_candidates_are_reranked(folder: Path, tmp_path: Path) -> None:
    engine = make_reranking_engine(tmp_path, VISIBLE, folder)
    four = engine.questions.retrieve(
        QuestionRequest(local(), load_reranking(tmp_path, 4), QUESTION)
    ).seeds
    assert four.ids == RERANKED_ORDER
    three = engine.questions.retrieve(
        QuestionRequest(local(), load_reranking(tmp_path, 3), QUESTION)
    ).seeds
    assert three.ids == ("r:feeds.md", "r:test.md", "r:pumps.md", *SEARCH_ORDER[3:])


def test_a_folder_is_read_only_if_a_pipeline_reranks(tmp_path: Path) -> None:
    engine = make_reranking_engine(tmp_path, VISIBLE, "nowhere")
    assert (
        engine.questions.retrieve(
            QuestionRequest(local(), load_reranking(tmp_path, 0), QUESTION)
        ).seeds.ids
        == SEARCH_ORDER
    )
    with pytest.raises(ModelError, match="nowhere: holds neither"):
        engine.questions.retrieve(QuestionRequest(local(), load_reranking(tmp_path, 1), QUESTION))


@pytest.mark.requirement(16)
@pytest.mark.requirement(34)
def test_what_a_reader_may_not_see_is_not_read_and_changes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def recording_pair_tokens(
        tokenizer: Tokenizer, question: str, text: str, longest: int
    ) -> tuple[list[int], list[int]]:
        read.append(text)
        return pair_tokens(tokenizer, question, text, longest)

    monkeypatch.setattr(cross_encoder, "pair_tokens", recording_pair_tokens)
    found = []
    for name, documents in (("without", VISIBLE), ("with", [*VISIBLE, HIDDEN])):
        (tmp_path / name).mkdir()
        engine = make_reranking_engine(tmp_path / name, documents, folder)
        result = engine.questions.retrieve(
            QuestionRequest(local(), load_reranking(tmp_path, 8, "documents"), QUESTION)
        )
        found.append((result.to_saved_plan().to_json(), result.context, tuple(sorted(read))))
        read.clear()
    assert found[0] == found[1]
    assert len(found[0][2]) == len(VISIBLE)
    assert "secret" not in str(found)
