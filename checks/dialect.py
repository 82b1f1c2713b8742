"""Words of a private dialect that are still in use, by the list in `dialect.txt`.

An entry in lower case is a word: it counts in any case, also as a part of an identifier between
underscores (`retry` in `retry_limit`), but not inside a longer word. An entry with a capital is an
identifier and counts in that case only. An entry of several words is a phrase of prose. Where two
entries match the same characters, the longer one counts.

Counted are the whole texts of code, with comments and strings, and of documents. An entry such as
`Retry`, one capital and small letters, counts in code only: in prose it may begin a sentence. The
corpus of the golden tests is frozen input, and their table of renames lists old names: neither
counts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

CODE = ("src", "tests", "checks", "benchmarks", "examples")
CODE_SUFFIXES = frozenset({".py", ".sql", ".yaml"})
# Frozen input, and the table of old names.
IGNORED = (Path("tests/golden/corpus"), Path("tests/golden/rename_tables.py"))
REQUIREMENTS = Path("docs/requirements.md")  # quotes what users demand, in their words
_IDENTIFIER = re.compile(r"[A-Za-z0-9_]+")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")


class Dialect:
    def __init__(self, entries: Iterable[str]) -> None:
        entries = tuple(entries)
        phrases = [entry for entry in entries if " " in entry]
        words = [entry for entry in entries if " " not in entry]
        self._entries = frozenset(entries)
        self._phrases = _pattern(phrases) if phrases else None
        self._words = _pattern(words) if words else None
        self._of_identifier = cache(self._find_words)

    def count(self, text: str) -> Counter[str]:
        """How often each entry occurs."""
        counts: Counter[str] = Counter()
        for identifier, times in Counter(_IDENTIFIER.findall(text)).items():
            for entry in self._of_identifier(identifier):
                counts[entry] += times
        if self._phrases:
            counts.update(" ".join(match.lower().split()) for match in self._phrases.findall(text))
        return counts

    def _find_words(self, identifier: str) -> tuple[str, ...]:
        matches = self._words.findall(identifier) if self._words else ()
        return tuple(match if match in self._entries else match.lower() for match in matches)


def read_entries(text: str) -> tuple[str, ...]:
    """One entry a line; `#` begins a comment."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


def count_dialect(root: Path, entries: Sequence[str]) -> dict[Path, Counter[str]]:
    """By file below `root`; files without an entry are left out."""
    code = Dialect(entries)
    prose = Dialect(entry for entry in entries if not _CAPITALISED.fullmatch(entry))
    documents = {*root.glob("*.md"), *root.glob("docs/**/*.md")} - {root / REQUIREMENTS}
    counts = {
        path.relative_to(root): dialect.count(path.read_text(encoding="utf-8"))
        for dialect, paths in ((code, _code(root)), (prose, documents))
        for path in sorted(paths)
    }
    return {path: count for path, count in counts.items() if count}


def sum_counts(by_file: Mapping[Path, Counter[str]]) -> Counter[str]:
    return sum(by_file.values(), Counter[str]())


def _code(root: Path) -> Iterator[Path]:
    for folder in CODE:
        for path in (root / folder).rglob("*"):
            if path.suffix in CODE_SUFFIXES and not any(
                path.is_relative_to(root / one) for one in IGNORED
            ):
                yield path


def _pattern(entries: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(entries, key=lambda entry: (-len(entry), entry))
    choices = "|".join(_choice(entry) for entry in longest_first)
    return re.compile(rf"(?<![A-Za-z0-9])(?:{choices})(?![A-Za-z0-9])")


def _choice(entry: str) -> str:
    text = re.escape(entry).replace(r"\ ", r"\s+")
    return f"(?i:{text})" if entry.islower() else text
