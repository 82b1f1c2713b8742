"""Whatever fits the OpenAPI, or hardly fits it, is answered as the OpenAPI says; never with a 5xx.

Over a real connection. `DOCGRAPH_HTTP_CASES` is how many cases each operation gets of each kind.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import build_app_state
from docgraph.interfaces.server.listener import listener_url, open_listener
from docgraph.testing.small_store import HashedWords
from tests.support.http_app import ingest_notes, settings_of

CASES = int(os.environ.get("DOCGRAPH_HTTP_CASES", "4"))
CHECKS: list[Any] = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
OPERATIONS = [
    ("POST", "/v1/search"),
    ("POST", "/v1/plans"),
    ("POST", "/v1/plans/execute"),
    ("POST", "/v1/retrieve"),
    ("POST", "/v1/ask"),
    ("GET", "/v1/nodes/{id}"),
    ("GET", "/v1/relations"),
    ("POST", "/v1/relations"),
    ("DELETE", "/v1/relations"),
    ("GET", "/v1/snapshots"),
    ("GET", "/v1/status"),
    ("POST", "/v1/explain"),
    ("POST", "/v1/receipts/replay"),
    ("POST", "/v1/ingestions"),
    ("GET", "/v1/ingestions"),
    ("GET", "/v1/ingestions/{id}"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
]


@contextmanager
def served(api: Any) -> Iterator[str]:
    with open_listener("127.0.0.1", 0, is_open=True) as where:
        config = uvicorn.Config(api, log_config=None, access_log=False, ws="none", lifespan="on")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [where]})
        thread.start()
        try:
            yield listener_url(where)
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("schema")
    (folder / "roots" / "notes").mkdir(parents=True)
    (folder / "roots" / "notes" / "a.md").write_text("# A\n", encoding="utf-8")
    state = build_app_state(settings_of(folder, roots=(str(folder / "roots"),)), HashedWords)
    ingest_notes(state)
    with served(make_app(state)) as url:
        yield schemathesis.openapi.from_url(f"{url}/openapi.json")


def test_these_are_all_operations(schema: Any) -> None:
    assert sorted(found.ok().label for found in schema.get_all_operations()) == sorted(
        f"{method} {path}" for method, path in OPERATIONS
    )


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: str(mode.value))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_one_that_the_openapi_knows(
    schema: Any, method: str, path: str, mode: GenerationMode
) -> None:
    operation = schema[path][method]
    if mode is GenerationMode.NEGATIVE and not (
        operation.body or list(operation.iter_parameters())
    ):
        return  # there is nothing that could be wrong

    @settings(
        max_examples=CASES,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(st.data())
    def answered(data: Any) -> None:
        case: Case[Any] = data.draw(operation.as_strategy(generation_mode=mode))
        case.validate_response(case.call(), checks=CHECKS)

    answered()
