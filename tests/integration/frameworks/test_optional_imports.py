"""Frameworks are optional: imported on first use, named by an error if missing; no telemetry."""

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


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_framework_that_is_missing_is_named_with_its_extra(framework: str) -> None:
    code = f"""
import sys
sys.modules[{FRAMEWORKS[framework]!r}] = None
import docgraph
try:
    import docgraph.integrations.{framework}
except docgraph.DocgraphError as error:
    assert isinstance(error, ImportError)
    print(error)
"""
    assert f"install it with: pip install 'docgraph[{framework}]'" in run(code)


def test_no_framework_is_imported_unless_its_integration_is() -> None:
    code = f"""
import sys, docgraph
docgraph.open("none.db")
print(sorted(set({tuple(FRAMEWORKS.values())!r}) & set(sys.modules)))
"""
    assert run(code) == "[]\n"


def test_importing_docgraph_imports_few_modules() -> None:
    code = """
import sys
before = set(sys.modules)
import docgraph
print(sorted(set(sys.modules) - before))
"""
    assert run(code) == "['docgraph', 'docgraph.model', 'docgraph.model.errors']\n"


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_an_integration_creates_no_file_in_the_home_folder_and_opens_no_connection(
    framework: str, tmp_path: Path
) -> None:
    code = f"""
import sys, threading
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise SystemExit(event)
sys.addaudithook(refuse)
import docgraph.integrations.{framework}
print(len(threading.enumerate()))
"""
    folder = str(tmp_path)
    assert run(code, HOME=folder, XDG_CACHE_HOME=folder, XDG_CONFIG_HOME=folder) == "1\n"
    assert list(tmp_path.rglob("*")) == []


def test_telemetry_of_haystack_is_off_unless_the_user_enables_it(tmp_path: Path) -> None:
    code = """
import docgraph.integrations.haystack
from haystack.telemetry import _telemetry
print(_telemetry.telemetry is not None)
"""
    assert run(code, HOME=str(tmp_path)) == "False\n"
    assert run(code, HOME=str(tmp_path), HAYSTACK_TELEMETRY_ENABLED="True") == "True\n"
