"""The catalogue of actions that YAML may name."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from docgraph.action import Action, contract_of
from docgraph.answer.answer_question import answer_question
from docgraph.assemble.assemble_context import assemble_context
from docgraph.execute.fetch_evidence import fetch_evidence
from docgraph.execute.fetch_node_texts import fetch_node_texts
from docgraph.model.context import TokenCounter
from docgraph.model.question import Question
from docgraph.plan.expand_dependency_tree import expand_dependency_tree
from docgraph.plan.expand_relationships import expand_relationships
from docgraph.plan.plan_seeds import plan_seeds
from docgraph.plan.select_scope import select_scope
from docgraph.ports.graph_reads import GraphReads
from docgraph.ports.models import ChatModelChain, Reranker
from docgraph.ports.search_reads import SearchReads
from docgraph.ports.text_reads import TextReads
from docgraph.search.search_nodes import search_nodes

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    search_nodes,
    select_scope,
    expand_relationships,
    expand_dependency_tree,
    fetch_evidence,
    fetch_node_texts,
    assemble_context,
    answer_question,
)
ACTIONS = MappingProxyType({function.__name__: contract_of(function) for function in _FUNCTIONS})
IMPLICIT_ACTIONS: tuple[Action, ...] = (contract_of(plan_seeds),)

FindAction = Callable[[str], Action | None]  # looks a name up among plug-ins


def find_none(_: str) -> Action | None:
    return None


# Inputs that every run has: the question, the reader's reads, models.
PROVIDED_TYPES: tuple[type, ...] = (
    Question,
    SearchReads,
    GraphReads,
    TextReads,
    TokenCounter,
    Reranker,
    ChatModelChain,
)
