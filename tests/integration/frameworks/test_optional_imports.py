"""Frameworks are other people's: they come late, may be missing, and report nothing through us."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FRAMEWORKS = {"haystack": "haystack", "langchain": "langchain_core", "llamaindex": "llama_index"}


def run(code: str, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("HAYSTACK_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_a_framework_that_is_missing_is_named_with_its_extra(extra: str) -> None:
    code = f"""
import sys
sys.modules[{FRAMEWORKS[extra]!r}] = None
import docgraph
try:
    import docgraph.integrations.{extra}
except docgraph.DocgraphError as error:
    assert isinstance(error, ImportError)
    print(error)
"""
    assert f"install it with: pip install 'docgraph[{extra}]'" in run(code)


def test_no_framework_is_imported_unless_its_integration_is() -> None:
    code = f"""
import sys, docgraph
docgraph.open("none.db")
print(sorted(set({tuple(FRAMEWORKS.values())!r}) & set(sys.modules)))
"""
    assert run(code) == "[]\n"


def test_importing_docgraph_imports_next_to_nothing() -> None:
    code = """
import sys
before = set(sys.modules)
import docgraph
print(sorted(set(sys.modules) - before))
"""
    assert run(code) == "['docgraph', 'docgraph.model', 'docgraph.model.errors']\n"


@pytest.mark.parametrize("extra", FRAMEWORKS)
def test_an_integration_leaves_nothing_in_the_home_and_calls_nobody(
    extra: str, tmp_path: Path
) -> None:
    code = f"""
import sys, threading
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(event)
sys.addaudithook(refuse)
import docgraph.integrations.{extra}
print(len(threading.enumerate()))
"""
    place = str(tmp_path)
    assert run(code, HOME=place, XDG_CACHE_HOME=place, XDG_CONFIG_HOME=place) == "1\n"
    assert list(tmp_path.rglob("*")) == []


def test_who_wants_haystack_to_report_has_chosen(tmp_path: Path) -> None:
    code = """
import docgraph.integrations.haystack
from haystack.telemetry import _telemetry
print(_telemetry.telemetry is not None)
"""
    assert run(code, HOME=str(tmp_path)) == "False\n"
    assert run(code, HOME=str(tmp_path), HAYSTACK_TELEMETRY_ENABLED="True") == "True\n"
