"""A cross-encoder with a predictable score: how many words of a question occur in a text.

A folder as exporters write it: the graph takes tokens, their mask and their segments, and gives
`logits`. It compares every token with every other, as attention does, and reads all from the pair.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
ONE_SCORE = ((1.0, 0.0),)
TWO_CLASSES = ((-0.5, 3.0), (0.5, -1.0))  # apart by the count, less 4
BERT_PAIR = "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"


def make_cross_encoder(path: Path, words: str, *, longest: int = 64) -> Path:
    path.mkdir()
    write_graph(path / "model.onnx")
    write_tokenizer(path / "tokenizer.json", words)
    config = {"model_type": "bert", "max_position_embeddings": longest, "num_labels": 1}
    (path / "config.json").write_text(json.dumps(config))
    return path


def write_tokenizer(path: Path, words: str, pair: str | None = BERT_PAIR) -> None:
    """It pads and cuts, as files of published models do; docgraph must do neither by it."""
    known = dict.fromkeys((*SPECIAL, *words.split()))
    vocabulary = {word: number for number, word in enumerate(known)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if pair:
        marks = [("[CLS]", 1), ("[SEP]", 2)]
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", pair=pair, special_tokens=marks
        )
    tokenizer.enable_padding(length=64)
    tokenizer.enable_truncation(5)
    tokenizer.save(str(path))


def write_graph(
    path: Path,
    classes: tuple[tuple[float, float], ...] = ONE_SCORE,
    *,
    output: str = "logits",
    segments: str = "token_type_ids",
) -> None:
    """Every class has a factor and a summand: what it makes of the count."""
    constants: dict[str, npt.NDArray[Any]] = {
        "special": np.array(len(SPECIAL), dtype=np.int64),
        "along": np.array([1], dtype=np.int64),
        "across": np.array([2], dtype=np.int64),
        "factors": np.array([[factor for factor, _ in classes]], dtype=np.float32),
        "summands": np.array([[summand for _, summand in classes]], dtype=np.float32),
    }
    inputs = ("input_ids", "attention_mask", segments)
    graph = helper.make_graph(
        [*_counted(segments), *_answered(output)],
        "counts words of the question",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "s"]) for name in inputs],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["b", "c"])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save_model(model, path)


def _counted(segments: str) -> list[NodeProto]:
    """Tokens of the question, other than special ones, that are equal to one of the text."""
    node = helper.make_node
    return [
        node("GreaterOrEqual", ["input_ids", "special"], ["is_word"]),
        node("Cast", [segments], ["in_text"], to=TensorProto.BOOL),
        node("Not", ["in_text"], ["in_question"]),
        node("And", ["is_word", "in_question"], ["asked"]),
        node("Unsqueeze", ["asked", "across"], ["asking"]),
        node("Unsqueeze", ["in_text", "along"], ["answering"]),
        node("And", ["asking", "answering"], ["may_match"]),
        node("Unsqueeze", ["input_ids", "across"], ["each"]),
        node("Unsqueeze", ["input_ids", "along"], ["other"]),
        node("Equal", ["each", "other"], ["equal"]),
        node("And", ["equal", "may_match"], ["match"]),
        node("Cast", ["match"], ["matches"], to=TensorProto.FLOAT),
        node("ReduceMax", ["matches"], ["found"], axes=[2], keepdims=0),
        node("Cast", ["attention_mask"], ["seen"], to=TensorProto.FLOAT),
        node("Mul", ["found", "seen"], ["counted"]),
    ]


def _answered(output: str) -> list[NodeProto]:
    node = helper.make_node
    return [
        node("ReduceSum", ["counted", "along"], ["count"], keepdims=1),
        node("Mul", ["count", "factors"], ["scaled"]),
        node("Add", ["scaled", "summands"], [output]),
    ]
