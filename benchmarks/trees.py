"""Source trees for ingests: files of installed packages."""

import hashlib
import shutil
import sysconfig
from pathlib import Path

SUFFIXES = frozenset({".md", ".py", ".rst", ".txt"})


def installed_packages() -> Path:
    return Path(sysconfig.get_paths()["purelib"])


def sample(root: Path, into: Path, count: int) -> Path:
    """`count` files chosen by the hash of their path: a larger sample holds the smaller one."""
    found = (p for p in root.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    named = sorted(
        found, key=lambda p: hashlib.sha256(p.relative_to(root).as_posix().encode()).digest()
    )
    for path in named[:count]:
        copy = into / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return into
