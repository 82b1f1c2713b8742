"""What the queue holds."""

from dataclasses import dataclass


@dataclass
class Upload:
    """A file on its way."""

    name: str
    size: int = 0


@dataclass
class Attempt(Upload):
    """One try."""

    number: int = 1
