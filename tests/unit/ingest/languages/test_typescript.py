"""TypeScript: interfaces, and calls on what has a declared type."""

import pytest

from tests.unit.ingest.fakes import edges, parsed

MODEL = """\
export interface Reads { get(id: string): void }
export abstract class Base<T> { close() {} abstract open(): void }
export class Store extends Base<string> implements Reads { get(id: string) {} }
export enum Color { Red }
"""


def targets(text: str, *miners: str, path: str = "web/a.ts") -> list[tuple[str, str]]:
    found = edges({path: text, "web/model.ts": MODEL}, *miners)
    return [(relation, target) for source, relation, target in found if source.startswith(path)]


def test_interfaces_and_their_methods_are_parts() -> None:
    found = parsed("web/model.ts", MODEL)
    assert [(part.kind, part.name) for part in found.parts] == [
        ("interface", "Reads"),
        ("method", "Reads.get"),
        ("class", "Base"),
        ("method", "Base.close"),
        ("method", "Base.open"),
        ("class", "Store"),
        ("method", "Store.get"),
        ("class", "Color"),
    ]
    assert found.parts[2].signature == "abstract class Base<T>"


def test_a_method_begins_with_its_comment_and_decorators() -> None:
    text = "class A {\n  /** Gets. */\n  @Get('x')\n  get() {}\n}\n"
    method = parsed("a.ts", text).parts[1]
    assert text[method.start : method.end] == "/** Gets. */\n  @Get('x')\n  get() {}"
    assert method.lead == "Gets."


@pytest.mark.requirement(3)
def test_a_class_inherits_from_classes_and_implements_interfaces() -> None:
    text = (
        "import { Base, Reads } from './model'\nimport * as m from './model'\n"
        "class A extends Base<string> implements Reads, m.Reads {}\n"
        "interface B extends m.Reads {}\n"
    )
    assert targets(text, "types") == [
        ("implements", "web/model.ts::Reads"),
        ("inherits", "web/model.ts::Base"),
        ("inherits", "web/model.ts::Reads"),
    ]


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    "body",
    [
        "function f(s: Store) { s.get('1') }",
        "const f = (s?: Store) => s?.get('1')",
        "class A { constructor(private readonly s: Store) {} m() { this.s.get('1') } }",
        "class A { private s: Store; m() { this.s.get('1') } }",
        "let s: Store = make()\ns.get('1')",
    ],
)
def test_a_method_is_found_where_the_type_is_declared(body: str) -> None:
    text = f"import {{ Store }} from './model'\n{body}\n"
    assert ("calls", "web/model.ts::Store.get") in targets(text, "calls")


def test_a_specifier_that_ends_in_js_may_be_typescript() -> None:
    text = "import { Store } from './model.js'\nnew Store()\n"
    assert targets(text, "calls") == [("calls", "web/model.ts::Store")]


def test_elements_are_calls_of_their_components() -> None:
    files = {
        "web/a.tsx": "import { Page } from './page'\nconst App = () => <Page><div/></Page>\n",
        "web/page.tsx": "export function Page() { return <main/> }\n",
    }
    assert edges(files, "calls") == [("web/a.tsx::App", "calls", "web/page.tsx::Page")]
    assert parsed("web/a.tsx", files["web/a.tsx"]).unresolved_calls == 0
