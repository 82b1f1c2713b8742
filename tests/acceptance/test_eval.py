"""docgraph eval compares flat search with planned retrieval."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from docgraph.adapters.onnx.granite import GraniteEmbedder
from docgraph.model.errors import BadInput, DocgraphError, ModelError
from tests.acceptance.conftest import Run, data

MEASURES = [
    "recall@2",
    "recall@5",
    "recall@10",
    "acc@1",
    "acc@3",
    "acc@5",
    "hit@1",
    "hit@3",
    "hit@5",
    "ndcg@10",
    "mrr",
    "documents",
    "tokens",
    "p50_ms",
    "p99_ms",
]
DATA = Path(__file__).parents[3] / "shared" / "data"


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """The question is a sentence of its source; only an edge leads to the answer."""
    path = elsewhere / "set"
    path.mkdir()
    lines(
        path / "corpus.jsonl",
        {"_id": "source", "title": "Source", "text": "The rocket engine burns kerosene."},
        {"_id": "start", "title": "Rocket engine", "text": "A rocket engine and its kerosene."},
        {"_id": "answer", "title": "Zanzibar", "text": "An island with beaches and spices."},
        *({"_id": f"n{n}", "title": f"Engine {n}", "text": f"Engine part {n}."} for n in range(20)),
    )
    lines(
        path / "queries.jsonl",
        {"_id": "q", "text": "The rocket engine burns kerosene.", "source": "source"},
    )
    (path / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\tanswer\t1\n")
    lines(path / "edges.jsonl", {"source": "start", "target": "answer", "type": "explains"})
    return path


def test_every_mode_is_measured_and_planning_follows_edges(docgraph: Run, folder: Path) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    assert list(found) == ["flat", "planned", "intervals", "gain", "questions", "problems"]
    assert list(found["flat"]) == ["semantic", "bm25", "hybrid"]
    for measures in (*found["flat"].values(), found["planned"]):
        assert list(measures) == MEASURES
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@5"] == 1.0


def test_every_mean_has_its_interval_and_planning_its_gain(docgraph: Run, folder: Path) -> None:
    found = data(docgraph("eval", str(folder), "--json"))
    without_times = [name for name in MEASURES if not name.endswith("_ms")]
    for intervals in (*found["intervals"]["flat"].values(), found["intervals"]["planned"]):
        assert list(intervals) == without_times
    assert found["intervals"]["planned"]["recall@5"] == [1.0, 1.0]
    assert list(found["gain"]) == [n for n in without_times if n not in ("documents", "tokens")]
    assert found["gain"]["recall@5"] == {"over": "semantic", "mean": 1.0, "low": 1.0, "high": 1.0}
    shown = docgraph("eval", str(folder)).stdout
    assert "gain over the best flat" in shown
    assert "+1 (+1 to +1)" in shown


def test_a_held_out_edge_is_not_used(docgraph: Run, folder: Path) -> None:
    lines(folder / "heldout_edges.jsonl", {"source": "start", "target": "answer"})
    assert data(docgraph("eval", str(folder), "--json"))["planned"]["recall@10"] == 0


def test_the_source_of_a_question_is_not_searched(docgraph: Run, folder: Path) -> None:
    (folder / "qrels.tsv").write_text("q\tsource\t1\n")
    found = data(docgraph("eval", str(folder), "--json"))
    assert all(measures["recall@10"] == 0 for measures in found["flat"].values())
    assert found["planned"]["recall@10"] == 0


def test_a_stored_index_is_reused(docgraph: Run, folder: Path, elsewhere: Path) -> None:
    arguments = ("eval", str(folder), "--store", "stored.db", "--json")
    first = data(docgraph(*arguments))
    assert (elsewhere / "stored.db").is_file()
    again = data(docgraph(*arguments))
    assert first["planned"]["ndcg@10"] == again["planned"]["ndcg@10"]
    assert data(docgraph("status", "--store", "stored.db", "--json"))["scope"]["snapshots"] == [
        {"repository": "corpus", "branch": "main", "snapshot": 1}
    ]


BAD_ROWS: dict[str, object] = {
    "empty": {"_id": "empty", "text": " "},
    "signs": {"_id": "signs", "text": "?!"},
    "half": {"_id": "half", "text": "half a \ud800 character"},
    "number": {"_id": "number", "text": 7},
    "unknown": {"_id": "unknown", "text": "What is there?"},
    "nowhere": {"_id": "nowhere", "text": "What is there?", "source": "gone"},
    "q": {"_id": "q", "text": "The same id again?"},
    "list": ["not", "a", "question"],
    "nameless": {"text": "Which id?"},
}
REASONS = (
    "queries.jsonl:2: question 'empty': its text has no letter or digit",
    "queries.jsonl:3: question 'signs': its text has no letter or digit",
    "queries.jsonl:4: question 'half': the question holds bytes that are not text",
    "queries.jsonl:5: question 'number': `text` is not a string",
    "queries.jsonl:8: question 'q': its `_id` stands in an earlier row",
    "queries.jsonl:9: not a JSON object",
    "queries.jsonl:10: not a question: its `_id` is neither a string nor a whole number",
    "queries.jsonl:6: question 'unknown': the relevant document 'gone' is not in the corpus",
    "queries.jsonl:7: question 'nowhere': its source 'gone' is not in the corpus",
)


@pytest.fixture
def with_bad_rows(folder: Path) -> Path:
    """One good question, one of every kind that cannot be evaluated, and one without judgement."""
    with (folder / "queries.jsonl").open("a") as file:
        for row in (*BAD_ROWS.values(), {"_id": "unjudged", "text": "Why?"}):
            file.write(json.dumps(row) + "\n")
    with (folder / "qrels.tsv").open("a") as file:
        for name in BAD_ROWS:
            document = "gone" if name == "unknown" else "answer"
            file.write(f"{name}\t{document}\t1\n" if name not in ("list", "nameless") else "")
    return folder


def test_questions_that_cannot_be_evaluated_are_left_out_and_counted(
    docgraph: Run, folder: Path, with_bad_rows: Path
) -> None:
    found = data(docgraph("eval", str(with_bad_rows), "--json"))
    assert found["questions"] == {
        "total": 11,
        "evaluated": 1,
        "left_out": 9,
        "unjudged": 1,
        "beyond_limit": 0,
        "truncated": 0,
    }
    assert [f"{one['path']}: {one['reason']}" for one in found["problems"]] == [
        f"{folder}/{reason}" for reason in REASONS
    ]
    assert found["planned"]["recall@5"] == 1.0, "a question that is left out changes no mean"


def test_the_report_says_how_many_of_how_many_questions_were_evaluated(
    docgraph: Run, with_bad_rows: Path
) -> None:
    result = docgraph("eval", str(with_bad_rows))
    last = result.stdout.splitlines()[-1]
    assert last == "1 of 11 questions evaluated, 9 left out, 1 without a judgement"


@pytest.fixture
def ingests(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The ingests that were begun; each fails at once."""
    begun: list[object] = []

    def ingest(*arguments: object, **_: object) -> None:
        begun.append(arguments)
        raise BadInput("this is the ingest")

    monkeypatch.setattr("docgraph.engine.content.ContentService.ingest", ingest)
    return begun


def test_problems_are_reported_before_the_ingest(
    docgraph: Run, folder: Path, with_bad_rows: Path, ingests: list[object]
) -> None:
    result = docgraph("eval", str(with_bad_rows))
    assert str(result.exception) == "this is the ingest"
    assert len(ingests) == 1
    assert result.stderr.splitlines() == [f"left out: {folder}/{reason}" for reason in REASONS]


def test_without_a_question_that_can_be_evaluated_nothing_is_ingested(
    docgraph: Run, folder: Path, ingests: list[object]
) -> None:
    lines(folder / "queries.jsonl", {"_id": "q", "text": "?"})
    result = docgraph("eval", str(folder), "--store", "stored.db")
    assert str(result.exception) == (
        f"{folder}: no question can be evaluated: "
        f"{folder}/queries.jsonl:1: question 'q': its text has no letter or digit"
    )
    assert not ingests
    assert not Path("stored.db").exists()


WRONG = {
    "no corpus": ("corpus.jsonl", None, "corpus.jsonl: there is no such file"),
    "no judgements": ("qrels.tsv", None, "qrels.tsv: cannot be read"),
    "a bad grade": ("qrels.tsv", b"q\tanswer\t1\nq\tstart\t--1\n", "qrels.tsv:2: '--1'"),
    "a judgement that is no text": ("qrels.tsv", b"q\tanswer\t1\n\xff\tx\t1\n", "qrels.tsv:2:"),
    "an edge of a list": (
        "edges.jsonl",
        b'{"source": "start", "target": "answer", "type": []}\n',
        "edges.jsonl:1: no relation is called []",
    ),
    "an edge from nowhere": (
        "edges.jsonl",
        b'{"source": "", "target": "answer", "type": "explains"}\n',
        "edges.jsonl:1: source and target",
    ),
    "half a held-out pair": ("heldout_edges.jsonl", b'{"source": "a"}\n', "heldout_edges.jsonl:1:"),
    "a held-out pair that is no JSON": ("heldout_edges.jsonl", b"a b\n", "heldout_edges.jsonl:1:"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_cannot_be_used_is_an_error_before_the_ingest(
    docgraph: Run, folder: Path, ingests: list[object], name: str
) -> None:
    file, content, message = WRONG[name]
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(content)
    result = docgraph("eval", str(folder), "--store", "stored.db")
    assert isinstance(result.exception, BadInput)
    assert message in str(result.exception)
    assert not ingests
    assert not Path("stored.db").exists()


RERANKED = "[search_nodes: {rerank: 5}, fetch_evidence: {}, assemble_context: {}]"


@pytest.mark.parametrize(
    ("steps", "message"),
    [("[search_nodes: {}]", "makes no context"), (RERANKED, "no reranker is configured")],
)
def test_a_pipeline_that_cannot_be_measured_is_an_error_before_the_ingest(
    docgraph: Run, folder: Path, ingests: list[object], steps: str, message: str
) -> None:
    Path("mine.yaml").write_text(f"pipeline: mine\nsteps: {steps}\n")
    result = docgraph("eval", str(folder), "-p", "mine.yaml", "--store", "stored.db")
    assert isinstance(result.exception, DocgraphError)
    assert message in str(result.exception)
    assert not ingests
    assert not Path("stored.db").exists()


def test_a_long_question_is_truncated_and_counted(docgraph: Run, folder: Path) -> None:
    text = "The rocket engine burns kerosene. " + "more text " * 3_000
    lines(folder / "queries.jsonl", {"_id": "q", "text": text, "source": "source"})
    result = docgraph("eval", str(folder), "--json")
    assert result.stderr == ""
    found = data(result)
    assert (found["questions"]["evaluated"], found["questions"]["truncated"]) == (1, 1)
    shown = docgraph("eval", str(folder)).stdout
    assert "1 of 1 questions evaluated, 1 truncated to 20,000 characters" in shown


@pytest.fixture
def three_questions(folder: Path) -> Path:
    lines(folder / "queries.jsonl", *({"_id": name, "text": f"Why {name}?"} for name in "abc"))
    (folder / "qrels.tsv").write_text("".join(f"{name}\tanswer\t1\n" for name in "abc"))
    return folder


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Texts for which the embedder fails, as a server does that does not take them."""
    texts: set[str] = set()
    embed = GraniteEmbedder.embed

    def fail(embedder: GraniteEmbedder, given: Sequence[str]) -> object:
        if not texts.isdisjoint(given):
            raise ModelError("the server answered 400")
        return embed(embedder, given)

    monkeypatch.setattr(GraniteEmbedder, "embed", fail)
    return texts


def test_a_question_that_fails_after_the_ingest_is_left_out_of_every_measure(
    docgraph: Run, three_questions: Path, refused: set[str]
) -> None:
    refused.add("Why b?")
    result = docgraph("eval", str(three_questions), "--json")
    found = data(result)
    assert (found["questions"]["evaluated"], found["questions"]["left_out"]) == (2, 1)
    assert result.stderr == (
        f"left out: {three_questions}/queries.jsonl:2: question 'b': the server answered 400\n"
    )
    assert [one["path"] for one in found["problems"]] == [f"{three_questions}/queries.jsonl:2"]


def test_if_every_question_fails_the_error_names_them(
    docgraph: Run, three_questions: Path, refused: set[str]
) -> None:
    refused.update({"Why a?", "Why b?", "Why c?"})
    result = docgraph("eval", str(three_questions))
    assert "no question could be evaluated" in str(result.exception)
    assert "question 'c': the server answered 400" in str(result.exception)


def test_five_failures_in_a_row_end_the_evaluation(
    docgraph: Run, folder: Path, refused: set[str]
) -> None:
    texts = [f"Why {number}?" for number in range(9)]
    lines(folder / "queries.jsonl", *({"_id": text, "text": text} for text in texts))
    (folder / "qrels.tsv").write_text("".join(f"{text}\tanswer\t1\n" for text in texts))
    refused.update(texts[1:6])
    assert isinstance(docgraph("eval", str(folder)).exception, ModelError)
    refused.remove(texts[3])
    assert data(docgraph("eval", str(folder), "--json"))["questions"]["evaluated"] == 5


def test_a_limit_is_one_or_more_and_counts_questions_that_can_be_evaluated(
    docgraph: Run, folder: Path
) -> None:
    rows = [{"_id": name, "text": text} for name, text in (("a", "?"), ("b", "Why?"), ("c", "2?"))]
    lines(folder / "queries.jsonl", *rows)
    (folder / "qrels.tsv").write_text("".join(f"{name}\tanswer\t1\n" for name in "abc"))
    found = data(docgraph("eval", str(folder), "--limit", "1", "--json"))["questions"]
    assert (found["evaluated"], found["left_out"], found["beyond_limit"]) == (1, 1, 1)
    assert docgraph("eval", str(folder), "--limit", "0").exit_code == 2


@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation sets are not beside the project")
def test_the_evaluation_sets_can_be_read() -> None:
    from docgraph.evaluation.dataset import read_dataset

    for name in ("peps", "musique", "scifact", "cosqa", "issue-localisation"):
        found = read_dataset(DATA / name, limit=3)
        assert len(found.questions) == 3
        assert found.collections
        assert found.problems == ()
