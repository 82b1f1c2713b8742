"""What parent and worker process send each other: frames of a length and as many bytes.

A worker gets pickles, which the parent made. What it sends back has been near untrusted bytes: the
parent accepts values of the types of a document, and no others.
"""

import io
import pickle
import struct
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import IO, Any

from docgraph.ingest.parse_file import ParsedDocument, ParseResult
from docgraph.ingest.parsed_file import AccessMapping
from docgraph.model.document import Chunk, Document
from docgraph.model.node import DocumentNode, Location
from docgraph.model.reference import Definition, Reference, ReferenceTarget
from docgraph.ports.source import SourceProblem
from docgraph.ports.writes import BuiltDocument

_LENGTH = struct.Struct("<Q")
_DATACLASSES = (
    *(AccessMapping, BuiltDocument, Chunk, Document, DocumentNode, Location, ParsedDocument),
    SourceProblem,
)
_NAMED_TUPLES = (Definition, Reference, ReferenceTarget)
_TYPES = {
    (one.__module__, one.__qualname__): one for one in (*_DATACLASSES, *_NAMED_TUPLES, frozenset)
}


class BadFrame(Exception):
    """The other side sent what it may not send."""


def write_frame(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_frame(stream: IO[bytes], most: int | None = None) -> bytes | None:
    """None at the end of the stream, also within a frame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if most is not None and length > most:
        raise BadFrame(f"{length} bytes in one result, at most {most} are accepted")
    data = stream.read(length)
    return data if len(data) == length else None


Reducer = Callable[[Any], tuple[type[Any], tuple[Any, ...]]]


def _reducer(kind: type[Any]) -> Reducer:
    """By the constructor: much faster to read than the state of a dataclass with slots."""
    read = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, read(value))


def _tuple_reducer(kind: type[Any]) -> Reducer:
    return lambda value: (kind, tuple(value))


_REDUCERS: dict[type, Any] = {
    **{kind: _reducer(kind) for kind in _DATACLASSES},
    **{kind: _tuple_reducer(kind) for kind in _NAMED_TUPLES},
}


def encode_result(result: ParseResult) -> bytes:
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(result)
    return buffer.getvalue()


class _ResultUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _TYPES:
            raise BadFrame(f"a result may not contain {module}.{name}")
        return _TYPES[module, name]


def decode_result(data: bytes) -> ParseResult:
    """Raises BadFrame for anything but a result."""
    try:
        result = _ResultUnpickler(io.BytesIO(data)).load()
    except BadFrame:
        raise
    except Exception as error:
        raise BadFrame(f"a result cannot be read: {type(error).__name__}: {error}") from error
    if not isinstance(result, ParsedDocument | SourceProblem):
        raise BadFrame(f"a result is of type {type(result).__name__}")
    return result
