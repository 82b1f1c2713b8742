"""A retrieval: what one question gave, and how."""

from dataclasses import dataclass

from docgraph.model.answer import Answer
from docgraph.model.context import Context
from docgraph.model.plan import RetrievalPlan
from docgraph.model.scope import Scope
from docgraph.model.seeds import Seeds
from docgraph.pipeline.run import Run
from docgraph.pipeline.saved_plan import FORMAT, SavedPlan


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one question gave, the snapshots it was asked of, and the trace of how."""

    scope: Scope
    run: Run

    @property
    def seeds(self) -> Seeds:
        return self.run.get(Seeds)

    @property
    def plan(self) -> RetrievalPlan:
        return self.run.get(RetrievalPlan)

    @property
    def context(self) -> Context:
        return self.run.get(Context)

    @property
    def answer(self) -> Answer:
        return self.run.get(Answer)

    def saved(self) -> SavedPlan:
        plan = self.plan
        return SavedPlan(FORMAT, plan, plan.digest, self.scope.snapshots, self.run.pipeline.name)
