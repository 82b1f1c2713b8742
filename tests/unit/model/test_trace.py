"""The trace as a value that can be exported."""

import json

import pytest

from docgraph.model.digest import plain
from docgraph.pipeline.run import StepTrace, Trace


@pytest.mark.requirement(44)
def test_a_trace_can_be_exported_as_json() -> None:
    step = StepTrace("search_nodes", False, (("top", 8), ("only", ("a", "b"))), (), ("S", "d"), 1.5)
    exported = json.loads(json.dumps(plain(Trace("mine", "digest", (step,)))))
    assert exported["steps"][0]["options"] == [["top", 8], ["only", ["a", "b"]]]
    assert exported["steps"][0]["milliseconds"] == 1.5
