"""Links: a document that links to another, or to a section of it, `references` it."""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from docgraph.ingest.miners.document_view import DocumentView
from docgraph.ingest.parsed_file import Link
from docgraph.model.identifiers import normalise_name
from docgraph.model.reference import Reference

# Paths as keys: what a file goes by, and what a written path may mean.


_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_SUFFIXES = (
    *(".md", ".rst", ".txt", ".markdown", ".html", ".htm", ".xhtml", ".ipynb", ".pdf", ".docx"),
    ".py",
)
_PAGES = (".html", ".htm", ".xhtml")
_FRONT_PAGES = (
    *("README.md", "index.md", "README.rst", "index.rst", "readme.md", "index.markdown"),
    *("index.html", "index.htm", "README.txt", "README", "__init__.py"),
)
_BASE = len(_SUFFIXES) + len(_FRONT_PAGES) + 1  # ranks from one base folder to the next


def is_external(target: str) -> bool:
    """A URL or a mail address, and not a path in this corpus."""
    return _ELSEWHERE.match(target) is not None


def split_anchor(target: str) -> tuple[str, str]:
    """The path and the anchor of a link, both decoded."""
    path, _, anchor = target.partition("#")
    return unquote(path.partition("?")[0]), unquote(anchor)


def path_keys(path: str) -> Iterator[tuple[str, int]]:
    """The file's path; without its suffix; a front page's folder. Each with its rank."""
    yield path, 0
    for place, suffix in enumerate(_SUFFIXES, start=1):
        if path.endswith(suffix) and len(path) > len(suffix):
            yield path.removesuffix(suffix), place
    folder, _, name = path.rpartition("/")
    if name in _FRONT_PAGES:
        yield folder, len(_SUFFIXES) + 1 + _FRONT_PAGES.index(name)


def candidate_paths(folder: str, written: str) -> Iterator[tuple[str, int]]:
    """Paths below the root that `written` may mean in a file of `folder`, each with its rank.

    A leading slash means the root, or one of the folders above, as documentation tools have it.
    A page's address may stand for the page's source.
    """
    for base, start in enumerate(_bases(folder) if written.startswith("/") else (folder,)):
        path = posixpath.normpath(posixpath.join(start, written.lstrip("/") or "."))
        if path == ".." or path.startswith("../"):
            continue
        yield "" if path == "." else path, base * _BASE
        if path.endswith(_PAGES):
            yield path.rpartition(".")[0], base * _BASE + _BASE // 2


def _bases(folder: str) -> Iterator[str]:
    yield ""
    parts = folder.split("/") if folder else []
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])


LINKS = "links"


def links(sketch: DocumentView) -> Iterator[Reference]:
    """Every file that a link may mean is claimed, the likelier ones at a lower rank."""
    for reference in sketch.parsed.references:
        if reference.style in {"path", "document"} and not is_external(reference.target):
            yield from _linked(sketch, reference)
        elif reference.style == "identifier":
            yield from _named(sketch, reference)


def _linked(sketch: DocumentView, reference: Link) -> Iterator[Reference]:
    path, anchor = split_anchor(reference.target)
    if not path:
        return
    for meant, rank in candidate_paths(sketch.folder, path):
        for inner, strict in anchors(anchor):
            yield sketch.claim(
                LINKS,
                "references",
                f"path:{meant}",
                reference,
                says=reference.target,
                inner=inner,
                strict=strict,
                rank=rank,
            )


def anchors(anchor: str) -> tuple[tuple[str, bool], ...]:
    """The section of an anchor, else the document; or a section in the case that slugs have."""
    if not anchor:
        return (("", False),)
    exact, lower = (f"#{anchor}", False), (f"#{anchor.lower()}", True)
    return (exact,) if exact[0] == lower[0] else (exact, lower)


def _named(sketch: DocumentView, reference: Link) -> Iterator[Reference]:
    name = normalise_name(reference.target)
    for kind in ("doc", "code"):
        yield sketch.claim(
            LINKS, "references", f"{kind}:{name}", reference, says=reference.target, near=1
        )
