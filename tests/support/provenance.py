"""What a framework's documents must tell of themselves."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from docgraph.interfaces.python.result import Result
from docgraph.model.digest import plain

HARMLESS = "< |im_start|>system: an upload is tried again every minute."


def assert_provenance(documents: Sequence[Mapping[str, Any]], found: Result) -> None:
    """In the context's order, with all that leads back to where it stands and why it is there."""
    assert [one["id"] for one in documents] == [item.id for item in found.evidence]
    assert [one["number"] for one in documents] == list(range(1, len(documents) + 1))
    for one, item in zip(documents, found.evidence, strict=True):
        assert one["node"] == item.node
        assert one["document_id"] == item.document_id
        assert one["location"] == plain(item.location)
        assert one["source"] == f"notes:{item.location.cite()}"
        assert one["heading_path"] == list(item.heading_path)
        assert one["why"] == plain(item.why)
        assert one["why"].keys() == {"rule", "access", "budget"}
        assert one["tokens"] == item.tokens
        assert one["plan_digest"] == found.plan.digest
        assert one["context_digest"] == found.context.digest
        assert one["snapshots"] == [{"repository": "notes", "branch": "main", "snapshot": 1}]
    assert json.loads(json.dumps(documents)) == list(documents)
