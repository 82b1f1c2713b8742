"""`make prove`: shards are kept, a proof goes on where it was, a difference ends it."""

import json
from pathlib import Path

import pytest

from benchmarks.prove import FIRST, main


def prove(monkeypatch: pytest.MonkeyPatch, folder: Path, *more: str) -> int:
    monkeypatch.setattr("sys.argv", ["prove", "--folder", str(folder), "--workers", "1", *more])
    return main()


def test_a_proof_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What other code gave does not count, and neither does a line that was cut off."""
    assert prove(monkeypatch, tmp_path, "--examples", "3", "--size", "3") == 0
    file = tmp_path / "shards.jsonl"
    (first,) = map(json.loads, file.read_text().splitlines())
    assert first["seed"] == FIRST
    assert first["runs"] >= 3
    assert first["comparisons"] > 0

    other = {**first, "seed": FIRST + 1, "code": "other"}
    file.write_text(f"{json.dumps(first)}\n{json.dumps(other)}\n{{cut o\n")
    capsys.readouterr()
    assert prove(monkeypatch, tmp_path, "--examples", "6", "--size", "3") == 0
    there, shard, summary = capsys.readouterr().out.splitlines()
    assert there == "1 of 2 shards are there already"
    assert shard.startswith(f"shard {FIRST + 1}: ")
    assert summary.startswith("no interference: ")
    assert f"seeds {FIRST} to {FIRST + 1}, commit " in summary


def test_a_proof_on_postgres_is_another_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for store in ("sqlite", "postgres"):
        asked = ("--examples", "2", "--size", "2", "--store", store)
        assert prove(monkeypatch, tmp_path, *asked) == 0
        shard, summary = capsys.readouterr().out.splitlines()
        assert shard.startswith(f"shard {FIRST}: ")
        assert summary.startswith("no interference: ")


def test_a_difference_ends_a_proof_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = ("--plant", "an_unfiltered_explicit_id")
    assert prove(monkeypatch, tmp_path, "--examples", "160", "--size", "40", *planted) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("not proved: 0 examples, ")
    found = min(tmp_path.iterdir())  # the next shard may have begun
    assert found.name == f"failed-{FIRST}.txt"
    assert "Interference" in found.read_text()
    assert "state.begin(start_state=" in found.read_text()
