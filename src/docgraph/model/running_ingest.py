"""An ingest that runs: which process it is, and since when."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Process:
    """What a process says of itself to others that wait for it."""

    command: str = "docgraph"
    host: str = ""


@dataclass(frozen=True, slots=True)
class RunningIngest:
    command: str
    pid: int
    host: str
    since: str

    @classmethod
    def of(cls, process: Process, since: str) -> "RunningIngest":
        """This process."""
        return cls(process.command, os.getpid(), process.host, since)

    def describe(self) -> str:
        host = f" on {self.host}" if self.host else ""
        return f"{self.command}, process {self.pid}{host}, since {self.since}"


def waiting_notice(holder: RunningIngest | None, seconds: float) -> str:
    who = "" if holder is None else f" ({holder.describe()})"
    return f"waiting for another ingest to end{who}, for {seconds:g} s at most"
