"""What may stand behind the question mark of an address; anything else is refused."""

from pydantic import BaseModel, ConfigDict

from docgraph.doors.http.asked import Name, Number
from docgraph.model.scope import EVERYTHING, Wanted


class BranchQuery(BaseModel):
    """An address knows strings alone, so numbers are read out of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    repository: Name | None = None
    branch: Name | None = None


class OfQuery(BranchQuery):
    snapshot: Number | None = None

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        if self.repository is None and self.branch is None and self.snapshot is None:
            return EVERYTHING
        return (Wanted(self.repository, self.branch, self.snapshot),)
