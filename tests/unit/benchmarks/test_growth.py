"""The growth benchmark measures several sizes in separate processes and draws the results."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import growth
from benchmarks.draw_growth import BLUE, draw
from benchmarks.generated_store import generated_store
from benchmarks.growth_figures import GrowthFigures

FOUND = (GrowthFigures(1_000, 0.002, 0.004, 90), GrowthFigures(10_000, 0.010, 0.004, 170))


def test_every_size_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growth, "WARM_UP", 1)
    stores = {size: generated_store(tmp_path, size) for size in (10, 100)}
    found = growth.measure(stores, 3)
    assert [one.documents for one in found] == [10, 100]
    for one in found:
        assert min(one.search, one.execute, one.megabytes) > 0
    growth.report(found)
    assert "from 10 to 100 documents" in capsys.readouterr().out


def test_only_ten_times_the_documents_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    growth.report((GrowthFigures(1_000, 1, 1, 90), *FOUND[1:], GrowthFigures(30_000, 1, 1, 300)))
    said = capsys.readouterr().out
    assert "from 1,000 to 10,000 documents" in said
    assert "to 30,000" not in said
    assert "     300  MB resident, 30,000 documents" in said


def test_the_same_figures_give_the_same_picture() -> None:
    assert draw(FOUND) == draw(FOUND)
    ElementTree.fromstring(draw(FOUND))


def test_longer_times_are_drawn_higher() -> None:
    (along,) = re.findall(rf'points="([^"]+)" fill="none" stroke="{BLUE}"', draw(FOUND))
    (_, first), (_, last) = (map(float, point.split(",")) for point in along.split())
    assert last < first  # counted from the top


def test_every_size_is_labelled_below_the_picture() -> None:
    said = [element.text for element in ElementTree.fromstring(draw(FOUND)).iter()]
    assert said.count("1k") == said.count("10k") == 2
