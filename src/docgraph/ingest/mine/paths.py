"""Which files a written path may mean, best first. It depends on the two paths alone."""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_SUFFIXES = (".md", ".rst", ".txt", ".markdown", ".py")
_FRONT_PAGES = (
    *("README.md", "index.md", "README.rst", "index.rst", "readme.md", "index.markdown"),
    *("README.txt", "README", "__init__.py"),
)


def leads_elsewhere(target: str) -> bool:
    """A URL or a mail address, and not a path in this corpus."""
    return _ELSEWHERE.match(target) is not None


def split_anchor(target: str) -> tuple[str, str]:
    """The path and the anchor of a link, both decoded."""
    path, _, anchor = target.partition("#")
    return unquote(path.partition("?")[0]), unquote(anchor)


def candidates(folder: str, written: str) -> Iterator[str]:
    """Paths below the root that `written` may mean in a file of `folder`.

    A leading slash means the root, or one of the folders above, as documentation tools have it.
    A folder means its front page; a missing suffix is tried.
    """
    for base in _bases(folder) if written.startswith("/") else (folder,):
        path = posixpath.normpath(posixpath.join(base, written.lstrip("/") or "."))
        if path == ".." or path.startswith("../"):
            continue
        inside = "" if path == "." else f"{path}/"
        if path != ".":
            yield path
            yield from (path + suffix for suffix in _SUFFIXES)
        yield from (inside + page for page in _FRONT_PAGES)


def _bases(folder: str) -> Iterator[str]:
    yield ""
    parts = folder.split("/") if folder else []
    for length in range(1, len(parts) + 1):
        yield "/".join(parts[:length])
