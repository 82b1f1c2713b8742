"""The engine: a record of its four services. Every call names a principal."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docgraph.engine.administration import Administration
    from docgraph.engine.content import ContentService
    from docgraph.engine.ingest_jobs import IngestJobService
    from docgraph.engine.questions import QuestionService


@dataclass(frozen=True, slots=True)
class Engine:
    questions: "QuestionService"
    content: "ContentService"
    administration: "Administration"
    jobs: "IngestJobService"
