"""The HTTP app in a test: a real store, real authentication, no network."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from docgraph.interfaces.auth.api_keys import hash_secret, new_secret
from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.http.server.app import make_app
from docgraph.interfaces.http.server.app_state import AppState, build_app_state
from docgraph.model.access import AccessRule, ApiKey, Person
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.auth_settings import AuthSettings
from docgraph.wiring.build import build_administration
from docgraph.wiring.server_settings import ServeSettings
from docgraph.wiring.settings import Settings
from tests.support.memory_source import MemorySource

HERE = "http://127.0.0.1"
CLIENT = ("127.0.0.1", 50_000)
NOTES = {
    "queue.md": "# Queue\n\nUploads wait here; see the [worker](worker.md).\n\n"
    "## Pause\n\nThe pause is 30 seconds.\n",
    "worker.md": "# Worker\n\nThe worker takes uploads from the queue.\n",
    "odd/a%b:c#d.md": "# Odd\n\nA name that has to be written with care.\n",
    "secret.md": "# Secret\n\nThe worker of the secret queue. See [queue](queue.md).\n",
}
SECRET = AccessRule("local", frozenset({"board"}))
OPEN = AccessRule("local", frozenset({"everyone"}))


@dataclass(frozen=True, slots=True)
class HttpApp:
    """`client` speaks to the app; `state` is what stands behind it."""

    client: TestClient
    state: AppState

    def post(self, path: str, body: object, **headers: str) -> Any:
        return self.client.post(path, json=body, headers=headers)


@contextmanager
def open_app(settings: Settings) -> Iterator[HttpApp]:
    state = build_app_state(settings, HashedWords)
    with TestClient(
        make_app(state), base_url=HERE, raise_server_exceptions=False, client=CLIENT
    ) as client:
        while not state.server_state.ready:
            pass
        yield HttpApp(client, state)


def settings_of(folder: Path, *, keys: bool = False, **serve: Any) -> Settings:
    return Settings(
        store=str(folder / "store.db"),
        login=AuthSettings(keys=keys),
        serve=ServeSettings(**{"drain": 5.0, **serve}),
    )


def ingest_notes(
    state: AppState, texts: Mapping[str, str] = NOTES, repository: str = "notes"
) -> None:
    """As local; what is secret is for the board."""
    state.engine.content.ingest(
        local(),
        MemorySource(texts),
        repository=repository,
        branch="main",
        rule_for=lambda path: SECRET if path.startswith("secret") else OPEN,
    )


@cache
def secret_of(name: str) -> tuple[str, str]:
    """The same in every store: a receipt names the key that was shown."""
    return new_secret()


def key_for(settings: Settings, name: str, *groups: str, rights: tuple[str, ...] = ()) -> str:
    """The header that this person shows."""
    administration = build_administration(settings)
    person = Person(name, "local", frozenset(groups), rights=frozenset(rights))
    administration.add_person(local(), person)
    key_id, secret = secret_of(name)
    key = ApiKey(key_id, "local", name, datetime.now(UTC).isoformat(timespec="seconds"))
    administration.add_key(local(), key, hash_secret(secret))
    return f"Bearer {secret}"
