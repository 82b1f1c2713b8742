"""A measured set as tables in Markdown; means with the interval that holds 95 % of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.quality_results import MeasuredSet, Row
from docgraph.evaluation.statistics import COSTS, Estimate, differences, estimates, gains


def tables(found: MeasuredSet) -> str:
    name = _name(found.planned[0])
    blocks = [_head(found), _table(found, (*found.flat, *found.planned), _gains(found))]
    for text, rows in (("What is searched", found.over), ("Admission", found.policies)):
        if rows:
            blocks.append(f"{text}, in `{name}`:\n\n{_table(found, rows)}")
    blocks.extend(_contributions(found))
    return "\n\n".join(blocks)


def _head(found: MeasuredSet) -> str:
    edges = ", ".join(f"{name} {count:,}" for name, count in found.edges.items())
    counts = [f"{found.documents:,} documents", f"{found.questions:,} questions"]
    counts += [f"{found.left_out:,} more left out"] if found.left_out else []
    counts += [f"{found.truncated:,} truncated"] if found.truncated else []
    return f"{', '.join(counts)}. Edges: {edges or 'none'}."


def _table(found: MeasuredSet, rows: Sequence[Row], more: Iterable[Sequence[str]] = ()) -> str:
    measures = _measures(found, rows[0].values)
    weighed = any(row.megabytes is not None for row in rows)
    head = ["", *measures, "documents", "tokens", "time", *(["MB"] if weighed else [])]
    return _markdown_table(head, [*(_cells(row, measures, weighed=weighed) for row in rows), *more])


def _cells(row: Row, measures: Sequence[str], *, weighed: bool) -> list[str]:
    known = estimates(row.values)
    return [
        row.name,
        *(_with_interval(known[name], 3) for name in measures),
        _with_interval(known["documents"], 1),
        _with_interval(known["tokens"], 0),
        f"{row.time:.2f}",
        *([f"{row.megabytes:.0f}" if row.megabytes is not None else ""] if weighed else []),
    ]


def _gains(found: MeasuredSet) -> Iterator[list[str]]:
    """What planning gains over the flat mode that is best by that measure."""
    flat = {row.name: row.values for row in found.flat}
    for row in found.planned:
        known = gains(row.values, flat)
        text = [_difference(known[name].gained) for name in _measures(found, row.values)]
        yield [f"{row.name} minus the best flat", *text, "", "", ""]


def _contributions(found: MeasuredSet) -> Iterator[str]:
    """What the edges gave that were switched off: planned minus planned without them."""
    for row in found.planned:
        off = [one for one in found.off if one.planned == row.name]
        if not off:
            continue
        measures = _measures(found, row.values)
        cells = []
        for one in off:
            given = differences({name: row.values[name] for name in measures}, one.values)
            text = [_difference(given[name]) for name in measures]
            cells.append([one.switch.name, f"{one.switch.edges:,}", *text])
        head = ["switched off", "edges", *measures]
        yield f"What edges contribute, in `{_name(row)}`:\n\n{_markdown_table(head, cells)}"


def _measures(found: MeasuredSet, values: Mapping[str, object]) -> list[str]:
    """All and any are measured for positions in code only."""
    selected = (name for name in values if name not in COSTS)
    return [name for name in selected if found.localises or not name.startswith(("acc@", "hit@"))]


def _name(row: Row) -> str:
    return row.name.split("`")[1]


def _with_interval(known: Estimate, digits: int) -> str:
    mean, low, high = (f"{value:,.{digits}f}" for value in (known.mean, known.low, known.high))
    return f"{mean} ({low} to {high})"


def _difference(known: Estimate) -> str:
    """Bold where the interval leaves zero out; empty if no question changed."""
    if not (known.low or known.mean or known.high):
        return "0"
    mean, low, high = (f"{value:+.3f}" for value in (known.mean, known.low, known.high))
    clear = known.low > 0 or known.high < 0
    return f"**{mean}** ({low} to {high})" if clear else f"{mean} ({low} to {high})"


def _markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruler = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ruler, *rows))
