"""A pipeline that somebody sent is read as strictly as a file, and opens none but named ones."""

from pathlib import Path

import pytest

from docgraph.model.errors import BadPipeline
from docgraph.pipeline.load import load, load_text, shipped_pipelines


def test_a_text_gives_the_pipeline_that_a_file_gives() -> None:
    for name, path in shipped_pipelines().items():
        assert load_text(path.read_text(encoding="utf-8"), {}).digest == load(name).digest


def test_it_may_extend_what_is_named(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("pipeline: own\nextends: flat\nchange: {search_nodes: {top: 3}}\n", "utf-8")
    found = load_text("pipeline: mine\nextends: ours\n", {"ours": own})
    assert (found.name, found.steps[0].options["top"]) == ("mine", 3)


@pytest.mark.parametrize(
    "name", ["flat", "own.yaml", "/etc/hostname", "../own.yaml", "[flat]", "1"]
)
def test_it_opens_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Not one beside where the server runs, either."""
    (tmp_path / "own.yaml").write_text("pipeline: own\nsteps: [search_nodes]\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadPipeline, match="pipeline:2: `extends` takes one of these: ours"):
        load_text(f"pipeline: mine\nextends: {name}\n", {"ours": tmp_path / "own.yaml"})


def test_errors_tell_the_line() -> None:
    with pytest.raises(BadPipeline, match=r"^pipeline:3: step 1 \(serch_nodes\)"):
        load_text("pipeline: mine\nsteps:\n  - serch_nodes: {}\n", {})


def test_it_may_not_be_long() -> None:
    with pytest.raises(BadPipeline, match="at most 8192 bytes"):
        load_text("#" * 70_000, {})
