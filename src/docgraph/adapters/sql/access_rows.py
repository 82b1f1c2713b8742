"""Access rules and statements as JSON in rows."""

import json
from collections.abc import Iterable
from functools import lru_cache

from docgraph.adapters.sql.database import DamagedRow
from docgraph.adapters.sql.stored_json import load_tuples
from docgraph.model.access import AccessRule, AccessStatement
from docgraph.model.access_policy import ManualRule

NOBODY = AccessRule("")


def rule_to_json(rule: AccessRule) -> str:
    return json.dumps(_plain(rule), ensure_ascii=False)


@lru_cache(maxsize=4096)  # parsed anew after every change, and mostly the same
def rule_from_json(text: str) -> AccessRule:
    """A rule that cannot be parsed admits nobody."""
    try:
        return _rule(json.loads(text))
    except (ValueError, TypeError):
        return NOBODY


def manual_rule_to_json(manual: ManualRule) -> str:
    rule = None if manual.rule is None else _plain(manual.rule)
    return json.dumps([rule, sorted(manual.revoked), manual.closed], ensure_ascii=False)


def manual_rule_from_json(text: str) -> ManualRule:
    """A manual rule that cannot be parsed admits nobody."""
    try:
        rule, revoked, closed = json.loads(text)
        return ManualRule(None if rule is None else _rule(rule), frozenset(revoked), bool(closed))
    except (ValueError, TypeError):
        return ManualRule(closed=True)


def statements_to_json(statements: Iterable[AccessStatement]) -> str:
    rows = [[one.source, one.line, one.text, _plain(one.rule)] for one in statements]
    return json.dumps(rows, ensure_ascii=False)


@lru_cache(maxsize=4096)  # thousands of documents have the same
def statements_from_json(text: str) -> tuple[AccessStatement, ...]:
    rows = load_tuples(text, str, int, str, list)
    try:
        return tuple(
            AccessStatement(source, line, says, _rule(rule)) for source, line, says, rule in rows
        )
    except (ValueError, TypeError) as error:
        raise DamagedRow("an access statement has no rule") from error


def _plain(rule: AccessRule) -> list[object]:
    return [rule.tenant, sorted(rule.readers), sorted(rule.labels), rule.level]


def _rule(plain: object) -> AccessRule:
    if not isinstance(plain, list):
        raise TypeError("a rule is a list")
    tenant, readers, labels, level = plain
    names = (tenant, *readers, *labels)
    if type(level) is not int or not isinstance(readers, list) or not isinstance(labels, list):
        raise TypeError("a rule has lists of names and a level")
    if not all(isinstance(name, str) for name in names):
        raise TypeError("names are text")
    return AccessRule(tenant, frozenset(readers), frozenset(labels), level)
