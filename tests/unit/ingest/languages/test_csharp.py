"""C#: types by namespace, and calls on what has a declared type."""

import pytest

from tests.unit.ingest.fakes import edges, parsed

MODEL = """\
namespace Acme.Model
{
    public interface IRepo { Order Find(string id); }
    public class Order { public void Touch() {} public static Order Make() => null; }
}
"""
BASE = "namespace Acme;\npublic class Base { protected void Audit() {} }\n"


def targets(members: str, *miners: str, usings: str = "using Acme.Model;") -> list[str]:
    text = f"{usings}\nnamespace Acme.Shop;\nclass Store : Base {{\n{members}\n}}\n"
    files = {"s/Store.cs": text, "m/Model.cs": MODEL, "b/Base.cs": BASE}
    found = edges(files, *miners)
    return [target for source, _, target in found if source.startswith("s/Store.cs")]


def test_types_and_methods_are_parts_with_their_attributes_and_comments() -> None:
    text = """\
using System;
namespace Acme.Shop;
/// <summary>Keeps orders.</summary>
/// <param name="x">X</param>
[Serializable]
public class Store<T> : Base where T : class {
  public Store() : base(1) {}
  public async Task<int> Size(int a) { void Local() {} Local(); return 1; }
  public int Count => 1;
}
public interface IRun { void Run(); }
public record Point(int X);
public struct Pair {}
public enum Color { Red }
"""
    found = parsed("a/Store.cs", text)
    assert [(part.kind, part.name) for part in found.parts] == [
        ("class", "Store"),
        ("method", "Store.Store"),
        ("method", "Store.Size"),
        ("function", "Store.Size.Local"),
        ("interface", "IRun"),
        ("method", "IRun.Run"),
        ("class", "Point"),
        ("class", "Pair"),
        ("class", "Color"),
    ]
    assert found.title == "Acme.Shop.Store"
    assert found.parts[0].lead == "Keeps orders."
    assert found.parts[0].signature == "public class Store<T> : Base where T : class"
    assert text[found.parts[0].start :].startswith("/// <summary>")


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("members", "target"),
    [
        ("IRepo repo; void F() { repo.Find(x); }", "m/Model.cs::IRepo.Find"),
        ("IRepo Repo { get; } void F() { this.Repo.Find(x); }", "m/Model.cs::IRepo.Find"),
        ("void F(Order o) { o?.Touch(); }", "m/Model.cs::Order.Touch"),
        ("void F() { var o = new Order(); o.Touch(); }", "m/Model.cs::Order.Touch"),
        ("void F() { Order.Make(); }", "m/Model.cs::Order.Make"),
        ("void F() { Acme.Model.Order.Make(); }", "m/Model.cs::Order.Make"),
        ("void F() { foreach (Order o in x) o.Touch(); }", "m/Model.cs::Order.Touch"),
        ("void F() { if (x is Order o) o.Touch(); }", "m/Model.cs::Order.Touch"),
        ("Order Order { get; } void F() { Order.Touch(); }", "m/Model.cs::Order.Touch"),
        ("void F() { Audit(); }", "b/Base.cs::Base.Audit"),
        ("void F() { base.Audit(); }", "b/Base.cs::Base.Audit"),
        ("Store() : base() {}", "b/Base.cs::Base"),
        ("void F() { G<int>(); } void G<T>() {}", "s/Store.cs::Store.G"),
        ("void F() { void L() {} L(); }", "s/Store.cs::Store.F.L"),
    ],
)
def test_a_call_finds_the_method_of_its_class(members: str, target: str) -> None:
    assert target in targets(members, "calls")


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    "members",
    [
        "void F(Action G) { G(); } void G() {}",
        "Order o; void F(Other o) { o.Touch(); }",
        "Order o; void F() { x.Map(o => o.Touch()); }",
        "void F() { unknown.Touch(); }",
    ],
)
def test_a_shadowed_name_is_never_resolved(members: str) -> None:
    assert targets(members, "calls") == []


def test_a_type_that_no_namespace_in_use_has_is_not_found() -> None:
    assert targets("void F() { Order.Make(); }", "calls", usings="") == []


@pytest.mark.parametrize(
    ("usings", "members"),
    [
        ("using O = Acme.Model.Order;", "void F() { O.Make(); }"),
        ("using static Acme.Model.Order;", "void F() { Make(); }"),
    ],
)
def test_an_alias_and_a_static_using_bring_what_they_name(usings: str, members: str) -> None:
    assert targets(members, "calls", usings=usings) == ["m/Model.cs::Order.Make"]
    assert "m/Model.cs::Order" in targets(members, "imports", usings=usings)


def test_a_type_is_imported_where_the_file_first_names_it() -> None:
    found = targets("Order a; Order b; IRepo c;", "imports")
    assert found == ["b/Base.cs::Base", "m/Model.cs::IRepo", "m/Model.cs::Order"]


@pytest.mark.requirement(3)
def test_interfaces_are_implemented_and_classes_inherited() -> None:
    files = {
        "a.cs": "namespace A; class C : Base, IRun { }\ninterface IMore : IRun { }\n",
        "b.cs": "namespace A; class Base { } interface IRun { }\n",
    }
    assert edges(files, "types") == [
        ("a.cs::C", "implements", "b.cs::IRun"),
        ("a.cs::C", "inherits", "b.cs::Base"),
        ("a.cs::IMore", "inherits", "b.cs::IRun"),
    ]


def test_a_member_of_a_partial_class_is_found_in_the_part_that_defines_it() -> None:
    files = {
        "x/a.cs": "namespace A; partial class P { public static void One() {} }\n",
        "x/b.cs": "namespace A; partial class P { public static void Two() {} }\n",
        "c.cs": "using A; class C { void F() { P.Two(); } }\n",
    }
    assert edges(files, "calls") == [("c.cs::C.F", "calls", "x/b.cs::P.Two")]
