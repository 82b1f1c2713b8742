"""JavaScript: what a file exports, imports and calls."""

import pytest

from tests.unit.ingest.fakes import edges, parsed, unresolved

LIB = """\
export function run() {}
export const stop = () => {}
export default class Engine { start() {} static make() {} }
"""
COMMON = """\
const inner = () => 1
module.exports = { inner, other: inner, method() {}, arrow: () => 2 }
"""


def calls(text: str, path: str = "web/a.js") -> list[str]:
    files = {path: text, "web/lib.js": LIB, "web/common/index.js": COMMON}
    found = edges(files, "calls")
    return [target for source, _, target in found if source.startswith(path)]


def test_functions_are_found_however_they_are_written() -> None:
    text = """\
/** Starts. */
export const start = async (x) => x, stop = function () {};
export default class Store { #get() {} static make() {} on = () => {} }
const api = { read() {}, write: () => {} };
exports.later = function* () {};
Store.prototype.old = function () {};
function* each() { function inner() {} }
"""
    found = parsed("web/a.js", text)
    assert [(part.kind, part.name) for part in found.parts] == [
        ("function", "start"),
        ("function", "stop"),
        ("class", "Store"),
        ("method", "Store.#get"),
        ("method", "Store.make"),
        ("method", "Store.on"),
        ("function", "read"),
        ("function", "write"),
        ("function", "later"),
        ("function", "old"),
        ("function", "each"),
        ("function", "each.inner"),
    ]
    assert found.title == "web/a"
    assert (found.parts[0].lead, found.parts[0].signature) == ("Starts.", "start = async (x)")
    assert text[: found.parts[0].end] == "/** Starts. */\nexport const start = async (x) => x,"


def test_a_header_is_the_files_lead_unless_it_is_about_rights() -> None:
    assert parsed("a.js", "#!/usr/bin/env node\n// One.\n// Two.\n\nf()").lead == "One.\nTwo."
    assert parsed("a.js", "/* Copyright me */\n\nf()").lead == ""
    assert parsed("a.js", "// About f.\nfunction f() {}\nfunction g() {}").lead == ""


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("import { run } from './lib'\nrun()", "web/lib.js::run"),
        ("import { run as go } from './lib.js'\ngo()", "web/lib.js::run"),
        ("import * as lib from './lib'\nlib.stop()", "web/lib.js::stop"),
        ("import Engine from './lib'\nnew Engine()", "web/lib.js::Engine"),
        ("import Engine from './lib'\nEngine.make()", "web/lib.js::Engine.make"),
        (
            "import Engine from './lib'\nconst e = new Engine()\ne.start()",
            "web/lib.js::Engine.start",
        ),
        ("const common = require('./common')\ncommon.method()", "web/common/index.js::method"),
        ("const { other } = require('./common')\nother()", "web/common/index.js::inner"),
        ("const { other: x } = require('./common')\nx()", "web/common/index.js::inner"),
        ("const x = require('./common').arrow\nx()", "web/common/index.js::arrow"),
        ("import { run as Run } from './lib'\nconst x = <Run/>", "web/lib.js::run"),
    ],
)
def test_a_call_follows_the_import_of_its_name(text: str, target: str) -> None:
    assert target in calls(text)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("class A { m() { this.n() } n() {} }", ["web/a.js::A.n"]),
        ("class A { m() { x.map(() => this.n()) } n() {} }", ["web/a.js::A.n"]),
        ("class A { m() { x.map(function () { this.n() }) } n() {} }", []),
        ("class A { n() {} }\nclass B extends A { n() { super.n() } }", ["web/a.js::A.n"]),
        ("class A {}\nclass B extends A { constructor() { super() } }", ["web/a.js::A"]),
        ("class A { m() { n() } n() {} }", []),
        (
            "class S { get() {} } class A { constructor() { this.s = new S } m() { this.s.get() }}",
            ["web/a.js::S", "web/a.js::S.get"],
        ),
        ("function f() { return { g() { g() } } }", []),
        ("const o = { f() { this.g() }, g() {} }", []),
        ("function f() { { const f2 = () => 1; f2() } }", ["web/a.js::f.f2"]),
    ],
)
def test_a_call_finds_what_its_file_defines(text: str, targets: list[str]) -> None:
    assert calls(text) == targets


@pytest.mark.requirement(3)
@pytest.mark.parametrize(
    "body",
    [
        "function f(run) { run() }",
        "const f = run => run()",
        "const f = ({ run }) => run()",
        "const f = ({ a: [run] }) => run()",
        "function f(...run) { run() }",
        "function f() { if (x) { var run = 1 } run() }",
        "function f() { let run = 1; run() }",
        "for (const run of x) run()",
        "try {} catch (run) { run() }",
        "function f() { function run() {} run = 2; run() }",
    ],
)
def test_a_shadowed_name_is_never_resolved(body: str) -> None:
    text = f"import {{ run }} from './lib'\n{body}\n"
    assert calls(text) == []
    assert parsed("web/a.js", text).unresolved_calls == 1


def test_a_block_shadows_nothing_outside_it() -> None:
    text = "import { run } from './lib'\nfunction f() { { let run = 1 } run() }"
    assert calls(text) == ["web/lib.js::run"]


def test_imports_lead_to_files_and_to_what_they_export() -> None:
    text = """\
import Engine, { run as go, gone } from './lib'
export { stop } from './lib.js'
export * from './common'
import('./lib')
"""
    files = {"web/a.js": text, "web/lib.js": LIB, "web/common/index.js": COMMON}
    assert [target for source, _, target in edges(files, "imports")] == [
        "web/common/index.js",
        "web/lib.js",
        "web/lib.js::run",
        "web/lib.js::stop",
    ]


def test_what_node_brings_is_not_missed_and_other_packages_are() -> None:
    text = (
        "import fs from 'fs'\nimport 'node:path'\nimport x from 'left-pad'\nimport y from './no'\n"
    )
    found = unresolved({"a.js": text}, "imports")
    assert [what for _, _, what in found] == ["imports left-pad", "imports ./no"]


def test_a_package_below_node_modules_is_found_by_its_name() -> None:
    files = {
        "app/a.js": "const p = require('pad')\nconst { deep } = require('pad/lib/x')\np()\ndeep()",
        "node_modules/pad/index.js": "module.exports = function pad() {}",
        "node_modules/pad/lib/x.js": "exports.deep = () => {}",
    }
    assert [target for _, _, target in edges(files, "calls")] == [
        "node_modules/pad/index.js::exports",
        "node_modules/pad/lib/x.js::deep",
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [("console.log(JSON.parse(x))", 0), ("x.y()", 1), ("a`b`", 1), ("`a`.trim()", 0), ("f()()", 2)],
)
def test_calls_that_lead_nowhere_are_counted(text: str, count: int) -> None:
    assert parsed("a.js", text).unresolved_calls == count
