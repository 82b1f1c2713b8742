"""Embedded questions in memory: the same person often asks the same again, for a plan, then for a
context, then for an answer."""

import threading
from collections import OrderedDict

from docgraph.model.access import Principal
from docgraph.model.question import Question

QUESTIONS = 32  # of each user
LONGEST = 2_000  # characters of a question
NUMBERS = 500_000  # of all vectors, about 20 MB


class QuestionVectors:
    """The last questions of the users who asked last. Users share none: how fast an answer comes
    would tell one what another has asked."""

    def __init__(self, questions: int = QUESTIONS, numbers: int = NUMBERS) -> None:
        self._questions = questions
        self._most = numbers
        self._numbers = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], OrderedDict[str, Question]] = OrderedDict()

    def find(self, user: Principal, text: str) -> Question | None:
        with self._lock:
            own = self._kept.get((user.tenant, user.id))
            if own is None or text not in own:
                return None
            self._kept.move_to_end((user.tenant, user.id))
            own.move_to_end(text)
            return own[text]

    def add(self, user: Principal, question: Question) -> None:
        if len(question.text) > LONGEST:
            return
        with self._lock:
            own = self._kept.setdefault((user.tenant, user.id), OrderedDict())
            self._kept.move_to_end((user.tenant, user.id))
            self._forget(own.pop(question.text, None))
            own[question.text] = question
            self._numbers += len(question.vector)
            if len(own) > self._questions:
                self._forget(own.popitem(last=False)[1])
            while self._numbers > self._most:
                _, oldest = self._kept.popitem(last=False)
                for one in oldest.values():
                    self._forget(one)

    def _forget(self, question: Question | None) -> None:
        if question is not None:
            self._numbers -= len(question.vector)
