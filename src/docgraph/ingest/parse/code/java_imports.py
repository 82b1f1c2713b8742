"""What a Java file imports, and where the names that it does not import may lead."""

from dataclasses import dataclass

from tree_sitter import Node

from docgraph.ingest.parse.code.full_names import Type
from docgraph.ingest.parse.code.language import Imports, Span, whole
from docgraph.ingest.parse.code.meaning import Aims, Chain, Imported, one_after_another
from docgraph.ingest.parse.code.source import Source

_PLATFORM = ("java.", "javax.", "jdk.")


def package_of(source: Source) -> str:
    """With a dot at its end, or empty."""
    return next((f"{''.join(name.split())}." for name, _ in source.names("package")), "")


def imports(source: Source) -> Imports:
    taken = [_taken(source, node) for node in source.nodes("import")]
    single = [one for one in taken if not one.all_of_it]
    packages = [f"{one.name}." for one in taken if one.all_of_it and not one.static]
    static = [one.name for one in taken if one.all_of_it and one.static]

    def elsewhere(chain: Chain) -> Aims | None:
        first = chain[0]
        if first.endswith("()"):
            found = [Type(f"java:{name}") for name in static]
            return one_after_another(*(one.aims(chain) for one in found))
        if first[:1].isupper():
            scopes = (package_of(source), *packages)
            found = [Type(f"java:{scope}{first}", told=False) for scope in scopes]
            return one_after_another(*(one.aims(chain[1:]) for one in found))
        return _in_full(chain)

    return Imports(
        tuple((one.span, one.name, one.aims()) for one in (*single, *_static_types(taken))),
        tuple(name for one in single for name in one.names()),
        elsewhere,
    )


@dataclass(frozen=True, slots=True)
class _Taken:
    name: str
    span: Span
    static: bool
    all_of_it: bool

    def type(self) -> Type:
        """`import static a.B.c` names something in a type."""
        told = not self.name.startswith(_PLATFORM)
        if self.static and not self.all_of_it:
            name, _, member = self.name.rpartition(".")
            return Type(f"java:{name}", (member,), told=told)
        return Type(f"java:{self.name}", told=told)

    def aims(self) -> Aims:
        return self.type().aims(()) or ()

    def names(self) -> tuple[tuple[str, int, Imported], ...]:
        last, place = self.name.rpartition(".")[2], self.span[0]
        called = ((f"{last}()", place, self.type()),) if self.static else ()
        return ((last, place, self.type()), *called)


def _static_types(taken: list[_Taken]) -> list[_Taken]:
    """`import static a.B.*` names a type, where `import a.*` names a package without a node."""
    return [one for one in taken if one.static and one.all_of_it]


def _taken(source: Source, node: Node) -> _Taken:
    kinds = {child.type: child for child in node.children}
    name = kinds.get("scoped_identifier") or kinds.get("identifier") or node
    said = "".join(source.said_by(name).split())
    return _Taken(said, whole(name), "static" in kinds, "asterisk" in kinds)


def _in_full(chain: Chain) -> Aims | None:
    """`org.example.Type.method`: the first capital letter begins the type's name."""
    at = next((at for at, name in enumerate(chain) if name[:1].isupper()), 0)
    told = not f"{chain[0]}.".startswith(_PLATFORM)
    return (
        Type(f"java:{'.'.join(chain[: at + 1])}", told=told).aims(chain[at + 1 :]) if at else None
    )
