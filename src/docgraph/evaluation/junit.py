"""Verdicts as JUnit XML, the form in which CI servers read test results."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from docgraph.evaluation.judge import Verdict

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(suite: str, verdicts: Sequence[Verdict]) -> bytes:
    failed = sum(not verdict.good for verdict in verdicts)
    top = Xml.Element(
        "testsuite",
        name=_text(suite),
        tests=str(len(verdicts)),
        failures=str(failed),
        errors="0",
        skipped="0",
        time=f"{sum(verdict.seconds for verdict in verdicts):.3f}",
    )
    for verdict in verdicts:
        expected = verdict.expectation
        whom = f" (as {expected.as_})" if expected.as_ else ""
        case = Xml.SubElement(
            top,
            "testcase",
            classname=_text(suite),
            name=_text(f"{expected.question}{whom}"),
            file=_text(suite),
            line=str(expected.line),
            time=f"{verdict.seconds:.3f}",
        )
        if verdict.problems:
            told = _text("\n".join(verdict.problems))
            Xml.SubElement(case, "failure", message=_text(verdict.problems[0])).text = told
    Xml.indent(top)
    return bytes(Xml.tostring(top, encoding="utf-8", xml_declaration=True)) + b"\n"


def _text(text: str) -> str:
    """XML has no way to write some characters."""
    return _UNWRITABLE.sub("\ufffd", text)
