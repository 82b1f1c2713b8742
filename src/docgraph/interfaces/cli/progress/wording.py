"""Progress in words: counts, rates, durations."""

from math import inf

from docgraph.ingest.progress import (
    EMBEDDINGS,
    LISTING,
    READING,
    RELATIONS,
    WORDS,
    Askable,
    Progress,
)
from docgraph.interfaces.cli.progress.tracker import PhaseState
from docgraph.interfaces.terminal import escape_line

STILL = 20.0  # seconds without an event after which a rate means nothing any more
_UNITS = {
    LISTING: "files",
    READING: "files",
    WORDS: "documents",
    RELATIONS: "texts",
    EMBEDDINGS: "texts",
    "ask": "questions",
    "rank": "questions",
}
_MINUTE, _HOUR = 60, 3600
_STEPS = ((10, 1), (_MINUTE, 5), (10 * _MINUTE, 10), (_HOUR, _MINUTE), (inf, 5 * _MINUTE))


def describe_counts(progress: Progress, chunks: int) -> str:
    """`1,204 of 4,023 files, 20,913 chunks`, without what is not known."""
    if not (progress.done or progress.total):
        return ""
    of = f" of {progress.total:,}" if progress.total else ""
    parts = [f"{progress.done:,}{of} {_unit(progress.phase)}".rstrip()]
    if chunks:
        parts.append(f"{chunks:,} chunks")
    return ", ".join(parts)


def describe_rates(state: PhaseState) -> str:
    """Over the last seconds: `95 files/s, 1,650 chunks/s`."""
    if state.is_finished:
        return ""
    if state.quiet >= STILL:
        return f"nothing new for {describe_duration(state.quiet)}"
    known = state.estimate
    of_units = ((known.rate, _unit(state.progress.phase)), (known.chunk_rate, "chunks"))
    return ", ".join(_per_time(rate, unit) for rate, unit in of_units if rate is not None)


def describe_time(state: PhaseState) -> str:
    if state.seconds is None:
        return "to come"
    if state.is_finished:
        return f"in {describe_duration(state.seconds)}" if state.seconds >= 1 else ""
    left = state.estimate.seconds_left
    return "" if left is None else f"{describe_duration(left)} left"


def describe_askable(event: Askable) -> str:
    name = event.snapshot
    return escape_line(
        f"questions can be asked: snapshot {name.snapshot} of {name.repository} {name.branch} "
        f"(words, names and relations; embeddings {event.embeddings.describe()})"
    )


def describe_duration(seconds: float) -> str:
    """In steps of about a tenth, so that it does not flicker; at least `1 s`."""
    whole = max(1, _rounded(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        minutes, rest = divmod(whole, _MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(whole // _MINUTE, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _rounded(seconds: float) -> int:
    step = next(step for limit, step in _STEPS if seconds < limit)
    return round(seconds / step) * step


def _per_time(rate: float, unit: str) -> str:
    if rate < 1:
        return f"{rate * _MINUTE:.0f} {unit}/min"
    return f"{rate:,.0f} {unit}/s" if rate >= 10 else f"{rate:.1f} {unit}/s"


def _unit(phase: str) -> str:
    """A phase may be a part of longer work: `ingest 1/3 reading`."""
    return next((_UNITS[word] for word in phase.split() if word in _UNITS), "")
