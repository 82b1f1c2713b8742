"""The highest number that an option takes, as its own type says."""

import typing

from annotated_types import Interval

from docgraph.contract import Action


def highest(action: Action, option: str) -> int:
    found = action.option(option)
    assert found is not None
    return next(_tops(found.annotation))


def _tops(annotation: object) -> typing.Iterator[int]:
    for part in typing.get_args(annotation):
        if isinstance(part, Interval):
            assert isinstance(part.le, int)
            yield part.le
        else:
            yield from _tops(part)
