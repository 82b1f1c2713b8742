"""A small store behind an MCP server: two readers with API keys, and what each may see."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from docgraph.adapters.sqlite.store import SqliteStore
from docgraph.engine import Engine
from docgraph.interfaces.auth.api_keys import ApiKeyAuthentication, hash_secret
from docgraph.interfaces.auth.authentication import Authentication
from docgraph.interfaces.mcp.http_transport import mcp_app
from docgraph.interfaces.mcp.tool_context import Limits, load_pipelines
from docgraph.interfaces.server.listener import open_listener as bound
from docgraph.model.access import AccessRule, ApiKey, Person
from docgraph.model.document import Document
from tests.conformance.published import publish
from tests.support.engines import make_engine
from tests.support.small_world import document, reference, statements_of

ALL = AccessRule("local", frozenset({"guests", "local", "staff"}))
STAFF = AccessRule("local", frozenset({"staff"}))
ANN = Person("ann", "local", frozenset({"staff"}))
BEN = Person("ben", "local", frozenset({"guests"}))
SECRETS = {"ann": f"dg_{'a' * 12}_{'a' * 43}", "ben": f"dg_{'b' * 12}_{'b' * 43}"}

LINK = reference("r:fuel.md", "path:tank.md", text="tank")
OPEN = (
    document(
        "fuel.md", "fuel burns hot", "fuel is kept in the tank", references=[LINK], sections=True
    ),
    document("tank.md", "the tank holds fuel", definitions={"path:tank.md": 0}, title="The tank"),
)
HIDDEN = document("secret.md", "fuel is stolen at night", title="Secret fuel", rule=STAFF)


def engine_at(place: Path, *, hidden: bool = True) -> Engine:
    """The same world, with or without what only the staff may see."""
    store = SqliteStore(place / f"{hidden}.db", now=lambda: "now")
    documents: list[Document] = [replace(found, statements=statements_of(ALL)) for found in OPEN]
    publish(store, *documents, *([HIDDEN] if hidden else []))
    return make_engine(store)


class MemoryKeys:
    """Keys in memory, one for each of the two."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[ApiKey, bytes]] = {}
        for name, secret in SECRETS.items():
            self.add(ApiKey(secret[3:15], "local", name, "2026-01-01"), hash_secret(secret))

    def add(self, key: ApiKey, secret_hash: bytes) -> None:
        self.known[key.id] = key, secret_hash

    def find(self, key_id: str) -> tuple[ApiKey, bytes] | None:
        return self.known.get(key_id)

    def list_keys(self, tenant: str) -> tuple[ApiKey, ...]:
        return tuple(key for key, _ in self.known.values() if key.tenant == tenant)

    def remove(self, tenant: str, key_id: str) -> bool:
        return self.known.pop(key_id, None) is not None


def login_with_keys(people: Mapping[str, Person] | None = None) -> Authentication:
    """The real one; people are looked up on every request."""
    known = {"ann": ANN, "ben": BEN} if people is None else people
    return Authentication(
        ApiKeyAuthentication(
            MemoryKeys(), lambda _, name: known.get(name), now=lambda: datetime.now(UTC)
        )
    )


@contextmanager
def serve_mcp(engine: Engine, login: Authentication, limits: Limits | None = None) -> Iterator[str]:
    """A real server in a thread of its own, on a free port, with MCP at a path of it."""
    app = mcp_app(engine, login, load_pipelines(), limits)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with app.lifespan():
            yield

    app_with_mcp = Starlette(routes=[Route("/mcp", endpoint=app)], lifespan=lifespan)
    with bound("127.0.0.1", 0, is_open=login.open_to_local) as place:
        place.listen()
        server = uvicorn.Server(uvicorn.Config(app_with_mcp, log_config=None, ws="none"))
        thread = Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{place.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join(timeout=60)
            assert not thread.is_alive()
