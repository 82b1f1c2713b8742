"""Opened: a store as its settings say. It is opened with the first question."""

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from docgraph.doors.login.asked_as import AskedAs, asked_as
from docgraph.model.errors import BadInput
from docgraph.wiring.existing_store import existing, well_named
from docgraph.wiring.settings import read_settings
from docgraph.wiring.store_address import is_postgres, shown_store

if TYPE_CHECKING:
    from docgraph.administration import Administration
    from docgraph.engine import Engine
    from docgraph.model.access import Principal

Store = str | os.PathLike[str]


class Opened:
    def __init__(self, store: Store | None = None) -> None:
        """Settings count as they are now: the environment, and docgraph.yaml of this folder."""
        named = None if store is None else os.fspath(store)
        settings = well_named(read_settings(os.environ, Path.cwd(), named))
        if not is_postgres(settings.store):
            settings = replace(settings, store=str(Path(settings.store).absolute()))
        self._settings = settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None

    @property
    def store(self) -> str:
        """Where it is: a path, or an address without its password."""
        return shown_store(self._settings.store)

    def saved_store(self) -> str:
        """As a file may hold it; what cannot be shown as it stands may hold a password."""
        if self.store != self._settings.store:
            raise BadInput(
                "a store's address may hold a password, so it is not saved; "
                "leave it out, and set DOCGRAPH_STORE"
            )
        return self.store

    def close(self) -> None:
        """Lets go of models and files, until the next question.

        Connections to Postgres are the whole process's, and stay.
        """
        with self._lock:
            self._engine = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.store!r})"

    def _asking(self) -> "Engine":
        """Of a store that is there; writing makes one."""
        existing(self._settings)
        return self._writing()

    def _writing(self) -> "Engine":
        with self._lock:
            if self._engine is None:
                from docgraph.wiring.build import build_engine

                self._engine = build_engine(self._settings)
            return self._engine

    def _reader(self, who: AskedAs) -> "Principal":
        return asked_as(who, self._administration)

    def _administration(self) -> "Administration":
        from docgraph.wiring.build import build_administration

        return build_administration(existing(self._settings))
