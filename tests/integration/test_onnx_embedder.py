"""A model folder embeds as its own files say, and its identity covers each of them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from docgraph.adapters.onnx.embedder import OnnxEmbedder
from docgraph.model.errors import ModelError
from docgraph.model.vector import to_integers
from docgraph.ports.models import Embedder

TABLE = np.random.default_rng(5).normal(size=(8, 24)).astype(np.float32)
WORDS = ("[UNK]", "[CLS]", "[SEP]", "red", "green", "blue")
Change = Callable[[Path], object]


def write_model(
    path: Path,
    *,
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    output: str = "last_hidden_state",
    kind: int = TensorProto.INT64,
    outside: str | None = None,
) -> None:
    """Looks up the sum of its inputs in a table; `sentence_embedding` is the last token's row."""
    names = iter(f"sum{number}" for number in range(9))
    nodes, total = [], inputs[0]
    for name in inputs[1:]:
        nodes.append(helper.make_node("Add", [total, name], [summed := next(names)]))
        total = summed
    nodes.append(helper.make_node("Gather", ["table", total], ["rows"]))
    last = helper.make_node("Gather", ["rows", "end"], [output], axis=1)
    each = helper.make_node("Identity", ["rows"], [output])
    nodes.append(last if output == "sentence_embedding" else each)
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(name, kind, ["b", "s"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(TABLE, "table"), numpy_helper.from_array(np.array(-1), "end")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    if outside:
        onnx.save_model(
            model, path, save_as_external_data=True, location=outside, size_threshold=100
        )
    else:
        onnx.save_model(model, path)


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "small-model"
    path.mkdir()
    write_model(path / "model.onnx")
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    tokenizer.enable_padding(length=40)
    tokenizer.save(str(path / "tokenizer.json"))
    write_json(path / "config.json", {"model_type": "bert", "max_position_embeddings": 5})
    return path


def rows(*numbers: int) -> bytes:
    return to_integers(TABLE[list(numbers)].mean(axis=0, dtype=np.float64)).tobytes()


def embedded(folder: Path, text: str) -> bytes:
    return OnnxEmbedder(folder).embed([text])[0].tobytes()


def test_a_folder_keeps_the_port(folder: Path) -> None:
    embedder: Embedder = OnnxEmbedder(folder)
    assert (embedder.identity.name, embedder.identity.dimensions) == ("small-model", 24)


def test_tokens_are_averaged_where_the_folder_says_nothing(folder: Path) -> None:
    assert embedded(folder, "red green") == rows(1 + 1, 3 + 1, 4 + 1, 2 + 1)


def test_the_folder_can_ask_for_the_first_token(folder: Path) -> None:
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    assert embedded(folder, "red green") == rows(2)


def test_a_graph_that_pools_itself_is_believed(folder: Path) -> None:
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_max_tokens": True})
    write_model(folder / "model.onnx", output="sentence_embedding")
    assert embedded(folder, "red green") == rows(2 + 1)


def test_the_model_may_lie_in_a_folder_of_its_own(folder: Path) -> None:
    before = embedded(folder, "red")
    (folder / "onnx").mkdir()
    shutil.move(folder / "model.onnx", folder / "onnx" / "model.onnx")
    assert embedded(folder, "red") == before


def test_the_graph_gets_the_inputs_it_asks_for(folder: Path) -> None:
    write_model(folder / "model.onnx", inputs=("input_ids", "token_type_ids"))
    assert embedded(folder, "red") == rows(1, 3, 2)
    write_model(folder / "model.onnx", inputs=("input_ids", "position_ids"))
    assert embedded(folder, "red") == rows(1 + 0, 3 + 1, 2 + 2)
    write_model(folder / "model.onnx", kind=TensorProto.INT32)
    assert embedded(folder, "red") == rows(1 + 1, 3 + 1, 2 + 1)


def test_positions_of_a_roberta_start_after_the_padding(folder: Path) -> None:
    write_model(folder / "model.onnx", inputs=("position_ids",))
    write_json(folder / "config.json", {"model_type": "roberta", "pad_token_id": 1})
    assert embedded(folder, "red") == rows(2, 3, 4)


def test_texts_are_cut_to_the_shortest_length_that_a_file_names(folder: Path) -> None:
    assert embedded(folder, "red green blue red") == embedded(folder, "red green blue")
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 3})
    assert embedded(folder, "red green blue") == embedded(folder, "red")
    write_json(folder / "tokenizer_config.json", {"model_max_length": 10**30})
    assert embedded(folder, "red green blue") == embedded(folder, "red")


def test_a_text_without_tokens_has_no_direction(folder: Path) -> None:
    bare = Tokenizer.from_file(str(folder / "tokenizer.json"))
    bare.post_processor = processors.Sequence([])
    bare.save(str(folder / "tokenizer.json"))
    (vector,) = OnnxEmbedder(folder).embed([""])
    assert vector.tolist() == [0] * 24


def test_a_vector_does_not_depend_on_its_companions(folder: Path) -> None:
    texts = ["red", "red green", "green", "blue blue blue", "", "pink", "blue"] * 3
    embedder = OnnxEmbedder(folder, cores=4)
    alone = [embedder.embed([text])[0].tobytes() for text in texts]
    assert alone == [vector.tobytes() for vector in embedder.embed(texts)]


def test_tensors_kept_beside_the_model_are_part_of_its_identity(folder: Path) -> None:
    before = embedded(folder, "red")
    write_model(folder / "model.onnx", outside="weights.bin")
    assert embedded(folder, "red") == before
    identity = OnnxEmbedder(folder).identity
    (folder / "weights.bin").write_bytes((TABLE + 1).tobytes())
    assert OnnxEmbedder(folder).identity.digest != identity.digest
    (folder / "weights.bin").unlink()
    with pytest.raises(ModelError, match=r"weights.bin: cannot be read"):
        OnnxEmbedder(folder)


def test_every_file_that_is_read_is_part_of_the_identity(folder: Path) -> None:
    seen = {OnnxEmbedder(folder).identity.digest}
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 3})
    seen.add(OnnxEmbedder(folder).identity.digest)
    write_json(folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    seen.add(OnnxEmbedder(folder).identity.digest)
    write_json(folder / "config.json", {"model_type": "bert", "max_position_embeddings": 4})
    seen.add(OnnxEmbedder(folder).identity.digest)
    (folder / "README.md").write_text("not read")
    assert len(seen | {OnnxEmbedder(folder).identity.digest}) == 4


REFUSED: dict[str, tuple[Change, str]] = {
    "no model": (lambda f: (f / "model.onnx").unlink(), "neither model.onnx nor onnx/model.onnx"),
    "no tokenizer": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json: cannot be read"),
    "bad tokenizer": (lambda f: write_json(f / "tokenizer.json", {}), "tokenizer cannot be read"),
    "bad model": (lambda f: write_json(f / "model.onnx", {}), "onnxruntime cannot load"),
    "bad json": (lambda f: (f / "config.json").write_bytes(b"{"), "config.json: is not JSON"),
    "no object": (lambda f: write_json(f / "config.json", []), "holds no JSON object"),
    "unknown input": (
        lambda f: write_model(f / "model.onnx", inputs=("input_ids", "pixels")),
        "asks for pixels .*known are input_ids",
    ),
    "unknown output": (
        lambda f: write_model(f / "model.onnx", output="logits"),
        "gives logits; one of sentence_embedding",
    ),
    "unknown pooling": (
        lambda f: write_json(f / "1_Pooling" / "config.json", {"pooling_mode_max_tokens": True}),
        "max_tokens; cls_token or mean_tokens would fit",
    ),
    "no array": (lambda f: write_json(f / "modules.json", {}), "holds no JSON array"),
    "further layers": (
        lambda f: write_json(f / "modules.json", [{"type": "sentence_transformers.models.Dense"}]),
        "has a module .*Dense; Transformer",
    ),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_folder_that_does_not_fit_is_reported_why(
    folder: Path, change: Change, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    change(folder)
    with pytest.raises(ModelError, match=message):
        OnnxEmbedder(folder)
    assert capfd.readouterr().err == ""


def test_a_vocabulary_that_is_larger_than_the_model_is_reported(folder: Path) -> None:
    write_model(folder / "model.onnx", inputs=("input_ids", "position_ids"))
    write_json(folder / "config.json", {"max_position_embeddings": 40})
    with pytest.raises(ModelError, match="small-model: onnxruntime cannot run it"):
        OnnxEmbedder(folder).embed(["red " * 30])


def test_tensors_outside_the_folder_are_not_read(folder: Path) -> None:
    write_model(folder / "model.onnx", outside="weights.bin")
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    model.graph.initializer[0].external_data[0].value = "../weights.bin"
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match="tensors must lie beside it"):
        OnnxEmbedder(folder)
