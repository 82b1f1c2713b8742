"""Whether the source of a branch has moved on since its last ingest."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SourceState:
    """`files` counts those that are new, changed or gone since the ingest, where the source has
    `moved`. Unknown is what lies on another machine, is gone, or was too large to look at."""

    repository: str
    branch: str
    state: Literal["current", "moved", "unknown"]
    files: int = 0

    def describe(self) -> str:
        match self.state:
            case "current":
                return "its source has not changed since"
            case "unknown":
                return "whether its source has changed since is unknown"
            case "moved":
                files = "1 file" if self.files == 1 else f"{self.files:,} files"
                return f"its source has changed since: {files}"
