"""What no source takes in: hidden things, installed packages, and what a build has made."""

SKIPPED = frozenset({"__pycache__", "node_modules"})
# Output folders have ordinary names, so they count as output only beside a project file.
BUILT = frozenset({"build", "dist", "target"})
PROJECT_FILES = frozenset({"Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "setup.py"})
ENVIRONMENT_FILE = "pyvenv.cfg"


def is_hidden(name: str) -> bool:
    return name.startswith(".")


def is_left_out_folder(name: str, *, beside_project: bool, is_environment: bool = False) -> bool:
    """`beside_project`: a project file lies next to it; `is_environment`: Python's lies in it."""
    built = name in BUILT and beside_project
    made = name in SKIPPED or name.endswith(".egg-info")
    return is_hidden(name) or made or built or is_environment
