"""A damaged SQLite store gives no traceback, and `verify` finds all that changes an answer."""

import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from tests.support.damaged_files import (
    ANSWERS,
    AUDIT,
    KEYS,
    SERVER,
    STORE,
    TRAIL,
    DamagedFiles,
    Findings,
    changed_pages,
    quick_commands,
)

SHARES = 4
MORE, THOROUGH = 60, 4_000  # flips beside one in each kind of page


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DamagedFiles]:
    with quick_commands():
        yield DamagedFiles(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("share", range(SHARES))
def test_a_flipped_byte_gives_no_traceback_and_changes_no_answer_unnoticed(
    store: DamagedFiles, share: int, thorough: bool
) -> None:
    flips = store.flips(STORE, random.Random(1), more=THOROUGH if thorough else MORE)
    own = [flip for at, flip in enumerate(flips) if at % SHARES == share]
    findings = store.look(own[::2])
    more = store.look(own[1::2], changes=False)
    assert (findings, more) == (Findings(found=findings.found), Findings(found=more.found))
    assert findings.found + more.found > len(own) / 3
