"""Compares golden values of the formats /1 with the stored ones: they differ in names alone.

`python -m tests.golden.renames OLD_FOLDER` prints every difference that the tables of
`rename_tables` do not explain, and fails if there is one. A digest is taken over names, so any
digest equals any other.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.golden.rename_tables import (
    ARTIFACTS,
    BELOW,
    CHANGED_SCHEMAS,
    EVIDENCE,
    HELP,
    NAMES,
    OBJECTS,
    OPTIONS,
    PROSE,
    SCHEMAS,
    SCHEMAS_OF_TOOLS,
    SORTED,
    TEXTS,
    VALUES,
)
from tests.golden.values import FOLDER, differences

_DIGEST = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{16}|[0-9a-f]{12})\b")
_ORIGINS = re.compile(r"\(((?:[a-z_]+, )*[a-z_]+); (\d+: )")


def rename_old(value: Any, key: str = "") -> Any:
    """An old value in today's names; `key` is the key that it is found under."""
    if isinstance(value, list):
        if key in ("inputs", "output", "options", "numbers", "search") and _is_pair(value):
            return _rename_pair(value, key)
        return [rename_old(item, key) for item in value]
    if isinstance(value, dict):
        return _rename_object(_regroup(value), key)
    if isinstance(value, str):
        value = BELOW.get(key.rpartition(".")[2], {}).get(value, value)
        for pattern, text in TEXTS:
            value = re.sub(pattern, text, value)
        return _ORIGINS.sub(_sort_origins, value)
    return value


def _is_pair(value: list[Any]) -> bool:
    return len(value) == 2 and isinstance(value[0], str) and not isinstance(value[1], dict)


def _rename_pair(pair: list[Any], key: str) -> list[Any]:
    """An option, a number or an artifact by name."""
    name, value = pair
    names = ARTIFACTS if key in ("inputs", "output") else NAMES if key == "numbers" else OPTIONS
    return [names.get(name, name), VALUES.get(value, value) if isinstance(value, str) else value]


def _rename_object(value: dict[str, Any], key: str) -> dict[str, Any]:
    names = _names_of(value, key)
    renamed = {names.get(one, one): rename_old(item, one) for one, item in value.items()}
    if isinstance(value.get("properties"), dict) and isinstance(value.get("required"), list):
        fields = _names_of(value["properties"], "")
        renamed["required"] = [fields.get(one, one) for one in value["required"]]
    return renamed


def _names_of(value: Mapping[str, Any], key: str) -> Mapping[str, str]:
    names: dict[str, str] = dict(OPTIONS) if key in ("options", "left", "right") else {}
    for keys, new in OBJECTS:
        if keys <= value.keys():
            names |= new
    return names


def _regroup(value: dict[str, Any]) -> dict[str, Any]:
    """The two objects that have another shape: a context, and the evidence of one node."""
    if {"tokenizer", "items", "documents", "omitted"} <= value.keys():
        return _group_items(value) if isinstance(value["items"], list) else value
    if value.keys() >= EVIDENCE and "document" in value["concept"]:
        concept = {name: one for name, one in value["concept"].items() if name != "document"}
        return {**value, "document_id": value["concept"]["document"], "concept": concept}
    return value


def _group_items(context: dict[str, Any]) -> dict[str, Any]:
    documents: dict[str, Any] = {}
    for share in context["documents"]:
        empty: dict[str, list[Any]] = {"concepts": [], "chunks": []}
        known = {"document_id": share["document"], "tokens": share["tokens"]}
        documents[share["document"]] = {**known, **empty}
    for item in context["items"]:
        layer = "chunks" if item["layer"] == "evidence" else "concepts"
        kept = {name: one for name, one in item.items() if name not in ("document", "layer")}
        documents[item["document"]][layer].append(kept)
    rest = {name: one for name, one in context.items() if name != "items"}
    return {**rest, "documents": list(documents.values())}


def _sort_origins(match: re.Match[str]) -> str:
    """In a line of text: `(hand, links; 2: …`."""
    names = (BELOW["origins"].get(one, one) for one in match[1].split(", "))
    return f"({', '.join(sorted(names))}; {match[2]}"


def rename_schemas(value: Any, names: Mapping[str, str]) -> Any:
    """Names of classes, which are titles of schemas."""
    if isinstance(value, list):
        return [rename_schemas(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        if key == "$ref":
            path, _, name = item.rpartition("/")
            renamed[key] = f"{path}/{names.get(name, name)}"
        elif key in ("schemas", "$defs"):
            renamed[key] = {
                names.get(one, one): rename_schemas(s, names) for one, s in item.items()
            }
        else:
            renamed[key] = rename_schemas(item, names)
    if "properties" in value and isinstance(value.get("title"), str):
        renamed["title"] = names.get(value["title"], value["title"])
    return renamed


def comparable(value: Any, key: str = "") -> Any:
    """Without digests; schemas without prose and without titles made of names; sets in order."""
    if isinstance(value, list):
        items = [comparable(item, key) for item in value]
        return sorted(items, key=_canonical) if key in SORTED else items
    if isinstance(value, dict):
        if key in ("schemas", "$defs"):
            value = {name: one for name, one in value.items() if name not in CHANGED_SCHEMAS}
        if key == "properties":
            value = {name: _without_title(one) for name, one in value.items()}
        ignored = PROSE | {"const"} if key == "format" else PROSE
        return {name: comparable(one, name) for name, one in value.items() if name not in ignored}
    return _DIGEST.sub("<digest>", value) if isinstance(value, str) else value


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _without_title(schema: Any) -> Any:
    return {k: v for k, v in schema.items() if k != "title"} if isinstance(schema, dict) else schema


def unexplained(old_folder: Path, new_folder: Path = FOLDER) -> Iterator[str]:
    for file in sorted(new_folder.glob("*.*")):
        area, text = file.stem, (old_folder / file.name).read_text(encoding="utf-8")
        now = file.read_text(encoding="utf-8")
        if file.suffix != ".json":
            yield differences(area, _sentences(now), _sentences(_rename_help(_sentences(text))))
            continue
        old, new = json.loads(text), _drop_too_long(json.loads(text), json.loads(now))
        if area in ("openapi", "mcp_tools"):
            names = {**SCHEMAS, **SCHEMAS_OF_TOOLS} if area == "mcp_tools" else SCHEMAS
            old = rename_schemas(old, names)
        yield differences(area, comparable(new), comparable(rename_old(old)))


def _sentences(text: str) -> str:
    """One in each line, however the lines are wrapped."""
    return " ".join(text.split()).replace(". ", ".\n")


def _rename_help(text: str) -> Any:
    for old, new in HELP:
        text = text.replace(old, new)
    return rename_old(text)


def _drop_too_long(old: Any, new: Any) -> Any:
    """Where the old value was too long to be stored, and its digest was, nothing is compared."""
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) == ["digest"] and len(old["digest"]) == 16:
            return old
        return {name: _drop_too_long(old.get(name), one) for name, one in new.items()}
    return new


def main(old_folder: str, *new_folder: str) -> int:
    shown = [one for one in unexplained(Path(old_folder), *map(Path, new_folder)) if one]
    sys.stdout.write("\n".join(shown or ["no difference but those of the tables"]) + "\n")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
