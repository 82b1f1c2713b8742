"""An HTTP app with a few notes; nobody has to log in."""

from collections.abc import Iterator

import pytest

from tests.support.http_app import HttpApp, ingest_notes, open_app, settings_of


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpApp]:
    """For tests that write nothing."""
    with open_app(settings_of(tmp_path_factory.mktemp("api"))) as api:
        ingest_notes(api.state)
        yield api
