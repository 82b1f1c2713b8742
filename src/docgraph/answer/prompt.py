"""Prompts: versioned template files for a context and a question."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docgraph.model.digest import digest_bytes
from docgraph.ports.models import Message

NOT_ENOUGH = "NOT ENOUGH EVIDENCE"
_PLACEHOLDER = re.compile(r"\{(context|question)\}")
_PARTS = re.compile(r"\[system\]\n(?P<system>.*?)\n\[user\]\n(?P<user>.*?)\n?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template never changes under its name: a new wording has a new name."""

    name: str
    digest: str
    system: str
    user: str

    def format(self, context: str, question: str) -> tuple[Message, ...]:
        """In one pass, so that `{question}` in a document is left alone."""
        values = {"context": context, "question": question}
        text = _PLACEHOLDER.sub(lambda match: values[match[1]], self.user)
        return Message("system", self.system), Message("user", text)


@cache
def load_prompt(name: str) -> Prompt:
    data = (Path(__file__).parent / "prompts" / f"{name}.txt").read_bytes()
    parts = _PARTS.fullmatch(data.decode())
    assert parts is not None, f"the prompt {name} has a [system] and a [user] part"
    return Prompt(name, digest_bytes(data), parts["system"], parts["user"])
