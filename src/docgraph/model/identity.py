"""Node ids: `repository:path`, `repository:path#slug`, `repository:path::Qualified.name`.

Inside repository and path the characters `%`, `:` and `#` are percent-encoded, so that an id
can be taken apart without asking a store.
"""

from docgraph.model.errors import BadInput

_CODES = (("%", "%25"), (":", "%3A"), ("#", "%23"))


def encode(part: str) -> str:
    for character, code in _CODES:
        part = part.replace(character, code)
    return part


def decode(part: str) -> str:
    for character, code in reversed(_CODES):
        part = part.replace(code, character)
    return part


def document_id(repository: str, path: str) -> str:
    if not repository or not path:
        raise BadInput("a document id needs a repository and a path, neither of them empty")
    return f"{encode(repository)}:{encode(path)}"


def section_id(document: str, slug: str) -> str:
    return f"{document}#{slug}"


def symbol_id(document: str, qualified_name: str) -> str:
    return f"{document}::{qualified_name}"


def chunk_id(node: str, position: int) -> str:
    """A chunk is named by its node and its position in the document, which no other chunk has."""
    return f"{node}@{position}"


def document_of(node: str) -> str:
    """The root document of any node id."""
    if "#" not in node and "::" not in node and ":" in node:
        return node
    repository, _, rest = node.partition(":")
    cut = min((at for at in (rest.find("#"), rest.find("::")) if at >= 0), default=len(rest))
    return f"{repository}:{rest[:cut]}"


def repository_of(node: str) -> str:
    return decode(node.partition(":")[0])


def path_of(node: str) -> str:
    return decode(document_of(node).partition(":")[2])
