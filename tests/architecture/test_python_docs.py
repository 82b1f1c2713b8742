"""docs/python.md and docs/frameworks.md document every method and key, and no others."""

import inspect
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import get_args

import docgraph
from docgraph.integrations.base import evidence_of
from docgraph.interfaces.python.result import Result
from tests.architecture.test_docs import CODE, page, rows, sections
from tests.support.notes_store import QUESTION, ingest_notes, use_hashed_words

PYTHON = sections(page("python.md"), 2)


def public(kind: type) -> Iterator[tuple[str, object]]:
    for name in dir(kind):
        if not name.startswith("_"):
            yield name, inspect.getattr_static(kind, name)


Signature = tuple[str, str, frozenset[str]]


def signature(name: str, method: Callable[..., object]) -> Signature:
    """The name, the parameters by position, and the keywords; options are keywords, too."""
    positional, keywords = [], set[str]()
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        if parameter.kind is parameter.VAR_KEYWORD:
            (options,) = get_args(parameter.annotation)
            keywords |= options.__optional_keys__
        elif parameter.kind is parameter.KEYWORD_ONLY:
            keywords.add(parameter.name)
        else:
            positional.append(parameter.name)
    return name, ", ".join(positional), frozenset(keywords)


def parse_signature(text: str) -> Signature:
    name, _, parameters = text.rstrip(")").partition("(")
    positional, _, keywords = parameters.partition("*, ")
    names = keywords.split(", ") if keywords else []
    assert len(names) == len(set(names)), text
    return name, positional.removesuffix(", "), frozenset(names)


def documented_names(section: str) -> list[str]:
    return [CODE.findall(cells[0])[0] for cells in rows(PYTHON[section])]


def test_every_method_is_documented_with_its_parameters_and_no_other() -> None:
    found = dict(public(docgraph.Docgraph))
    methods = [signature(n, m) for n, m in found.items() if inspect.isfunction(m)]
    by_name = itemgetter(0)
    shown = sorted(map(parse_signature, documented_names("Methods")), key=by_name)
    assert shown == sorted(methods, key=by_name)
    assert [name for name in found if not inspect.isfunction(found[name])] == ["store"]


def test_every_method_has_a_docstring() -> None:
    for name, method in public(docgraph.Docgraph):
        assert inspect.getdoc(method), name


def test_every_field_of_a_result_is_documented_and_no_other() -> None:
    found = [f"{n}()" if inspect.isfunction(m) else n for n, m in public(Result)]
    assert sorted(documented_names("What comes back")) == sorted(found)


def test_every_key_of_a_frameworks_document_is_documented(tmp_path: Path) -> None:
    with use_hashed_words():
        (first, *_) = evidence_of(docgraph.open(ingest_notes(tmp_path)).retrieve(QUESTION))
    keys = sections(page("frameworks.md"), 2)["Metadata of each document"]
    assert [CODE.findall(cells[0])[0] for cells in rows(keys)] == list(first.metadata)
