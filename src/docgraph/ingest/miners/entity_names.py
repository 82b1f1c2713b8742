"""The miner of entity names: documents whose text has the same name share an entity."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.model.edge import SHARES_ENTITY
from docgraph.model.node import CODE
from docgraph.model.reference import ENTITY, Reference

NAMES = "names"
MAX_WORDS = 4
MIN_WORD_CHARACTERS = 5
MIN_ACRONYM_CHARACTERS = 3
MAX_NAME_CHARACTERS = 80
# These words are no part of a name at an end of a run, though they have a capital.
_OPENERS = """
    A An The This That These Those There Here Then Than Thus Hence And Or But Nor So Yet If As
    In On At By For From To Of With Without Into Upon Over Under Between Among Through Within
    During Before After Since Until While When Where Why How What Which Who Whom Whose Against
    He She It We You They I His Her Its Our Your Their My Him Them Us Me One Two Three Four Five
    Six Seven Eight Nine Ten First Second Third Last Next Is Are Was Were Be Been Being Has Have
    Had Do Does Did Can Could May Might Must Shall Should Will Would Not No Yes All Any Some Each
    Every Both Either Neither Many Much More Most Few Several Such Other Another Same Only Also
    Even Just However Although Though Because Despite Like Unlike Throughout About Again Once
    Later Earlier Early Along According See Note Now Today Currently Originally Following Based
    Born Located Additionally Furthermore Moreover Therefore Meanwhile Instead
"""
_MONTHS = "January February March April May June July August September October November December"
_DATES = """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec
"""
_COUNTED = "Appendix Chapter Example Fig Figure Page Part Section Step Table Version"
_NO_NAMES = frozenset(
    word + ending
    for word in f"{_OPENERS} {_MONTHS} {_DATES} {_COUNTED}".split()
    for ending in ("", "'s", "\u2019s")
)
_UPPER = "".join(letter for letter in map(chr, range(0x41, 0x2000)) if letter.isupper())
_TITLES = ("Dr|Ft|Lt|Mr|Ms|Mt|St", "Adm|Col|Gen|Gov|Hon|Maj|Mrs|Rep|Rev|Sen|Sgt", "Capt|Prof")
_TITLE = "|".join(rf"(?<=\b(?:{same_length})\.)" for same_length in _TITLES)
_INITIALS = rf"\.(?!(?<=I\.)\s)(?:[{_UPPER}]\.)*+(?:[{_UPPER}](?!\w))?+"
_INNER = rf"[^\W_]|[\u0300-\u036f]|['_\u2019\u2010\u2011-](?=[^\W_])|[&./](?=[{_UPPER}])"
_REST = rf"(?:{_INITIALS}|(?:{_INNER})*+(?:\.(?:{_TITLE}))?+)"
_GAP = r"(?:[ \t\xa0]++(?:\r?\n[ \t]*+)?+|\r?\n[ \t]*+)"
_LINK = (
    r"(?:&|of(?: the)?|the|de(?: las?| los)?|del|della|di|da|dos?|das|du|des|von(?: der)?|"
    r"van(?: de[nr]?)?|den|der|la|les?|el|al|bin|ibn|y|upon)"
)
_DAY_OR_PART = rf"[\w%]|[,:/\u2013-]\d|{_GAP}(?:{_MONTHS.replace(' ', '|')})\b"
_NUMBER = rf"(?<!['\u2019]s){_GAP}\d{{1,4}}+(?:\.\d{{1,3}}+)*+(?!{_DAY_OR_PART})"
_FREE = r"(?<![^\W_].)(?<!\w_.)(?<![/\\@.=#&%+~$-].)"
# Repetitions are possessive, and a run is cut at twelve words: time stays linear. The capital
# comes before the look-behind on what precedes it, because a search for a plain set is fast.
_RUN = re.compile(
    rf"[{_UPPER}]{_FREE}{_REST}"
    rf"(?:{_GAP}(?:{_LINK}{_GAP})?+[{_UPPER}]{_REST}){{0,11}}+(?:{_NUMBER})?+"
)
_OPENING = " \t\xa0\"'`(*_[\u2018\u2019\u201c\u201d"
_SENTENCE_ENDS = ".!?:;\r\n|>#-\u2013\u2014\u2022"
_LOOK_BACK_CHARACTERS = 12
_POSSESSIVE = ("'s", "\u2019s")
_ROMAN = frozenset("IVX")
_PLAIN = str.maketrans("\u2019\u2010", "'-")

Span = tuple[int, int]


class CapitalisedRun(NamedTuple):
    """Capitalised words in a row, where they begin, and whether they open a sentence."""

    words: list[str]
    start: int
    opens: bool


SingleWord = tuple[str, CapitalisedRun, int]


def find_runs(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[CapitalisedRun]:
    for start, stop in spans:
        for match in _RUN.finditer(text, start, stop):
            run, at = match.group(), match.start()
            if run not in _NO_NAMES:
                yield CapitalisedRun(run.split(), at, _opens(text, start, at))


def may_begin(word: str) -> bool:
    return word not in _NO_NAMES and word[0].isupper()


def may_end(word: str) -> bool:
    return may_begin(word) or word[0].isdigit() or word == "I"


def _opens(text: str, start: int, at: int) -> bool:
    """Whether a sentence, a line or the span begins here, but for quotes and brackets."""
    before = text[max(start, at - _LOOK_BACK_CHARACTERS) : at].rstrip(_OPENING)
    return not before or before[-1] in _SENTENCE_ENDS


def find_entities(text: str, spans: Iterable[Span] | None = None) -> list[tuple[str, int, int]]:
    """Each name once, with its first span, in the order of the spans.

    Two to four capitalised words in a row are a name; of a longer row, every two neighbours. An
    acronym is a name. Any other single word is one if it occurs alone twice, at least once inside
    a sentence, and is part of no longer name. Other documents have no influence.
    """
    first: dict[str, Span] = {}
    single: list[SingleWord] = []
    for run in find_runs(text, ((0, len(text)),) if spans is None else sorted(spans)):
        for start, end in _name_ranges(run.words):
            words = run.words[start:end]
            name = _normalise(words)
            if len(words) == 1 and not _is_acronym(name):
                single.append((name, run, start))
            elif name not in first and (len(words) == 1 or not _is_upper_case(words)):
                first[name] = _span_of(text, run, start, end)
    for name, run, start in _select_single_words(single, first):
        first.setdefault(name, _span_of(text, run, start, start + 1))
    names = ((name, *span) for name, span in first.items() if len(name) <= MAX_NAME_CHARACTERS)
    return sorted(names, key=lambda name: (name[1:], name[0]))


def _select_single_words(
    single: Sequence[SingleWord], longer: Iterable[str]
) -> Iterator[SingleWord]:
    times = Counter(name for name, _, _ in single)
    inside = {name for name, run, start in single if start or not run.opens}
    parts = {word for name in longer for word in name.split()}
    for name, run, start in single:
        long_enough = len(name) >= MIN_WORD_CHARACTERS
        if long_enough and times[name] > 1 and name in inside and name not in parts:
            yield name, run, start


def _name_ranges(words: Sequence[str]) -> Iterable[Span]:
    """Which words of a run are a name, as [start, end)."""
    start, end = 0, len(words)
    while start < end and not may_begin(words[start]):
        start += 1
    while start < end and not may_end(words[end - 1]):
        end -= 1
    if end - start > MAX_WORDS:
        return _pairs(words, start, end)
    return ((start, end),) if start < end else ()


def _pairs(words: Sequence[str], start: int, end: int) -> Iterator[Span]:
    """Neighbours, but for a given name with the middle initial alone."""
    for at in range(start, end - 1):
        second = words[at + 1]
        if may_begin(words[at]) and may_end(second) and not second.endswith("."):
            yield at, at + 2


def _is_upper_case(words: Sequence[str]) -> bool:
    return all(word.isupper() for word in words)


def _is_acronym(name: str) -> bool:
    letters = name.replace(".", "")
    return (
        len(letters) >= MIN_ACRONYM_CHARACTERS and name.isupper() and not _ROMAN.issuperset(letters)
    )


def _normalise(words: Sequence[str]) -> str:
    name = _strip_possessive(" ".join(words))
    return name if name.isascii() else normalize("NFKC", name).translate(_PLAIN)


def _strip_possessive(word: str) -> str:
    return (word[:-2] if word.endswith(_POSSESSIVE) else word).rstrip(".")


def _span_of(text: str, run: CapitalisedRun, start: int, end: int) -> Span:
    at, first = run.start, run.start
    for index, word in enumerate(run.words[:end]):
        at = text.index(word, at)
        if index == start:
            first = at
        at += len(word)
    last = run.words[end - 1]
    return first, at - len(last) + len(_strip_possessive(last))


def mine_names(view: DocumentView) -> Iterator[Reference]:
    """The first span of each name; a name that only the title has gets an empty one."""
    parsed = view.parsed
    if parsed.kind == CODE:  # other miners find names of code
        return
    spans = {name: (start, end) for name, start, end in find_entities(parsed.text, parsed.prose)}
    if parsed.titled:
        spans = {**{name: (0, 0) for name, _, _ in find_entities(parsed.title)}, **spans}
    for name, (start, end) in spans.items():
        yield view.reference_at(NAMES, SHARES_ENTITY, f"{ENTITY}:{name}", start, end, text=name)
