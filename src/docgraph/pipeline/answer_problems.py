"""Is what a receipt tells of its answer what the answer's own step would tell?"""

import re
from collections.abc import Iterator
from typing import get_args

from docgraph.answer.answer_question import PromptName
from docgraph.answer.prompt import prompt_named
from docgraph.pipeline.receipt import Receipt

_NUMBER = r"[0-9]+(\.[0-9]+)?(e-?[0-9]+)?"


def answer_problems(receipt: Receipt) -> Iterator[str]:
    """Which model it was and what it said are claims: nothing here could prove them."""
    told = receipt.answer
    if told is None:
        return
    if not told.model:
        if (told.prompt, told.prompt_digest, told.sampling) != ("", "", ""):
            yield "no model answered, and yet one was asked with a prompt"
        return
    steps = receipt.steps[len(receipt.before_answer) :]
    options = dict(steps[0].options) if steps else {}
    if told.prompt != options.get("prompt"):
        yield "the answer's prompt is not the one that its step names"
    if told.prompt not in get_args(PromptName):  # a receipt is data, and names no file to read
        yield f"no prompt is called {told.prompt!r}"
    elif told.prompt_digest != prompt_named(told.prompt).digest:
        yield f"the prompt's digest is not that of {told.prompt}"
    seed = f"seed {re.escape(str(options.get('seed')))}"
    if not re.fullmatch(rf"(temperature {_NUMBER}(, {seed})?|{seed})?", told.sampling):
        yield "the answer was not sampled with a temperature and its step's seed"
