"""Of a request's headers, servers read a few by name; none but Authorization says who asks."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

INTERFACES = Path(__file__).parent.parent.parent / "src" / "docgraph" / "interfaces"
CREDENTIAL = "authorization"
READ = {
    CREDENTIAL,
    *("host", "origin"),  # loopback alone, against a browser's foreign pages
    *("content-type", "content-length", "transfer-encoding", "accept"),
    *("traceparent", "tracestate"),
}
WHO_READS_CREDENTIALS = {"http/server/request_context.py", "mcp/http_transport.py"}


def read_headers(tree: ast.Module) -> Iterator[str]:
    """Names of headers that are read; what is no literal is shown as it is written."""
    for part in ast.walk(tree):
        match part:
            case ast.Call(
                func=ast.Attribute(value=value, attr="get" | "getlist"), args=[name, *_]
            ) if is_headers(value):
                yield literal(name)
            case ast.Call(func=ast.Name(id="header_values"), args=[_, name]):
                yield literal(name)
            case ast.Subscript(value=value, slice=name, ctx=ast.Load()) if is_headers(value):
                yield literal(name)


def is_headers(part: ast.expr) -> bool:
    """`headers`, `request.headers`, `Headers(scope=scope)`."""
    return ast.unparse(part).partition("(")[0].rpartition(".")[2].lower() == "headers"


def literal(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value).lower() if isinstance(part.value, str) else ""
    return ast.unparse(part)


def headers_by_file() -> dict[str, set[str]]:
    found = {
        path.relative_to(INTERFACES).as_posix(): set(
            read_headers(ast.parse(path.read_text(encoding="utf-8")))
        )
        for path in sorted(INTERFACES.rglob("*.py"))
    }
    return {file: names - {""} for file, names in found.items() if names}


def test_no_other_header_is_read() -> None:
    found = set().union(*headers_by_file().values())
    assert found - READ <= {"name"}  # of traceparent and tracestate, in one loop


def test_credentials_are_read_where_the_authenticator_is_called() -> None:
    readers = {file for file, names in headers_by_file().items() if CREDENTIAL in names}
    assert readers == WHO_READS_CREDENTIALS


@pytest.mark.parametrize(
    "line",
    [
        "request.headers.get('X-Groups', '')",
        "request.headers.getlist('x-groups')",
        "self.request.headers['x-groups']",
        "Headers(scope=scope).get('x-groups')",
        "header_values(scope, 'x-groups')",
    ],
)
def test_every_way_to_read_a_header_is_found(line: str) -> None:
    assert set(read_headers(ast.parse(line))) == {"x-groups"}
