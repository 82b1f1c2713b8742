"""The settings below `serve` in docgraph.yaml."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadInput
from docgraph.wiring.server_settings import RootSettings, ServeSettings, WatchSettings
from docgraph.wiring.settings import read_settings


def read_serve(folder: Path, text: str) -> ServeSettings:
    (folder / "docgraph.yaml").write_text(text, encoding="utf-8")
    return read_settings({}, folder).serve


def test_by_default_a_server_listens_on_loopback_and_has_no_roots(tmp_path: Path) -> None:
    found = read_settings({}, tmp_path).serve
    assert (found.host, found.port, found.roots) == ("127.0.0.1", 8000, ())


def test_settings_are_read_and_the_others_are_defaults(tmp_path: Path) -> None:
    text = "serve: {port: 0, roots: [a, b], pipelines: {mine: m.yaml}, time: 5, drain: 0}\n"
    assert read_serve(tmp_path, text) == ServeSettings(
        port=0, roots=("a", "b"), pipelines={"mine": "m.yaml"}, time=5.0, drain=0.0
    )


def test_a_root_may_belong_to_one_tenant(tmp_path: Path) -> None:
    found = read_serve(tmp_path, "serve: {roots: [a, {folder: b, tenant: acme}]}\n")
    assert found.roots == ("a", RootSettings("b", "acme"))


def test_a_folder_to_watch_is_a_path_or_has_options(tmp_path: Path) -> None:
    text = "serve: {watch: [a, {path: b, branch: dev, readers: [staff], level: 2}]}\n"
    assert read_serve(tmp_path, text).watch == (
        "a",
        WatchSettings("b", branch="dev", readers=("staff",), level=2),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serve: {watch: notes}", "serve.watch"),
        ("serve: {watch: [{repository: a}]}", "path: Field required"),
        ("serve: {watch: [{path: a, reader: [b]}]}", "did you mean 'readers'"),
        ("serve: {watch: [{path: a, level: -1}]}", "level"),
        ("serve: {prot: 1}", "no setting is called 'serve.prot'; did you mean 'port'"),
        ("serve: {port: '8000'}", "serve.port"),
        ("serve: {port: 70000}", "serve.port"),
        ("serve: {host: ''}", "serve.host"),
        ("serve: {roots: documents}", "serve.roots"),
        ("serve: {roots: [{folder: a}]}", "tenant: Field required"),
        ("serve: {roots: [{folder: a, tenant: ''}]}", "tenant"),
        ("serve: {roots: [{folder: a, tenant: b, tenat: c}]}", "did you mean 'tenant'"),
        ("serve: {roots: ['']}", "serve.roots.0"),
        ("serve: {ingestion_time: 0}", "serve.ingestion_time"),
        ("serve: {time: 0}", "serve.time"),
        ("serve: {time: .inf}", "serve.time"),
        ("serve: {body_bytes: 1000000000}", "serve.body_bytes"),
        ("serve: {top: 0}", "serve.top"),
        ("serve: {queue: -1}", "serve.queue"),
        ("serve: {lease: 0.1}", "serve.lease"),
        ("serve: {pipelines: [a]}", "serve.pipelines"),
    ],
)
def test_an_invalid_setting_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_serve(tmp_path, text)
    assert message in str(caught.value)
