"""docgraph relations: list and count them, add and remove your own."""

from typing import TYPE_CHECKING, Annotated

import typer

from docgraph.interfaces.cli.options import (
    BranchOptions,
    CommonOptions,
    JsonOption,
    StoreOption,
    engine_for,
    expand_options,
)
from docgraph.interfaces.cli.output import echo, print_json, print_json_list
from docgraph.pipeline.request import snapshot_selectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from docgraph.model.edge import Relationship

relations = typer.Typer(
    help="List and count relations; add or remove your own.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Source = Annotated[str, typer.Argument(help="The id of the node it leaves.", show_default=False)]
Relation = Annotated[str, typer.Argument(help="The relation's type.", show_default=False)]
HomeOption = Annotated[
    str | None, typer.Option("--branch", "-b", help="The branch to write.", show_default=False)
]
Target = Annotated[str, typer.Argument(help="The id of the node it enters.", show_default=False)]


@relations.command("list")
@expand_options
def list_relations(
    node: Annotated[
        str | None, typer.Option("--node", help="Only relations that touch this node or document.")
    ] = None,
    relation: Annotated[str | None, typer.Option("--type", help="Only this type.")] = None,
    *,
    place: BranchOptions,
    common: CommonOptions,
) -> None:
    """List relations, each with its origin.

    The origin is a miner's name, `curated`, `imported` or `manual`; the lines that show the
    relation follow it. `contains` is listed only with --type contains.
    """
    from docgraph.interfaces.inputs import relation_filter

    def visit(print_one: "Callable[[Relationship], None]") -> None:
        common.engine().content.visit_relations(
            common.reader(), print_one, place.scope(), relation_filter(relation), node
        )

    if common.json:
        print_json_list("relations", visit)
    else:
        from docgraph.interfaces.cli.render_retrieval import show_relations

        show_relations(visit)


@relations.command("stats")
@expand_options
def relation_stats(
    *,
    place: BranchOptions,
    common: CommonOptions,
) -> None:
    """Count relations by who found them.

    Each miner with what it found, a few examples, and how many places name nothing you can see.
    """
    from docgraph.interfaces.cli.render_store import show_counts

    found = common.engine().content.relation_counts(common.reader(), place.scope())
    if common.json:
        print_json(found)
    else:
        show_counts(found)


@relations.command("add")
def add_relation(
    source: Source,
    relation: Relation,
    target: Target,
    note: Annotated[
        str, typer.Option("--note", help="Why this relation holds; kept as its evidence.")
    ] = "",
    branch: HomeOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Add a manual relation.

    Publishes a new snapshot. Both ends must exist; `supersedes` and its like are stored both ways.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.interfaces.inputs import manual_evidence
    from docgraph.model.edge import Edge

    snapshot = engine_for(store).content.add_relation(
        local(),
        Edge(source, relation, target),
        manual_evidence(source, note),
        snapshot_selectors(branch=branch),
    )
    if json:
        print_json({"snapshot": snapshot})
    else:
        echo(f"added in snapshot {snapshot.snapshot} of {snapshot.repository}")


@relations.command("rm")
def remove_relation(
    source: Source,
    relation: Relation,
    target: Target,
    branch: HomeOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Remove a manual relation.

    Publishes a new snapshot. What was mined goes when its text no longer says so.
    """
    from docgraph.interfaces.auth.principals import local
    from docgraph.model.edge import Edge

    snapshot = engine_for(store).content.remove_relation(
        local(), Edge(source, relation, target), snapshot_selectors(branch=branch)
    )
    if json:
        print_json({"snapshot": snapshot})
    else:
        echo(f"removed in snapshot {snapshot.snapshot} of {snapshot.repository}")
