"""Java: types by their full names, and calls on what has a declared type."""

import pytest

from tests.unit.ingest.fakes import edges, parsed, unresolved

REPO = """\
package com.acme.repo;
public class Repo implements AutoCloseable {
  public static Repo open() { return null; }
  public Order find(String id) { return null; }
  public static class Page { void next() {} }
}
"""
BASE = "package com.acme.store;\npublic abstract class Base { void audit() {} }\n"


def targets(members: str, *miners: str, imports: str = "import com.acme.repo.Repo;") -> list[str]:
    text = f"package com.acme.store;\n{imports}\nclass Store extends Base {{\n{members}\n}}\n"
    files = {"s/Store.java": text, "r/Repo.java": REPO, "s/Base.java": BASE}
    found = edges(files, *miners)
    return [target for source, _, target in found if source.startswith("s/Store.java")]


def test_types_and_methods_are_parts_with_their_annotations_and_comments() -> None:
    text = """\
/* Licence */
package com.acme;
/**
 * Keeps <b>orders</b>.
 * @author me
 */
@Service
public class Store {
  interface Inner { void run(); }
  record Point(int x) { }
  enum Color { RED }
  Store() {}
  @Override public int size(int a) { return new Object() { int b() { return 1; } }.b(); }
  int size() { return 0; }
}
"""
    found = parsed("a/Store.java", text)
    assert [(part.kind, part.name) for part in found.parts] == [
        ("class", "Store"),
        ("interface", "Store.Inner"),
        ("method", "Store.Inner.run"),
        ("class", "Store.Point"),
        ("class", "Store.Color"),
        ("method", "Store.Store"),
        ("method", "Store.size"),
        ("function", "Store.size.b"),
        ("method", "Store.size~2"),
    ]
    assert (found.title, found.lead) == ("com.acme.Store", "Keeps orders.")
    assert text[found.parts[0].start :].startswith("/**\n * Keeps")
    assert found.parts[6].signature == "public int size(int a)"


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("members", "target"),
    [
        ("Repo repo; void f() { repo.find(x); }", "r/Repo.java::Repo.find"),
        ("Repo repo; void f() { this.repo.find(x); }", "r/Repo.java::Repo.find"),
        ("void f(Repo r) { r.find(x); }", "r/Repo.java::Repo.find"),
        ("void f() { var r = new Repo(); r.find(x); }", "r/Repo.java::Repo.find"),
        ("void f() { Repo.open(); }", "r/Repo.java::Repo.open"),
        ("void f() { new Repo(); }", "r/Repo.java::Repo"),
        ("void f() { new Repo.Page(); }", "r/Repo.java::Repo.Page"),
        ("void f() { com.acme.repo.Repo.open(); }", "r/Repo.java::Repo.open"),
        ("void f() { for (Repo r : x) r.find(y); }", "r/Repo.java::Repo.find"),
        ("void f() { audit(); }", "s/Base.java::Base.audit"),
        ("void audit() { super.audit(); }", "s/Base.java::Base.audit"),
        ("class In { void f() { audit(); } }", "s/Base.java::Base.audit"),
        ("void f() { g(); } void g() {}", "s/Store.java::Store.g"),
        ("int g; void f() { g(); } void g() {}", "s/Store.java::Store.g"),
        ("void f() { Base b; b.audit(); }", "s/Base.java::Base.audit"),
    ],
)
def test_a_call_finds_the_method_of_its_class(members: str, target: str) -> None:
    assert target in targets(members, "calls")


@pytest.mark.parametrize(
    "imports",
    [
        "import static com.acme.repo.Repo.open;",
        "import static com.acme.repo.Repo.*;",
    ],
)
def test_a_static_import_brings_a_method(imports: str) -> None:
    assert targets("void f() { open(); }", "calls", imports=imports) == ["r/Repo.java::Repo.open"]


def test_a_package_that_is_imported_whole_brings_its_types() -> None:
    found = targets("Repo r; void f() { r.find(x); }", "calls", imports="import com.acme.repo.*;")
    assert found == ["r/Repo.java::Repo.find"]


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    "members",
    [
        "Repo repo; void f(Other repo) { repo.find(x); }",
        "Repo repo; void f() { x.map(repo -> repo.find(y)); }",
        "<Repo> void f(Repo r) { r.find(x); }",
        "void f(Repo[] r) { r.find(x); }",
        "void f() { unknown.find(x); }",
    ],
)
def test_a_shadowed_name_is_never_resolved(members: str) -> None:
    assert targets(members, "calls") == []


@pytest.mark.requirement(3)
def test_a_class_inherits_and_implements_by_its_declaration() -> None:
    files = {
        "a/A.java": "package a;\nimport b.B;\nclass A extends B<T> implements I, b.J {}\n",
        "a/I.java": "package a;\ninterface I extends b.J {}\n",
        "b/B.java": "package b;\nclass B {}\n",
        "b/J.java": "package b;\ninterface J {}\n",
    }
    assert edges(files, "types") == [
        ("a/A.java::A", "implements", "a/I.java::I"),
        ("a/A.java::A", "implements", "b/J.java::J"),
        ("a/A.java::A", "inherits", "b/B.java::B"),
        ("a/I.java::I", "inherits", "b/J.java::J"),
    ]


def test_an_import_refers_to_the_type_and_the_platform_is_not_reported() -> None:
    text = "package x;\nimport java.util.List;\nimport com.acme.repo.Repo;\nimport com.gone.Gone;\n"
    files = {"x/X.java": text, "r/Repo.java": REPO}
    assert edges(files, "imports") == [("x/X.java", "imports", "r/Repo.java::Repo")]
    assert [what for _, _, what in unresolved(files, "imports")] == ["imports com.gone.Gone"]
