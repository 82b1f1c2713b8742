"""What reads each kind of text from outside, and pieces that are hostile to it."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from fastapi import HTTPException
from pydantic import TypeAdapter

from docgraph.adapters.endpoint.chat_stream import ChatAnswer
from docgraph.adapters.endpoint.http_client import normalise_address
from docgraph.adapters.jwt.verifier import read_compact
from docgraph.adapters.onnx.granite import GraniteTokenCounter
from docgraph.adapters.sources.jsonl import JsonlSource, read_edges
from docgraph.answer.citations import citation_flags, cited_sources
from docgraph.answer.sentences import cited_numbers, split_paragraphs, split_sentences
from docgraph.assemble.sanitize import sanitize, sanitize_line
from docgraph.ingest.access_rules import parse_access_file
from docgraph.ingest.formats.front_matter import read_front_matter
from docgraph.ingest.parsed_file import normalise_field_name
from docgraph.ingest.relations_file import parse_relations_file
from docgraph.ingest.source_text import decode, normalise_newlines
from docgraph.ingest.workers.messages import BadFrame, decode_result
from docgraph.interfaces.http.server.request_context import StrictRequest
from docgraph.interfaces.mcp.arguments import PlanArguments, read_arguments
from docgraph.interfaces.terminal import escape_controls, escape_json, escape_line
from docgraph.model import node
from docgraph.model.access_policy import path_spellings
from docgraph.model.audit import anchor_from_json
from docgraph.model.errors import DocgraphError
from docgraph.model.identifiers import (
    identifiers,
    normalise_name,
    path_suffixes,
    title_spans,
    titled_documents,
)
from docgraph.model.path_pattern import find_pattern_problem, matches, normalise_path
from docgraph.model.tokenize import tokenize
from docgraph.model.validation import closest_name, closest_path, escape_unstorable, suggest
from docgraph.pipeline.load import load_text, parse_lines, shipped_pipelines
from docgraph.pipeline.receipt import receipt_from_json
from docgraph.pipeline.receipt_check import find_receipt_problems
from docgraph.pipeline.request import validate_question
from docgraph.pipeline.retrieval import plan_from_json
from docgraph.ports.source import SourceFile
from docgraph.wiring.settings import read_settings
from docgraph.yaml_lines import yaml_lines
from tests.fuzz.secret_store import plan_text, receipt_text
from tests.growth.hostile_files import ANY_TEXT, Repeated, repeated
from tests.growth.hostile_texts import (
    ANSWER,
    ENTRY,
    EVENTS,
    FRONT_MATTER,
    JSON,
    MARKED,
    PIPELINE,
    QUESTION,
    YAML,
)
from tests.support.contexts import context_of


@dataclass(frozen=True, slots=True)
class Reader:
    """What reads a text, hostile texts for it, and the length of the shortest."""

    read: Callable[[str], object]
    pieces: tuple[Repeated, ...] = ANY_TEXT
    size: int = 600


def refusing(read: Callable[[str], object]) -> Callable[[str], object]:
    """Whatever is refused with a message is as good as read."""

    def work(text: str) -> object:
        with suppress(DocgraphError, HTTPException, BadFrame):
            return read(text)
        return None

    return work


PATTERNS = (
    *("**/a/**/a/**/a/**/b", "**/a/a/a/a/a/a/a/a/b/*", "*a*a*b", "**/*a*a*a*b/**/*c*c*d/*"),
    *("*" + "a" * 900 + "b", "[!a]*[a-c]?"),
)
TITLED = ("Aaaa", "Aaaa Aaaa", "Aaaa Aaaa Aaaa", "Aaaa Bbbb")
KNOWN = ("a" * 150, "ab" * 90, "b" * 199, "a" * 199, "f_1 f_2")


def _answer(text: str) -> object:
    data = text.encode()
    blocks = (data[at : at + 100] for at in range(0, len(data), 100))
    return list(ChatAnswer(blocks, lambda message: message[:100]).pieces())


def _body(text: str) -> object:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": text.encode(), "more_body": False}

    headers = [(b"content-type", b"application/json")]
    request = StrictRequest({"type": "http", "method": "POST", "headers": headers}, receive)
    return asyncio.run(request.json())


def _arguments(text: str) -> object:
    given = {"question": text, "seeds": text.split("a"), text: 1}
    return read_arguments(TypeAdapter(PlanArguments), ("question", "seeds"), given)


@cache
def _folder() -> Path:
    return Path(mkdtemp())


def _settings(text: str) -> object:
    (_folder() / "docgraph.yaml").write_text(text, encoding="utf-8")
    return read_settings({}, _folder())


def _rows(text: str) -> object:
    (_folder() / "rows.jsonl").write_text(text, encoding="utf-8")
    source = JsonlSource(_folder() / "rows.jsonl")
    return [source.read(one) for one in source.files() if isinstance(one, SourceFile)]


def _edges(text: str) -> object:
    (_folder() / "edges.jsonl").write_text(text, encoding="utf-8")
    return read_edges(_folder() / "edges.jsonl", "r")


def _titled(text: str) -> object:
    spans = title_spans(text)
    return titled_documents(spans, [(title, f"r:{title}") for title in TITLED if title in spans])


def _plan(text: str) -> object:
    tree = json.loads(plan_text())
    tree["plan"]["seed_documents"] = tree["plan"]["order"] = text.split("a")
    return plan_from_json(json.dumps(tree)), plan_from_json(text)


def _receipt(text: str) -> object:
    tree = json.loads(receipt_text())
    tree["steps"] = tree["steps"] * (len(text) // 100 + 1)
    tree["request"] = {**tree.get("request", {}), "question": text}
    problems = list(find_receipt_problems(receipt_from_json(json.dumps(tree))))
    return problems, receipt_from_json(text)


READERS: Mapping[str, Reader] = {
    "adapters/endpoint/chat_stream.py:ChatAnswer": Reader(_answer, EVENTS),
    "adapters/endpoint/http_client.py:normalise_address": Reader(normalise_address),
    "adapters/jwt/verifier.py:read_compact": Reader(
        read_compact, (*ANY_TEXT, *repeated("a.a.")), 600
    ),
    "adapters/onnx/granite.py:GraniteTokenCounter": Reader(
        lambda text: GraniteTokenCounter().count(text), ANY_TEXT
    ),
    "adapters/sources/jsonl.py:JsonlSource": Reader(
        _rows,
        (*JSON, *repeated('{"_id": "\\N", "text": "a"}\n', '{"_id": "a", "text": "a"}\n', "{}\n")),
    ),
    "adapters/sources/jsonl.py:read_edges": Reader(
        _edges, repeated('{"source": "\\N", "target": "b", "type": "references"}\n')
    ),
    "answer/citations.py:citation_flags": Reader(
        lambda text: citation_flags(text, context_of(), "stop"), ANSWER
    ),
    "answer/citations.py:cited_sources": Reader(
        lambda text: cited_sources(text, context_of()), ANSWER
    ),
    "answer/sentences.py:cited_numbers": Reader(cited_numbers, ANSWER),
    "answer/sentences.py:split_paragraphs": Reader(
        lambda text: list(split_paragraphs(text)), ANSWER
    ),
    "answer/sentences.py:split_sentences": Reader(split_sentences, ANSWER),
    "assemble/sanitize.py:sanitize": Reader(sanitize, MARKED),
    "assemble/sanitize.py:sanitize_line": Reader(sanitize_line, MARKED),
    "ingest/access_rules.py:parse_access_file": Reader(
        lambda text: parse_access_file(text.encode(), "t"),
        (
            *YAML,
            *repeated(
                "- {path: a\\N, readers: everyone}\n", "- {path: a, readers: x\\N}\n", "- {}\n"
            ),
        ),
        300,
    ),
    "ingest/formats/front_matter.py:read_front_matter": Reader(read_front_matter, FRONT_MATTER),
    "ingest/parsed_file.py:normalise_field_name": Reader(normalise_field_name),
    "ingest/relations_file.py:parse_relations_file": Reader(
        lambda text: parse_relations_file(text.encode(), "r"),
        (*YAML, *repeated(ENTRY, "- {a: b}\n")),
        300,
    ),
    "ingest/source_text.py:decode": Reader(lambda text: decode("a", text.encode())),
    "ingest/source_text.py:normalise_newlines": Reader(
        normalise_newlines, repeated("\r", "\r\n", "a")
    ),
    "ingest/workers/messages.py:decode_result": Reader(
        lambda text: decode_result(text.encode("latin-1")),
        repeated("(", "]", "}", "N", "K\x01", "\x94"),
    ),
    "interfaces/http/server/request_context.py:StrictRequest": Reader(_body, JSON),
    "interfaces/mcp/arguments.py:read_arguments": Reader(_arguments, QUESTION),
    "interfaces/terminal.py:escape_controls": Reader(
        escape_controls, repeated("\x1b", "a", "\u202e")
    ),
    "interfaces/terminal.py:escape_json": Reader(escape_json, repeated("\x1b", "a", "\u202e")),
    "interfaces/terminal.py:escape_line": Reader(escape_line, repeated("\x1b", "\n", "\t", "a")),
    "model/access_policy.py:path_spellings": Reader(path_spellings),
    "model/audit.py:anchor_from_json": Reader(anchor_from_json, JSON),
    "model/identifiers.py:identifiers": Reader(identifiers, QUESTION),
    "model/identifiers.py:normalise_name": Reader(normalise_name, QUESTION),
    "model/identifiers.py:path_suffixes": Reader(path_suffixes, QUESTION),
    "model/identifiers.py:title_spans": Reader(title_spans, QUESTION),
    "model/identifiers.py:titled_documents": Reader(_titled, QUESTION),
    "model/node.py:decode": Reader(
        lambda text: node.document_of(node.decode(text)), repeated("%", "%41", "#", "@")
    ),
    "model/path_pattern.py:find_pattern_problem": Reader(
        find_pattern_problem, repeated("[", "*", "**/", "a/", "[!", "?", "[a]", "[a-", "!"), 62
    ),
    "model/path_pattern.py:matches": Reader(
        lambda text: [matches(one, text) for one in PATTERNS],
        repeated("a/", "a", "/", "../", "aaaa/", "é", "."),
        2_000,
    ),
    "model/path_pattern.py:normalise_path": Reader(normalise_path),
    "model/tokenize.py:tokenize": Reader(tokenize, QUESTION),
    "model/validation.py:closest_name": Reader(lambda text: closest_name(text, KNOWN)),
    "model/validation.py:closest_path": Reader(lambda text: closest_path(text, KNOWN)),
    "model/validation.py:escape_unstorable": Reader(escape_unstorable, repeated("\0", "a", "é")),
    "model/validation.py:suggest": Reader(lambda text: suggest(text, KNOWN)),
    "pipeline/load.py:load_text": Reader(
        lambda text: load_text(text, shipped_pipelines()), PIPELINE, 510
    ),
    "pipeline/load.py:parse_lines": Reader(lambda text: parse_lines("x", text.encode()), YAML, 510),
    "pipeline/receipt.py:receipt_from_json": Reader(_receipt, JSON),
    "pipeline/request.py:validate_question": Reader(
        lambda text: validate_question(text, text.split("a"))
    ),
    "pipeline/retrieval.py:plan_from_json": Reader(_plan, JSON),
    "wiring/settings.py:read_settings": Reader(_settings, YAML, 300),
    "yaml_lines.py:yaml_lines": Reader(lambda text: yaml_lines(text.encode()), YAML, 300),
}
