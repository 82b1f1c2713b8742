"""A result can be shown as data."""

import json

from docgraph.ingest.run import ingest
from docgraph.model.access import LOCAL_ONLY
from docgraph.model.digest import plain
from tests.unit.ingest.fakes import HashEmbedder, MemorySource
from tests.unit.ingest.memory_writer import MemoryWriter


def test_a_result_is_plain_data() -> None:
    source = MemorySource({"a.md": "# A\n\n[b](gone.md)"})
    found = ingest(
        source,
        MemoryWriter(),
        HashEmbedder(),
        repository="r",
        tenant="local",
        rule_for=lambda _: LOCAL_ONLY,
    )
    data = json.loads(json.dumps(plain(found)))
    assert data["unresolved"] == [{"path": "a.md", "line": 3, "what": "references gone.md"}]
    links = {"miner": "links", "relation": "references", "resolved": 0, "unresolved": 1}
    assert links in data["references"]
    assert data["snapshot"] == {"repository": "r", "branch": "main", "snapshot": 1}
