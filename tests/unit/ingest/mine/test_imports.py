"""A module imports the modules and symbols that its statements name."""

from docgraph.ingest.mine.claims import Claim
from docgraph.ingest.mine.imports import imports
from tests.unit.ingest.fakes import claims, corpus, unresolved

STORE = "class Store: ...\nLIMIT = 1\n"


def test_an_import_leads_to_the_module_and_to_the_symbol_it_names() -> None:
    found = corpus({"a.py": "from pkg.store import Store, LIMIT\n", "pkg/store.py": STORE})
    assert claims(imports(found)) == [
        ("a.py", "imports", "pkg/store.py"),
        ("a.py", "imports", "pkg/store.py::Store"),
    ]


def test_a_submodule_may_be_imported_by_name() -> None:
    found = corpus({"pkg/a.py": "from . import b\n", "pkg/__init__.py": "", "pkg/b.py": ""})
    assert claims(imports(found)) == [
        ("pkg/a.py", "imports", "pkg/__init__.py"),
        ("pkg/a.py", "imports", "pkg/b.py"),
    ]


def test_what_a_package_defines_comes_before_a_file_of_that_name() -> None:
    files = {"a.py": "from p import b", "p/__init__.py": "def b(): ...", "p/b.py": ""}
    found = [f for f in imports(corpus(files)) if isinstance(f, Claim)]
    ranks = {f.edge.target: f.evidence.rank for f in found}
    assert ranks["r:p/__init__.py::b"] < ranks["r:p/b.py"]


def test_every_candidate_is_claimed_on_the_same_characters() -> None:
    files = {"x/a.py": "import p.q", "x/p/q.py": "", "y/p/q.py": ""}
    near, far = (f for f in imports(corpus(files)) if isinstance(f, Claim))
    assert (near.edge.target, far.edge.target) == ("r:x/p/q.py", "r:y/p/q.py")
    assert near.evidence.rank < far.evidence.rank
    assert (near.evidence.start, near.evidence.end) == (far.evidence.start, far.evidence.end)


def test_unknown_modules_are_unresolved_and_the_standard_library_is_not() -> None:
    found = corpus({"a.py": "import os.path\nimport numpy as np\nfrom .gone import x\n"})
    assert unresolved(imports(found)) == [("a.py", 2, "import numpy"), ("a.py", 3, "import .gone")]


def test_a_package_without_a_file_of_its_own_is_resolved_by_what_is_in_it() -> None:
    found = corpus({"a.py": "from pkg import b\n", "pkg/b.py": ""})
    assert claims(imports(found)) == [("a.py", "imports", "pkg/b.py")]
    assert unresolved(imports(found)) == []


def test_no_module_imports_itself() -> None:
    found = corpus({"p/__init__.py": "from . import x\nfrom p import y\ndef x(): ...\n"})
    assert claims(imports(found)) == []
