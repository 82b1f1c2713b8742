"""The survey before an ingest: which files there are, in order, and who reads them."""

import re
from collections import Counter
from dataclasses import dataclass

from docgraph.ingest.access_rules import ACCESS_FILE
from docgraph.ingest.formats.registry import SUFFIXES, Format, format_for, suffix_of
from docgraph.ingest.relations_file import RELATIONS_FILE
from docgraph.model.access_policy import is_access_file
from docgraph.model.errors import BadInput
from docgraph.ports.source import Source, SourceFile, SourceProblem

_SHOWN = 10
_NOT_READ = f"not read: rules stand in {ACCESS_FILE} at the root"
_RENAME = f"rules stand in {ACCESS_FILE}: rename it"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # they would break a citation's line


@dataclass(frozen=True, slots=True)
class SourceListing:
    """`relations` holds edges that people wrote down, `access` who may read; none is a document.

    What a source gives a format, as a corpus does its rows, is a document whatever it is called.
    """

    files: tuple[tuple[SourceFile, Format], ...]
    problems: tuple[SourceProblem, ...]
    skipped: tuple[tuple[str, int], ...]
    relations: SourceFile | None
    access: SourceFile | SourceProblem | None


def list_source(source: Source) -> SourceListing:
    """Sorted by path, so that the order in which a source lists its files counts for nothing."""
    listed = tuple(source.files())
    files: dict[str, tuple[SourceFile, Format]] = {}
    access, problems = _rules(listed)
    skipped: Counter[str] = Counter()
    relations: SourceFile | None = None
    for found in listed:
        name = _file_name(found)
        if is_access_file(name):
            continue
        if isinstance(found, SourceProblem):
            problems.append(found)
            continue
        if _CONTROL.search(found.path):
            problems.append(SourceProblem(repr(found.path), "its name holds control characters"))
            continue
        if name == RELATIONS_FILE:
            relations = found
            continue
        if is_access_file(name.rpartition("/")[2]):
            problems.append(SourceProblem(name, _NOT_READ))
            continue
        known = format_for(found)
        if known is None:
            skipped[suffix_of(found.path) or "no suffix"] += 1
        elif found.path in files:
            problems.append(SourceProblem(found.path, "listed twice; the first was taken"))
        else:
            files[found.path] = (found, known)
    return SourceListing(
        tuple(files[path] for path in sorted(files)),
        tuple(problems),
        tuple(sorted(skipped.items())),
        relations,
        access,
    )


def _rules(
    listed: tuple[SourceFile | SourceProblem, ...],
) -> tuple[SourceFile | SourceProblem | None, list[SourceProblem]]:
    """Also one that cannot be read, and one that is misspelt: neither must count as absent."""
    meant = {name: found for found in listed if is_access_file(name := _file_name(found))}
    access = meant.pop(ACCESS_FILE, None)
    misspelt = sorted(meant)
    if access is None and misspelt:
        access = SourceProblem(misspelt.pop(0), _RENAME)
    return access, [SourceProblem(name, _NOT_READ) for name in misspelt]


def _file_name(found: SourceFile | SourceProblem) -> str:
    """Empty for a row of a corpus: nobody chose its path as the name of a file."""
    is_row = isinstance(found, SourceFile) and found.format is not None
    return "" if is_row else found.path


def nothing_usable(
    problems: tuple[SourceProblem, ...], skipped: tuple[tuple[str, int], ...]
) -> BadInput:
    """Says for each file that was there why it was not taken."""
    reasons = [f"{problem.path}: {problem.reason}" for problem in problems[:_SHOWN]]
    if len(problems) > _SHOWN:
        reasons.append(f"and {len(problems) - _SHOWN} more")
    reasons += [f"{count} x {suffix}: no reader for it" for suffix, count in skipped]
    why = "; ".join(reasons) or "there are no files"
    return BadInput(f"nothing to ingest: {why}. Readable are {' '.join(SUFFIXES)}")
