"""The parent accepts the types of a document from a worker, and no others."""

import io
import os
import pickle

import pytest

from docgraph.ingest.parse_file import ParsedDocument, ParseTask, parse_file
from docgraph.ingest.registries import SHIPPED
from docgraph.ingest.workers.messages import (
    BadFrame,
    decode_result,
    encode_result,
    read_frame,
    write_frame,
)
from docgraph.ports.source import SourceFile, SourceProblem

TEXT = b"---\naccess: [finance]\n---\n# Uploads\n\nSee [that](b.md), ADR-012 and `fetch_node`.\n"


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("false",)


def test_a_result_arrives_as_it_was_sent() -> None:
    task = ParseTask(SourceFile("a.md", len(TEXT)), TEXT, "markdown", "r", "f", 800)
    result = parse_file(task, SHIPPED)
    assert isinstance(result, ParsedDocument)
    assert result.access is not None
    assert result.built.document.references
    assert decode_result(encode_result(result)) == result
    problem = SourceProblem("a.md", "why")
    assert decode_result(encode_result(problem)) == problem


@pytest.mark.parametrize("value", [Harmful(), object, {"a": 1}, "text", None, (Harmful(),)])
def test_what_is_no_result_is_refused_and_not_run(value: object) -> None:
    with pytest.raises(BadFrame):
        decode_result(pickle.dumps(value))


@pytest.mark.parametrize("data", [b"", b"\x80", b"no pickle", b"\x80\x05N"])
def test_bytes_that_are_no_pickle_are_refused(data: bytes) -> None:
    with pytest.raises(BadFrame):
        decode_result(data)


def test_a_frame_has_an_end_and_a_greatest_size() -> None:
    stream = io.BytesIO()
    write_frame(stream, b"12345")
    whole = stream.getvalue()
    assert read_frame(io.BytesIO(whole)) == b"12345"
    for end in range(len(whole)):
        assert read_frame(io.BytesIO(whole[:end])) is None
    with pytest.raises(BadFrame, match="5 bytes in one result, at most 4"):
        read_frame(io.BytesIO(whole), 4)
