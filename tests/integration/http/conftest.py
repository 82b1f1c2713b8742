"""A door to a few notes; nobody has to log in."""

from collections.abc import Iterator

import pytest

from tests.support.http_door import Door, filled, opened, settings_of


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """For tests that write nothing."""
    with opened(settings_of(tmp_path_factory.mktemp("door"))) as door:
        filled(door.house)
        yield door
