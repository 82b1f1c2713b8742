"""Every attribute of a span is documented, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SOURCES = (
    "src/docgraph/pipeline/run.py",
    "src/docgraph/engine/audit_trail.py",
    "src/docgraph/engine/questions.py",
)
COUNTS = "src/docgraph/ingest/result.py"


def attributes() -> set[str]:
    """The attributes that the code sets."""
    code = "\n".join((ROOT / path).read_text() for path in SOURCES)
    named = re.findall(r'\b_ids\("(\w+)"', code)
    counted = re.findall(r'^            "(\w+)": ', (ROOT / COUNTS).read_text(), re.MULTILINE)
    plain = set(re.findall(r'"docgraph\.(\w+)"', code))
    return plain | {*named, *counted}


def documented() -> set[str]:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "telemetry.md").read_text(), re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(?:docgraph)?\.(\w+)`", row)}


def test_every_attribute_of_a_span_is_documented_and_no_other() -> None:
    assert documented() == attributes()
