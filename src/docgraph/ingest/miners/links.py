"""The miner of links: a document that links to another or to its section `references` it."""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.model.identifiers import normalise_name
from docgraph.model.reference import Reference, ReferenceTarget

LINKS = "links"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_SUFFIXES = (
    *(".md", ".rst", ".txt", ".markdown", ".html", ".htm", ".xhtml", ".ipynb", ".pdf", ".docx"),
    ".py",
)
_PAGES = (".html", ".htm", ".xhtml")
_FRONT_PAGES = (
    *("README.md", "index.md", "README.rst", "index.rst", "readme.md", "index.markdown"),
    *("index.html", "index.htm", "README.txt", "README", "__init__.py"),
)
_BASE_RANK = len(_SUFFIXES) + len(_FRONT_PAGES) + 1  # from one base folder to the next


def is_external(target: str) -> bool:
    """A URL or a mail address, and no path."""
    return _URL.match(target) is not None


def split_anchor(target: str) -> tuple[str, str]:
    """The path and the anchor of a link, both decoded."""
    path, _, anchor = target.partition("#")
    return unquote(path.partition("?")[0]), unquote(anchor)


def path_keys(path: str) -> Iterator[tuple[str, int]]:
    """The file's path; without its suffix; a front page's folder. Each with its rank."""
    yield path, 0
    for rank, suffix in enumerate(_SUFFIXES, start=1):
        if path.endswith(suffix) and len(path) > len(suffix):
            yield path.removesuffix(suffix), rank
    folder, _, name = path.rpartition("/")
    if name in _FRONT_PAGES:
        yield folder, len(_SUFFIXES) + 1 + _FRONT_PAGES.index(name)


def candidate_paths(folder: str, written: str) -> Iterator[tuple[str, int]]:
    """Paths below the root that `written` may mean in a file of `folder`, each with its rank.

    A leading slash means the root, or one of the folders above, as in documentation tools. The
    address of an HTML page may mean the page's source.
    """
    for base, start in enumerate(_bases(folder) if written.startswith("/") else (folder,)):
        path = posixpath.normpath(posixpath.join(start, written.lstrip("/") or "."))
        if path == ".." or path.startswith("../"):
            continue
        yield "" if path == "." else path, base * _BASE_RANK
        if path.endswith(_PAGES):
            yield path.rpartition(".")[0], base * _BASE_RANK + _BASE_RANK // 2


def _bases(folder: str) -> Iterator[str]:
    yield ""
    parts = folder.split("/") if folder else []
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])


def mine_links(view: DocumentView) -> Iterator[Reference]:
    """Every file that a link may mean is a target, the likelier ones at a lower rank."""
    for link in view.parsed.links:
        if link.style in {"path", "document"} and not is_external(link.target):
            targets = _path_targets(view.folder, link.target)
        elif link.style == "identifier":
            targets = _name_targets(link.target)
        else:
            continue
        for target in targets:
            yield view.reference(LINKS, "references", target, link, link.target)


def _path_targets(folder: str, written: str) -> Iterator[ReferenceTarget]:
    path, anchor = split_anchor(written)
    for candidate, rank in candidate_paths(folder, path) if path else ():
        for inner, strict in anchor_suffixes(anchor):
            yield ReferenceTarget(f"path:{candidate}", inner, strict, rank)


def _name_targets(written: str) -> Iterator[ReferenceTarget]:
    name = normalise_name(written)
    return (ReferenceTarget(f"{kind}:{name}", distance_weight=1) for kind in ("doc", "code"))


def anchor_suffixes(anchor: str) -> tuple[tuple[str, bool], ...]:
    """The section of an anchor, else the document; or, strictly, the section in lower case."""
    if not anchor:
        return (("", False),)
    exact, lower = (f"#{anchor}", False), (f"#{anchor.lower()}", True)
    return (exact,) if exact[0] == lower[0] else (exact, lower)
