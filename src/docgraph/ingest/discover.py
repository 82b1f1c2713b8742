"""Lists the files of a source before an ingest, and the format of each."""

import re
from collections import Counter
from dataclasses import dataclass

from docgraph.ingest.access_rules import ACCESS_FILE
from docgraph.ingest.formats.registry import SHIPPED_FORMATS, Format, FormatRegistry, suffix_of
from docgraph.ingest.progress import ReportProgress, no_progress, report_listing
from docgraph.ingest.relations_file import RELATIONS_FILE
from docgraph.model.access_policy import is_access_file
from docgraph.model.errors import BadInput
from docgraph.ports.source import Source, SourceFile, SourceProblem

_MAX_REASONS = 10
_NOT_READ = f"not read: rules stand in {ACCESS_FILE} at the root"
_RENAME = f"rules stand in {ACCESS_FILE}: rename it"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # they would break the line of a citation


@dataclass(frozen=True, slots=True)
class SourceListing:
    """`relations` is relations.yaml, `access` is access.yaml; neither is a document.

    A file whose format the source states, such as a row of a corpus, is always a document.
    """

    files: tuple[tuple[SourceFile, Format], ...]
    problems: tuple[SourceProblem, ...]
    skipped: tuple[tuple[str, int], ...]
    relations: SourceFile | None
    access: SourceFile | SourceProblem | None


def list_source(
    source: Source,
    formats: FormatRegistry = SHIPPED_FORMATS,
    progress: ReportProgress = no_progress,
) -> SourceListing:
    """Sorted by path: the order in which the source lists its files does not count."""
    listed = tuple(report_listing(source.files(), progress))
    files: dict[str, tuple[SourceFile, Format]] = {}
    access, problems = _find_access_file(listed)
    skipped: Counter[str] = Counter()
    relations: SourceFile | None = None
    for file in listed:
        name = _file_name(file)
        if is_access_file(name):
            continue
        if isinstance(file, SourceProblem):
            problems.append(file)
            continue
        if _CONTROL.search(file.path):
            problems.append(SourceProblem(repr(file.path), "its name holds control characters"))
            continue
        if name == RELATIONS_FILE:
            relations = file
            continue
        if is_access_file(name.rpartition("/")[2]):
            problems.append(SourceProblem(name, _NOT_READ))
            continue
        file_format = formats.find(file)
        if file_format is None:
            skipped[suffix_of(file.path) or "no suffix"] += 1
        elif file.path in files:
            problems.append(SourceProblem(file.path, "listed twice; the first was taken"))
        else:
            files[file.path] = (file, file_format)
    return SourceListing(
        tuple(files[path] for path in sorted(files)),
        tuple(problems),
        tuple(sorted(skipped.items())),
        relations,
        access,
    )


def _find_access_file(
    listed: tuple[SourceFile | SourceProblem, ...],
) -> tuple[SourceFile | SourceProblem | None, list[SourceProblem]]:
    """Also one that cannot be read or has a misspelt name: neither must count as absent."""
    candidates = {name: file for file in listed if is_access_file(name := _file_name(file))}
    access = candidates.pop(ACCESS_FILE, None)
    misspelt = sorted(candidates)
    if access is None and misspelt:
        access = SourceProblem(misspelt.pop(0), _RENAME)
    return access, [SourceProblem(name, _NOT_READ) for name in misspelt]


def _file_name(file: SourceFile | SourceProblem) -> str:
    """Empty for a row of a corpus, whose path is no file name."""
    is_row = isinstance(file, SourceFile) and file.format is not None
    return "" if is_row else file.path


def nothing_to_ingest(
    problems: tuple[SourceProblem, ...],
    skipped: tuple[tuple[str, int], ...],
    formats: FormatRegistry = SHIPPED_FORMATS,
) -> BadInput:
    """An error with the reason for each file that was not read."""
    reasons = [f"{problem.path}: {problem.reason}" for problem in problems[:_MAX_REASONS]]
    if len(problems) > _MAX_REASONS:
        reasons.append(f"and {len(problems) - _MAX_REASONS} more")
    reasons += [f"{count} x {suffix}: no reader for it" for suffix, count in skipped]
    why = "; ".join(reasons) or "there are no files"
    known = " ".join(sorted(formats.by_suffix))
    return BadInput(f"nothing to ingest: {why}. Suffixes of known formats: {known}")
