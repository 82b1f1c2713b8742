"""The user's cache of vectors: what was embedded once is not embedded again, whatever the store."""

import logging
import os
import random
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from docgraph.adapters.sqlite.vector_cache import FILE_NAME, SqliteVectorCache
from docgraph.engine.content import ContentService
from docgraph.interfaces.auth.principals import local
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.errors import BadInput
from docgraph.model.question import EmbedderIdentity
from docgraph.model.vector import IntVector
from docgraph.ports.writes import text_key
from docgraph.testing.small_store import HashedWords
from docgraph.wiring.build import build_engine, open_folder
from docgraph.wiring.settings import Settings, read_settings
from docgraph.wiring.vector_cache import (
    VectorCacheSettings,
    describe_vector_cache,
    open_vector_cache,
)

TEXTS = {
    f"{name}.md": f"# {name}\n\nSome words about {name}.\n" for name in ("one", "two", "three")
}
IDENTITY = EmbedderIdentity("e", "e" * 64, 384)


class CountedWords(HashedWords):
    def __init__(self) -> None:
        self.embedded = 0

    def embed(self, texts: Sequence[str]) -> list[IntVector]:
        self.embedded += len(texts)
        return super().embed(texts)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


def ingest(documents: Path, store: Path, cache: VectorCacheSettings) -> tuple[int, str]:
    """How many texts were embedded, and the digest of what is stored then."""
    embedder = CountedWords()
    content: ContentService = build_engine(
        Settings(store=str(store), vector_cache=cache), lambda: embedder
    ).content
    result = content.ingest(
        local(),
        open_folder(documents, 10_000),
        repository="r",
        branch="main",
        rule_for=lambda _: LOCAL_ONLY,
    )
    assert result.vectors == embedder.embedded
    return embedder.embedded, content.content_digest(local())


def settings_for(folder: Path, **more: object) -> VectorCacheSettings:
    return VectorCacheSettings(folder=str(folder), **more)  # type: ignore[arg-type]


@contextmanager
def opened(
    folder: Path,
    tenant: str = "t",
    identity: EmbedderIdentity = IDENTITY,
    *,
    max_bytes: int = 2**20,
    today: int = 1,
    shared: Path | None = None,
) -> Iterator[SqliteVectorCache]:
    with closing(
        SqliteVectorCache(
            folder, tenant, identity, max_bytes=max_bytes, today=lambda: today, shared=shared
        )
    ) as cache:
        yield cache


def vectors(*texts: str) -> dict[str, IntVector]:
    return {text_key(text): np.full(384, len(text), dtype=np.int16) for text in texts}


@pytest.mark.requirement(55)
def test_a_text_that_was_embedded_for_one_store_is_not_embedded_for_another(
    documents: Path, tmp_path: Path
) -> None:
    cache = settings_for(tmp_path / "cache")
    embedded, digest = ingest(documents, tmp_path / "first.db", cache)
    assert embedded > 0
    assert ingest(documents, tmp_path / "second.db", cache) == (0, digest)


def test_a_changed_text_alone_is_embedded(documents: Path, tmp_path: Path) -> None:
    cache = settings_for(tmp_path / "cache")
    embedded, _ = ingest(documents, tmp_path / "first.db", cache)
    (documents / "one.md").write_text("# one\n\nOther words.\n")
    again, _ = ingest(documents, tmp_path / "second.db", cache)
    assert 0 < again < embedded


def test_without_the_cache_everything_is_embedded_for_each_store(
    documents: Path, tmp_path: Path
) -> None:
    cache = settings_for(tmp_path / "cache", enabled=False)
    first = ingest(documents, tmp_path / "first.db", cache)
    assert ingest(documents, tmp_path / "second.db", cache) == first
    assert not (tmp_path / "cache").exists()


def test_tenants_and_embedders_share_nothing(tmp_path: Path) -> None:
    """Whether a text is cached tells nobody that another tenant has it."""
    with opened(tmp_path, "one") as cache:
        cache.add(vectors("a"))
        assert cache.find([text_key("a")])
    other = EmbedderIdentity("e", "f" * 64, 384)
    for tenant, identity in (("two", IDENTITY), ("one", other)):
        with opened(tmp_path, tenant, identity) as cache:
            assert cache.find([text_key("a")]) == {}


def test_a_vector_is_found_as_it_was_added(tmp_path: Path) -> None:
    added = vectors("a", "bb", "ccc")
    with opened(tmp_path) as cache:
        cache.add(added)
        cache.add(added)
    with opened(tmp_path) as cache:
        found = cache.find([*added, text_key("absent")])
    assert found.keys() == added.keys()
    assert all(np.array_equal(found[key], added[key]) for key in added)


def test_the_file_is_bounded_and_the_longest_unused_vectors_go_first(tmp_path: Path) -> None:
    bound = 450 * 1024
    old, used, new = (
        vectors(*(f"{name} {n}" for n in range(200))) for name in ("old", "used", "new")
    )
    with opened(tmp_path, max_bytes=bound, today=1) as cache:
        cache.add(old)
        cache.add(used)
    with opened(tmp_path, max_bytes=bound, today=2) as cache:
        assert cache.find(list(used)).keys() == used.keys()
        for some in range(0, 200, 20):
            cache.add(dict(list(new.items())[some : some + 20]))
        counts = [len(cache.find(list(part))) for part in (old, used, new)]
    assert (tmp_path / FILE_NAME).stat().st_size <= bound
    assert counts[0] < counts[1] <= 200
    assert counts[2] == 200


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of files")
def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        cache.add(vectors("a"))
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_a_shared_cache_is_read_and_not_written(documents: Path, tmp_path: Path) -> None:
    team, own = tmp_path / "team", tmp_path / "own"
    embedded, _ = ingest(documents, tmp_path / "first.db", settings_for(team))
    before = {path.name: path.read_bytes() for path in team.iterdir()}
    (documents / "four.md").write_text("# four\n\nNew.\n")
    again, _ = ingest(documents, tmp_path / "second.db", settings_for(own, shared=str(team)))
    assert 0 < again < embedded
    assert {path.name: path.read_bytes() for path in team.iterdir()} == before
    assert (own / FILE_NAME).exists()


def test_a_shared_cache_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "own", shared=str(tmp_path / "gone"))
    with (
        pytest.raises(BadInput, match=r"vector_cache\.shared: there is no file .*gone"),
        open_vector_cache(settings, "t", IDENTITY),
    ):
        pass


@pytest.mark.parametrize("content", [b"no database " * 100, b"", b"SQLite format 3\0" + b"x" * 999])
def test_a_file_that_is_no_cache_ends_no_ingest(
    documents: Path, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)
    with caplog.at_level(logging.WARNING, "docgraph.vector_cache"):
        embedded, _ = ingest(documents, tmp_path / "s.db", settings_for(folder))
    assert embedded > 0
    assert [one for one in caplog.messages if "the vector cache is not used" in one]
    assert (folder / FILE_NAME).read_bytes() == content


def test_a_damaged_vector_is_computed_again(tmp_path: Path) -> None:
    """Of any byte: a vector that is found is the one that was added."""
    added = vectors(*(f"text {n}" for n in range(40)))
    with opened(tmp_path) as cache:
        cache.add(added)
    path = tmp_path / FILE_NAME
    sound, chance = path.read_bytes(), random.Random(1)
    lost = 0
    for _ in range(150):
        damaged = bytearray(sound)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        with opened(tmp_path) as cache:
            found = cache.find(list(added))
        assert all(np.array_equal(found[key], added[key]) for key in found)
        lost += len(found) < len(added)
    assert lost > 0


def test_a_folder_that_cannot_be_written_ends_no_ingest(
    documents: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    embedded, _ = ingest(documents, tmp_path / "s.db", settings_for(tmp_path / "file"))
    assert embedded > 0
    assert "the vector cache is not used" in caplog.text


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HOME": "/h"}, "/h/.cache/docgraph"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/c"}, "/c/docgraph"),
        ({"HOME": "/h", "DOCGRAPH_VECTOR_CACHE_FOLDER": "/v"}, "/v"),
        ({}, None),
        ({"HOME": "/h", "DOCGRAPH_VECTOR_CACHE": "off"}, None),
    ],
)
def test_it_lies_in_the_users_cache_folder_unless_settings_name_another(
    environment: dict[str, str],
    expected: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("docgraph.wiring.vector_cache.sys.platform", "linux")
    settings = read_settings(environment, tmp_path).vector_cache
    assert (settings.folder if settings.enabled else None) == expected
    described = describe_vector_cache(settings)
    assert described == (
        "off" if expected is None else f"{expected}/vectors.db, 0 of at most 1024 MiB"
    )


def test_settings_of_the_file_are_used(tmp_path: Path) -> None:
    (tmp_path / "docgraph.yaml").write_text(
        "vector_cache: {folder: vectors, max_mib: 5, shared: team}\n"
    )
    found = read_settings({"HOME": "/h"}, tmp_path).vector_cache
    assert (found.folder, found.max_mib, found.shared) == ("vectors", 5, "team")
    (tmp_path / "docgraph.yaml").write_text("vector_cache: {enabled: false}\n")
    assert not read_settings({"HOME": "/h"}, tmp_path).vector_cache.enabled
