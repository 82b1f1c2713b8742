"""The functions that take a text from outside apart, by their names."""

import ast
from collections.abc import Iterator

from tests.growth.expressions import modules

VERBS = frozenset(
    {
        *("cited", "closest", "decode", "escape", "find", "identifiers", "matches", "normalise"),
        *("parse", "read", "sanitize", "split", "suggest", "tokenize", "validate", "yaml"),
    }
)
LAST_WORDS = frozenset({"json", "spans", "suffixes", "spellings"})
TEXTS = frozenset({"str", "bytes", "str | bytes", "object", "Path"})
# Measured with their files, or given nothing from outside: docgraph's own rows and files.
OTHER_PACKAGES = (
    *("adapters/postgres/", "adapters/sql/", "adapters/sqlite/", "adapters/onnx/granite_pack.py"),
    *("evaluation/", "ingest/chunking.py", "ingest/formats/", "ingest/languages/"),
    *("ingest/miners/", "interfaces/cli/", "testing/", "wiring/plugins.py"),
)
# Given what another of these has read, or a name of a few characters.
OTHER_FUNCTIONS = {
    "adapters/sources/checkout.py:find_work_tree": "a path of the command line",
    "adapters/sources/watched_paths.py:read_paths": "paths that the system reports",
    "adapters/sources/git_repository.py:find_repository": "a path of the command line",
    "adapters/sources/git_repository.py:find_revision": "git compares",
    "adapters/sources/jsonl.py:read_manifests": "the benchmark's own files",
    "ingest/access_mapping.py:parse_names": "values of yaml_lines",
    "ingest/access_rules.py:read_access_file": "parse_access_file",
    "interfaces/auth/tokens.py:read_claim": "a name of the settings",
    "interfaces/http/responses.py:as_json": "writes",
    "pipeline/catalog.py:find_none": "finds nothing",
    "pipeline/load.py:read_lines": "parse_lines",
    "pipeline/pipeline.py:validate_options": "load_text",
    "pipeline/retrieval.py:parse_strictly": "plan_from_json",
    "pipeline/why_not/target.py:find_target": "the questions with a node",
    "wiring/build.py:read_jsonl_edges": "read_edges",
    "wiring/model_settings.py:parse_endpoint": "read_settings",
}


def named_readers() -> Iterator[str]:
    """Those that have to be measured here."""
    for name in all_readers():
        if not name.startswith(OTHER_PACKAGES) and name not in OTHER_FUNCTIONS:
            yield name


def all_readers() -> Iterator[str]:
    """Public functions whose name says that they take a text apart."""
    for module in modules():
        for statement in module.tree.body:
            if isinstance(statement, ast.FunctionDef) and _is_reader(statement):
                yield f"{module.path}:{statement.name}"


def _is_reader(function: ast.FunctionDef) -> bool:
    words = function.name.split("_")
    given = [one.annotation for one in function.args.args if one.annotation]
    named = words[0] in VERBS or words[-1] in LAST_WORDS
    return named and words[0] != "" and any(ast.unparse(one) in TEXTS for one in given)
