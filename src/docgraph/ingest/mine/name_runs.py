"""Runs of capitalised words in a text: what names are made of."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# Capitals tell nothing on these words when they stand at an end of a run.
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
# Repetitions give nothing back, and a run is cut at twelve words: time stays linear. The capital
# comes before what must not stand in front of it, because a search for a plain set is fast.
_RUN = re.compile(
    rf"[{_UPPER}]{_FREE}{_REST}"
    rf"(?:{_GAP}(?:{_LINK}{_GAP})?+[{_UPPER}]{_REST}){{0,11}}+(?:{_NUMBER})?+"
)
_OPENING = " \t\xa0\"'`(*_[\u2018\u2019\u201c\u201d"
_SENTENCE_ENDS = ".!?:;\r\n|>#-\u2013\u2014\u2022"
_LOOK_BACK = 12


class Run(NamedTuple):
    """Words in a row, where they begin, and whether they open a sentence."""

    words: list[str]
    start: int
    opens: bool


def runs(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[Run]:
    for start, stop in spans:
        for match in _RUN.finditer(text, start, stop):
            run, at = match.group(), match.start()
            if run not in _NO_NAMES:
                yield Run(run.split(), at, _opens(text, start, at))


def may_begin(word: str) -> bool:
    return word not in _NO_NAMES and word[0].isupper()


def may_end(word: str) -> bool:
    return may_begin(word) or word[0].isdigit() or word == "I"


def _opens(text: str, start: int, at: int) -> bool:
    """Whether a sentence, a line or the span begins here, but for quotes and brackets."""
    before = text[max(start, at - _LOOK_BACK) : at].rstrip(_OPENING)
    return not before or before[-1] in _SENTENCE_ENDS
