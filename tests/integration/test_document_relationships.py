"""`document_relationships`: stated and mined relations in one view, for clients of SQL."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from docgraph.adapters.postgres.connection import connect
from docgraph.adapters.postgres.migrate import migrate, require_current
from docgraph.adapters.sql.database import relations_view
from docgraph.model.access import LOCAL
from docgraph.model.edge import (
    INVERSES,
    MANUAL,
    SHARES_ENTITY,
    Edge,
    EdgeEvidence,
    Relationship,
)
from docgraph.model.errors import WrongSchema
from docgraph.model.identifiers import MAX_TITLE_HOLDERS
from docgraph.model.link import MAX_EVIDENCE, MAX_NAME_HOLDERS
from docgraph.model.reference import Reference, ReferenceTarget
from tests.golden.history import READERS, run_history
from tests.golden.installation import Installation, on_postgres, on_sqlite
from tests.interference import postgres_factories, store_factories
from tests.interference.stores import MachineStore
from tests.interference.views import BranchContent, BranchName
from tests.interference.worlds import ELSEWHERE, HIDDEN, VISIBLE
from tests.support.postgres_server import PostgresServer
from tests.support.small_world import IDENTITY
from tests.support.sql_relations import (
    ListedRelation,
    compare_with_engine,
    reader_relations,
    sql_client,
    unrestricted,
)

MAIN, WORK = BranchName(LOCAL, "r", "main"), BranchName(LOCAL, "r", "work")
OTHER, FOREIGN = BranchName(LOCAL, "s", "main"), BranchName(ELSEWHERE, "q", "main")
DOCS = Path(__file__).parents[2] / "docs" / "postgres.md"
DEFINITION = """
    SELECT pg_get_viewdef(oid), reloptions, relacl, obj_description(oid, 'pg_class')
    FROM pg_class WHERE relname = 'document_relationships'
"""
PACKAGES = ("docgraph.adapters.sqlite", "docgraph.adapters.postgres")


@contextmanager
def golden(kind: str, folder: Path, server: PostgresServer) -> Iterator[Installation]:
    if kind == "sqlite":
        yield on_sqlite(folder)
    else:
        with on_postgres(server) as (exact, _):
            yield exact


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def installation(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    postgres: PostgresServer,
) -> Iterator[Installation]:
    """After the golden history: two repositories, two branches, manual and curated relations."""
    with golden(request.param, tmp_path_factory.mktemp("golden"), postgres) as made:
        run_history(made)
        yield made


@pytest.fixture(params=["sqlite", "postgres"])
def stock(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[MachineStore]:
    if request.param == "sqlite":
        made = MachineStore(store_factories.on_sqlite)
        yield made
        made.close()
    else:
        with postgres_factories.on_postgres(postgres) as factory:
            made = MachineStore(factory)
            yield made
            made.close()


def put(stock: MachineStore, branch: BranchName, texts: dict[str, str], *hidden: str) -> None:
    rules = {path: HIDDEN[0] if path in hidden else VISIBLE[0] for path in texts}
    stock.ingest(branch, BranchContent(texts), rules)


def state(stock: MachineStore, branch: BranchName, *stated: Relationship) -> None:
    with stock.engine.content.store.open_writer(*branch, IDENTITY) as writes:
        writes.edges.add_manual(stated)
        writes.publish()


def manual(*edge: str) -> Relationship:
    return Relationship(Edge(*edge), (MANUAL,), ())


def edges(rows: list[ListedRelation], relation: str) -> set[tuple[str, str]]:
    found = (row.relationship.edge for row in rows)
    return {(edge.source, edge.target) for edge in found if edge.relation == relation}


@pytest.mark.requirement(3)
def test_the_view_has_the_relations_of_the_golden_corpus(installation: Installation) -> None:
    rows = compare_with_engine(installation.engine)
    origins = {origin for row in rows for origin in row.relationship.origins}
    assert {"links", "titles", "calls", "imports", "names", MANUAL, "curated"} <= origins
    assert {row.place for row in rows} == {
        ("local", "notes", "main"),
        ("local", "parcel", "main"),
        ("local", "parcel", "work"),
    }
    assert {row.place[2] for row in rows if not row.by_default} == {"work"}


def test_a_title_of_eight_documents_is_listed_and_of_nine_is_not(stock: MachineStore) -> None:
    for count in (MAX_TITLE_HOLDERS, MAX_TITLE_HOLDERS + 1):
        texts = {f"{n}.md": "# Rocket Engine\n\nfuel\n" for n in range(count)}
        put(stock, MAIN, {**texts, "a.md": "# Pad\n\nThe Rocket Engine burns.\n"})
        found = edges(compare_with_engine(stock.engine), "mentions")
        assert len([end for source, end in found if source == "r:a.md"]) == count % 9


def test_a_name_in_eight_documents_is_listed_and_in_nine_is_not(stock: MachineStore) -> None:
    for count in (MAX_NAME_HOLDERS, MAX_NAME_HOLDERS + 1):
        put(stock, MAIN, {f"{n}.md": f"# Note {n}\n\nby Marie Curie\n" for n in range(count)})
        found = edges(compare_with_engine(stock.engine), "shares_entity")
        assert len(found) == (count * (count - 1) if count == MAX_NAME_HOLDERS else 0)


def test_at_most_fifty_positions_are_listed_after_all_have_competed(stock: MachineStore) -> None:
    """Those inside a longer title lose first."""
    lines = "\n\n".join(["The Rocket Engine burns."] * 60 + ["The Rocket is here."])
    put(
        stock,
        MAIN,
        {
            "a.md": f"# Pad\n\n{lines}\n",
            "b.md": "# Rocket\n\nx\n",
            "c.md": "# Rocket Engine\n\nx\n",
        },
    )
    rows = compare_with_engine(stock.engine)
    shown = {
        row.relationship.edge.target: len(row.relationship.evidence)
        for row in rows
        if row.relationship.edge.relation == "mentions" and row.place[2] == "main"
    }
    assert shown == {"r:b.md": 1, "r:c.md": MAX_EVIDENCE}


def test_the_nearest_of_several_modules_is_listed(stock: MachineStore) -> None:
    """By the folders between the files; a path with a quotation mark is a path."""
    module = "def launch():\n    return 1\n"
    put(
        stock,
        MAIN,
        {
            "x/one/pkg/f.py": module,
            "x/two/pkg/f.py": module,
            "x/two/a'\"b/use.py": "from pkg.f import launch\n\n\ndef go():\n    return launch()\n",
        },
    )
    found = edges(compare_with_engine(stock.engine), "calls")
    assert {target for _, target in found} == {"r:x/two/pkg/f.py::launch"}


def test_a_lifecycle_relation_to_another_repository_is_listed_on_its_branch(
    stock: MachineStore,
) -> None:
    """From a branch that no question reads by default, and from one that it does."""
    put(stock, OTHER, {"b.md": "# Old\n\nfuel\n"})
    for branch in (MAIN, WORK):
        put(stock, branch, {"a.md": "# New\n\nthrust\n"})
        forward = manual("r:a.md", "supersedes", "s:b.md")
        state(stock, branch, forward, manual("s:b.md", "superseded_by", "r:a.md"))
    rows = compare_with_engine(stock.engine)
    found = {(row.place[1:], row.relationship.edge.relation) for row in rows}
    assert found == {
        (("r", "main"), "supersedes"),
        (("r", "work"), "supersedes"),
        (("s", "main"), "superseded_by"),
    }


def test_a_stated_relation_with_characters_competes_like_a_mined_one(stock: MachineStore) -> None:
    text = "# Pad\n\nThe [engine](b.md) burns.\n"
    put(stock, MAIN, {"a.md": text, "b.md": "# B\n\nfuel\n", "c.md": "# C\n\nfuel\n"})
    assert edges(compare_with_engine(stock.engine), "references") == {("r:a.md", "r:b.md")}
    start = text.index("The [engine]")
    position = EdgeEvidence("a.md", 3, start, text.index(" burns"), 0, "the engine")
    edge = Edge("r:a.md", "references", "r:c.md")
    state(stock, MAIN, Relationship(edge, ("imported",), (position,)))
    assert edges(compare_with_engine(stock.engine), "references") == {("r:a.md", "r:c.md")}


def test_the_branch_that_is_read_by_default_is_main_then_master_then_the_first(
    stock: MachineStore,
) -> None:
    texts = {"a.md": "# A\n\n[b](b.md)\n", "b.md": "# B\n\nfuel\n"}
    for name, expected in (("dev", "dev"), ("aaa", "aaa"), ("master", "master"), ("main", "main")):
        put(stock, BranchName(LOCAL, "r", name), texts)
        rows = compare_with_engine(stock.engine)
        assert {row.place[2] for row in rows if row.by_default} == {expected}


def test_a_part_that_only_an_older_version_has_is_not_the_target(stock: MachineStore) -> None:
    link = "# A\n\n[b](b.md#part)\n"
    for text, target in (("# B\n\n## Part\n\nx\n", "r:b.md#part"), ("# B\n\nx\n", "r:b.md")):
        put(stock, MAIN, {"a.md": link, "b.md": text})
        assert edges(compare_with_engine(stock.engine), "references") == {("r:a.md", target)}


def test_a_manual_relation_stays_where_the_same_mined_one_lost(stock: MachineStore) -> None:
    titled = {f"{n}.md": "# Rocket Engine\n\nfuel\n" for n in range(MAX_TITLE_HOLDERS + 1)}
    put(stock, MAIN, {**titled, "a.md": "# Pad\n\nThe Rocket Engine burns.\n"})
    state(stock, MAIN, manual("r:a.md", "mentions", "r:1.md"))
    rows = [row.relationship for row in compare_with_engine(stock.engine)]
    found = [one for one in rows if one.edge.source == "r:a.md"]
    assert found == [manual("r:a.md", "mentions", "r:1.md")]


def test_relations_are_listed_where_their_branches_are_read_together(stock: MachineStore) -> None:
    """`m.md` is on main alone, `w.md` on another branch, `f.md` in another tenant."""
    texts = {"a.md": "# A\n\nx\n", "b.md": "# B\n\nx\n"}
    put(stock, MAIN, {**texts, "m.md": "# M\n\nx\n"})
    put(stock, WORK, {**texts, "w.md": "# W\n\nx\n"})
    put(stock, OTHER, texts)
    put(stock, FOREIGN, {**texts, "f.md": "# F\n\nx\n"})
    state(stock, MAIN, manual("r:w.md", "explains", "s:b.md"))
    state(stock, WORK, manual("s:a.md", "explains", "s:b.md"))
    state(stock, OTHER, manual("r:a.md", "explains", "r:m.md"))
    state(stock, MAIN, manual("q:f.md", "explains", "r:a.md"))
    state(stock, MAIN, manual("r:a.md", "explains", "q:f.md"))
    rows = compare_with_engine(stock.engine)
    assert {(row.place[2], row.relationship.edge.target) for row in rows} == {("main", "r:m.md")}


def test_an_inverse_is_listed_if_its_relation_is_read_with_it(stock: MachineStore) -> None:
    """Not because another branch or another tenant has the relation."""
    texts = {"a.md": "# A\n\nx\n", "b.md": "# B\n\nx\n"}
    for branch in (MAIN, WORK, BranchName(ELSEWHERE, "r", "main")):
        put(stock, branch, texts)
    inverse = manual("r:b.md", "superseded_by", "r:a.md")
    state(stock, MAIN, inverse)
    state(stock, WORK, manual("r:a.md", "supersedes", "r:b.md"), inverse)
    state(stock, BranchName(ELSEWHERE, "r", "main"), manual("r:a.md", "supersedes", "r:b.md"))
    found = {row.place[2]: row.relationship.edge for row in compare_with_engine(stock.engine)}
    assert found.keys() == {"work"}


def test_an_inverse_has_no_characters_among_the_positions_that_are_shown(
    stock: MachineStore,
) -> None:
    put(stock, MAIN, {"a.md": "# A\n\nx\n", "b.md": "# B\n\nx\n", "c.md": "# C\n\nx\n"})
    shown = EdgeEvidence("a.md", 1, 2, 3, 0, "A")
    before = tuple(EdgeEvidence("0.md", n, 0, 0, 0, "note") for n in range(MAX_EVIDENCE))
    edge, other = Edge("r:a.md", "supersedes", "r:b.md"), Edge("r:a.md", "replaces", "r:c.md")
    state(stock, MAIN, Relationship(edge, ("imported",), (*before, shown)))
    state(stock, MAIN, Relationship(other, ("imported",), (*before[1:], shown)))
    assert [row.relationship.edge for row in compare_with_engine(stock.engine)] == [other]


def test_a_stated_containment_is_not_listed(stock: MachineStore) -> None:
    put(stock, MAIN, {"a.md": "# A\n\nx\n", "b.md": "# B\n\nx\n"})
    state(stock, MAIN, manual("r:a.md", "contains", "r:b.md"))
    assert compare_with_engine(stock.engine) == []


def test_a_name_that_two_miners_find_has_the_first_of_their_positions(stock: MachineStore) -> None:
    put(stock, MAIN, {f"{n}.md": f"# Note {n}\n\nby Marie Curie\n" for n in "ab"})
    target = ReferenceTarget("entity:Marie Curie", report_unresolved=False)
    again = Reference("", SHARES_ENTITY, target, 0, 1, 1, "M. Curie", "links")
    with stock.engine.content.store.open_writer(*MAIN, IDENTITY) as writes:
        writes.references.add({"a.md": [again]})
        writes.publish()
    rows = [row.relationship for row in compare_with_engine(stock.engine)]
    (found,) = (one for one in rows if one.edge.source == "r:a.md")
    assert found.origins == ("links", "names")
    assert found.evidence == (EdgeEvidence("a.md", 1, 0, 0, 0, "M. Curie"),)


@pytest.mark.requirement(36)
def test_a_hidden_end_hides_the_row_from_a_reader_on_postgres(postgres: PostgresServer) -> None:
    """Counts included, and a longer title that is hidden takes nothing from a shorter one."""
    texts = {
        "a.md": "# Pad\n\nThe Rocket Engine by Marie Curie. [see](/h.md)\n",
        "b.md": "# Rocket\n\nMarie Curie\n",
        "h.md": "# Rocket Engine\n\nMarie Curie [back](/a.md)\n",
    }
    reader = READERS["local"]
    with postgres_factories.on_postgres(postgres) as factory:
        results = []
        for kept in (texts, {path: text for path, text in texts.items() if path != "h.md"}):
            stock = MachineStore(factory)
            put(stock, MAIN, kept, "h.md")
            for end in ("r:a.md", "r:h.md"):
                state(stock, MAIN, manual("r:b.md", "explains", end))
            results.append(reader_relations(stock.engine, reader))
            everything = compare_with_engine(stock.engine)
            assert ("r:a.md", "r:h.md") in edges(everything, "references") or "h.md" not in kept
            stock.close()
    with_hidden, without = results
    assert with_hidden == without
    assert {(one.edge.source, one.edge.relation, one.edge.target) for one in without} == {
        ("r:a.md", "mentions", "r:b.md"),
        ("r:a.md", "shares_entity", "r:b.md"),
        ("r:b.md", "explains", "r:a.md"),
        ("r:b.md", "shares_entity", "r:a.md"),
    }


@pytest.mark.requirement(39)
def test_without_rights_the_view_has_no_rows_on_postgres(postgres: PostgresServer) -> None:
    with postgres_factories.on_postgres(postgres) as factory:
        stock = MachineStore(factory)
        put(stock, MAIN, {"a.md": "# A\n\n[b](b.md)\n", "b.md": "# B\n\nfuel\n"})
        assert compare_with_engine(stock.engine)
        with sql_client(stock.engine.content.store) as owner, owner.transaction():
            owner.execute("SET LOCAL ROLE docgraph_reader")
            assert owner.execute("SELECT count(*) FROM document_relationships").fetchone() == (0,)
        stock.close()


def test_the_example_of_the_documentation_runs(installation: Installation) -> None:
    section = DOCS.read_text(encoding="utf-8").partition("## Relations in SQL")[2]
    statements = re.findall(r"```sql\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    assert len(statements) == 2
    with sql_client(installation.engine.content.store) as connection:
        counted, of_one = (connection.execute(one).fetchall() for one in statements)
    relations = installation.engine.content.relations(unrestricted("local"))
    assert dict(counted)["references"] == sum(r.edge.relation == "references" for r in relations)
    assert [tuple(row[:3]) for row in of_one] == [
        (one.edge.source, one.edge.relation, one.edge.target)
        for one in relations
        if "notes:0002-retry.md" in (one.edge.source, one.edge.target)
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_view_has_the_limits_and_inverses_of_the_code(package: str) -> None:
    text = relations_view(package)
    listed = text.partition("VALUES")[2].partition("\n)")[0]
    assert dict(re.findall(r"\('(\w+)', '(\w+)'\)", listed)) == dict(INVERSES)
    assert set(map(int, re.findall(r"number <= (\d+)", text))) == {MAX_EVIDENCE}
    assert re.findall(r"holders <= (\d+)", text) == [str(MAX_NAME_HOLDERS)]
    assert re.findall(r"'mentions' THEN (\d+)", text) == [str(MAX_TITLE_HOLDERS)]


def test_the_view_is_described_for_the_role_of_readers(database: str) -> None:
    """A column that only the owner may read would be an error, not a missing row."""
    connection: Any = connect(database)
    with connection:
        connection.execute("SET ROLE docgraph_reader")
        found = connection.execute("SELECT * FROM document_relationships")
        assert [column.name for column in found.description] == [
            *("tenant", "repository", "branch", "snapshot", "by_default"),
            *("source", "relation", "target", "origins", "evidence"),
        ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("DROP VIEW document_relationships", "is missing"),
        ("COMMENT ON VIEW document_relationships IS 'another text'", "was changed"),
        ("ALTER VIEW document_relationships RESET (security_invoker)", "was changed"),
    ],
)
def test_a_migration_makes_the_view_of_this_version(
    database: str, change: str, problem: str
) -> None:
    connection: Any = connect(database)
    with connection:
        before = connection.execute(DEFINITION).fetchone()
        connection.execute(change)
        with pytest.raises(WrongSchema, match=f"the view document_relationships {problem}"):
            require_current(connection, database)
        migrate(database)
        require_current(connection, database)
        assert connection.execute(DEFINITION).fetchone() == before
