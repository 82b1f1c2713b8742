"""Strings that are hostile to a regular expression, made of its own parts.

A string is a beginning, a unit many times, and an end. Of several characters that match the same
parts of the expression, one is tried.
"""

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

_PARSER: Any = importlib.import_module("re._parser")  # the module has no types
_CODES: Any = importlib.import_module("re._constants")
_POOL = "aA0 _\n\t-.,;:!?<>[]{}()\"'`/\\=*#|+~@$%&^\u00e9\u2028\x00"
_MANY = 8  # a repetition of fewer is no loop
_REPEATS = {_CODES.MAX_REPEAT, _CODES.MIN_REPEAT, _CODES.POSSESSIVE_REPEAT}
_CATEGORIES: dict[Any, str] = {
    _CODES.CATEGORY_DIGIT: r"\d",
    _CODES.CATEGORY_NOT_DIGIT: r"\D",
    _CODES.CATEGORY_SPACE: r"\s",
    _CODES.CATEGORY_NOT_SPACE: r"\S",
    _CODES.CATEGORY_WORD: r"\w",
    _CODES.CATEGORY_NOT_WORD: r"\W",
}
Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class HostileString:
    begin: str
    unit: str
    end: str

    def of_length(self, length: int) -> str:
        return self.begin + self.unit * (length // len(self.unit)) + self.end


@dataclass(slots=True)
class _Parts:
    """`tests` are those of one character; `words` are texts of several that match literally;
    `loops` are what precedes a repetition, and what it repeats."""

    tests: list[Test] = field(default_factory=list)
    characters: dict[str, None] = field(default_factory=dict)
    words: dict[str, None] = field(default_factory=dict)
    loops: dict[tuple[str, str], None] = field(default_factory=dict)


def hostile_strings(pattern: re.Pattern[Any], most: int) -> list[HostileString]:
    """At most so many, those that come from the loops of the expression first."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    parts = _Parts()
    tree = _PARSER.parse(text, pattern.flags & ~re.UNICODE if text is not source else pattern.flags)
    _collect(tree, "", parts)
    letters = _representatives(parts)
    return list(dict.fromkeys(islice(_strings(parts, letters, _example(tree)), most)))


def _strings(parts: _Parts, letters: Sequence[str], example: str) -> Iterator[HostileString]:
    begins = list(dict.fromkeys(["", *(begin for begin, _ in parts.loops)]))
    loops = [(begin, unit) for begin, unit in parts.loops if unit]
    ends = ("", "\x00", "\n!")
    for (begin, unit), end in product(loops, ends):
        yield HostileString(begin, unit, end)
        yield HostileString("", begin + unit, end)
    single = list(dict.fromkeys([*letters, *parts.words, *filter(None, begins), example or "a"]))
    for unit, end in product(single, ends[:2]):
        yield HostileString("", unit, end)
    for begin, unit in product(begins[1:], single):
        yield HostileString(begin, unit, "\x00")
    for first, second in product(single, repeat=2):
        if first != second:
            yield HostileString("", first + second, "\x00")
    for begin, first, second in product(begins[1:], letters, letters):
        yield HostileString(begin, first + second, "")
    for three in product(letters, repeat=3):
        yield HostileString("", "".join(three), "")


def _representatives(parts: _Parts) -> list[str]:
    """One character for each set of tests that it passes; what the expression spells first."""
    known: dict[tuple[bool, ...], str] = {}
    for character in [*parts.characters, *_POOL]:
        known.setdefault(tuple(test(character) for test in parts.tests), character)
    return list(known.values())


def _collect(items: Any, before: str, parts: _Parts) -> None:
    at, word = before, ""
    for code, value in items:
        if code is _CODES.LITERAL:
            word += chr(value)
        else:
            word = ""
        if len(word) > 1:
            parts.words.pop(word[:-1], None)
            parts.words[word] = None
        _collect_one(code, value, at, parts)
        at += _example([(code, value)])


def _collect_one(code: Any, value: Any, before: str, parts: _Parts) -> None:
    if (test := _test(code, value)) is not None:
        parts.tests.append(test)
        if code is _CODES.LITERAL:
            parts.characters[chr(value)] = None
    if code in _REPEATS and value[1] > _MANY:
        for unit in _units(value[2], parts):
            parts.loops[before, unit] = None
    for inner in _inner(code, value):
        _collect(inner, before, parts)


def _units(body: Any, parts: _Parts) -> list[str]:
    """Texts that a repetition may repeat: one for each way through it, characters by their kind."""
    found = [_example(body)]
    for code, value in body:
        if (test := _test(code, value)) is not None and len(body) == 1:
            found += [one for one in [*parts.characters, *"aA0 \n_-.\u00e9"] if test(one)][:6]
        for inner in _inner(code, value):
            found.append(_example(inner))
    return list(dict.fromkeys(filter(None, found)))


def _inner(code: Any, value: Any) -> list[Any]:
    if code in _REPEATS:
        return [value[2]]
    if code is _CODES.SUBPATTERN:
        return [value[3]]
    if code is _CODES.BRANCH:
        return list(value[1])
    if code in {_CODES.ASSERT, _CODES.ASSERT_NOT}:
        return [value[1]]
    if code is _CODES.ATOMIC_GROUP:
        return [value]
    return []


def _example(items: Any) -> str:
    """A short text that matches, as far as that depends on no surroundings."""
    made = ""
    for code, value in items:
        if (test := _test(code, value)) is not None:
            made += _matching(code, value, test)
        elif code in _REPEATS:
            made += _example(value[2]) * max(value[0], 0 if value[0] == 0 else 1)
        elif code in {_CODES.SUBPATTERN, _CODES.BRANCH, _CODES.ATOMIC_GROUP, _CODES.ASSERT}:
            made += _example(_inner(code, value)[0]) if code is not _CODES.ASSERT else ""
    return made


def _matching(code: Any, value: Any, test: Test) -> str:
    if code is _CODES.LITERAL:
        return chr(value)
    spelled = (
        [chr(one) for kind, one in value if kind is _CODES.LITERAL] if code is _CODES.IN else []
    )
    return next((one for one in (*_POOL, *spelled, "\x01", "\ud800") if test(one)), "a")


def _test(code: Any, value: Any) -> Test | None:
    if code is _CODES.LITERAL:
        return lambda one: one == chr(value)
    if code is _CODES.NOT_LITERAL:
        return lambda one: one != chr(value)
    if code is _CODES.ANY:
        return lambda one: one != "\n"
    if code is _CODES.IN:
        return lambda one: _in_set(value, one)
    return None


def _in_set(items: Any, character: str) -> bool:
    negated = items[0][0] is _CODES.NEGATE
    return negated != any(_in_item(code, value, character) for code, value in items)


def _in_item(code: Any, value: Any, character: str) -> bool:
    if code is _CODES.LITERAL:
        return character == chr(value)
    if code is _CODES.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    return code is _CODES.CATEGORY and re.match(_CATEGORIES[value], character) is not None
