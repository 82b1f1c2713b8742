"""The Python interface: what a program and a person at a prompt get of an opened store."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import docgraph
from docgraph.interfaces.auth.principals import local
from docgraph.model.errors import BadInput, BadPipeline, NotAuthorized, NotVisible
from docgraph.pipeline.load import load
from docgraph.pipeline.request import QuestionRequest
from docgraph.wiring.build import build_administration, build_engine
from docgraph.wiring.settings import Settings
from tests.support.fakes import RecitingModel
from tests.support.notes_store import (
    ADA,
    BOARD,
    MINUTES,
    NOTES,
    QUESTION,
    ingest_notes,
    use_hashed_words,
    write_files,
)
from tests.support.postgres_server import PostgresServer


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    with use_hashed_words():
        yield


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingest_notes(tmp_path_factory.mktemp("python"))


@pytest.fixture
def opened(store: Path) -> docgraph.Docgraph:
    return docgraph.open(store)


def test_a_program_gets_what_the_engine_gives(store: Path, opened: docgraph.Docgraph) -> None:
    engine = build_engine(Settings(store=str(store)))
    there = engine.questions.retrieve(QuestionRequest(local(), load("documents"), QUESTION))
    here = opened.retrieve(QUESTION)
    assert (here.context, here.plan, here.scope) == (there.context, there.plan, there.scope)


def test_each_question_goes_as_far_as_its_name_says(opened: docgraph.Docgraph) -> None:
    assert opened.search(QUESTION).seeds.ids
    with pytest.raises(BadPipeline, match="RetrievalPlan"):
        opened.search(QUESTION).receipt()
    planned = opened.plan(QUESTION)
    assert planned.plan.order
    with pytest.raises(BadPipeline, match="Context"):
        assert planned.text
    assert opened.retrieve(QUESTION).evidence
    assert opened.ask(QUESTION).answer.kind == "no_model"


def test_a_plan_is_executed_as_a_value_and_as_json(opened: docgraph.Docgraph) -> None:
    saved = opened.plan(QUESTION).to_saved_plan()
    whole = opened.retrieve(QUESTION).context
    assert opened.execute(saved).context == opened.execute(saved.to_json()).context == whole


def test_a_plan_of_somebodys_own_pipeline_needs_its_file(
    opened: docgraph.Docgraph, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("pipeline: mine\nextends: documents\n", encoding="utf-8")
    saved = opened.plan(QUESTION, pipeline=mine).to_saved_plan()
    with pytest.raises(BadInput, match="give its file as pipeline="):
        opened.execute(saved)
    assert opened.execute(saved, pipeline=mine).evidence
    assert opened.execute(saved, pipeline=load(str(mine))).evidence


def test_an_answer_is_received_piece_by_piece(
    opened: docgraph.Docgraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docgraph.wiring.build.open_chat_models", lambda _: (RecitingModel(),))
    pieces: list[str] = []
    found = opened.ask(QUESTION, on_text=pieces.append)
    assert "".join(pieces) == found.answer.text == found.text
    assert str(found) == found.answer.text


@pytest.mark.requirement(34)
def test_everyone_gets_their_own(opened: docgraph.Docgraph) -> None:
    mine, known, verified = (opened.retrieve(QUESTION, as_=who) for who in (None, "ada", ADA))
    assert known.context == verified.context
    assert "board" not in mine.text + known.text
    assert "board" in opened.retrieve(QUESTION, as_=BOARD).text


def test_nobody_is_asked_for_who_is_not_known(opened: docgraph.Docgraph) -> None:
    with pytest.raises(NotVisible, match="nobody is called 'adda'; did you mean 'ada'"):
        opened.retrieve(QUESTION, as_="adda")
    with pytest.raises(BadInput, match="name them"):
        opened.retrieve(QUESTION, as_=" ")


@pytest.mark.requirement(40)
def test_the_audit_names_who_asked_for_whom(store: Path, opened: docgraph.Docgraph) -> None:
    opened.status(as_=BOARD)
    last = build_administration(Settings(store=str(store))).audit_entries(local(), last=3)
    assert ("bob", "local") in {
        (entry.event.principal, entry.event.authenticated_by) for entry in last
    }


def test_a_verified_person_has_the_rights_they_were_given(opened: docgraph.Docgraph) -> None:
    with pytest.raises(NotAuthorized, match="'relations', which ada does not have"):
        opened.add_relation("notes:uploads.md", "references", "notes:0002-retry.md", as_=ADA)


def test_nodes_open_in_the_order_they_are_named(opened: docgraph.Docgraph) -> None:
    ids = [item.id for item in opened.retrieve(QUESTION).evidence]
    assert [node.id for node in opened.nodes(ids[::-1])] == ids[::-1]
    assert opened.node("notes:uploads.md").text == NOTES["uploads.md"].rstrip()
    assert opened.node("notes:uploads.md", whole=False).text is None
    for missing in ("notes:none.md", "minutes:uploads.md"):
        with pytest.raises(NotVisible, match="no visible node has the id"):
            opened.node(missing)


def test_why_tells_of_a_node_that_is_there(opened: docgraph.Docgraph) -> None:
    assert opened.why("notes:uploads.md", QUESTION).stage == "included"


def test_a_receipt_is_its_readers(opened: docgraph.Docgraph) -> None:
    receipt = opened.retrieve(QUESTION, as_="ada").receipt()
    assert opened.replay(receipt, as_="ada").same
    assert opened.replay(receipt.to_json(), as_=ADA).same
    assert receipt.principal != opened.retrieve(QUESTION).receipt().principal


def test_seeds_that_were_given_stand_in_the_receipt(opened: docgraph.Docgraph) -> None:
    found = opened.retrieve(seeds=["notes:uploads.md"])
    assert found.receipt().seeds == ("notes:uploads.md",)
    assert opened.replay(found.receipt()).same


def test_what_a_prompt_shows_is_short_and_holds_no_vector(opened: docgraph.Docgraph) -> None:
    for found in (opened.search(QUESTION), opened.plan(QUESTION), opened.ask(QUESTION)):
        shown = repr(found)
        assert shown.startswith(f"<Result {QUESTION!r}, seeds ")
        assert shown.endswith(", notes main 1>")
        assert len(shown) < 200
        assert str(found)
    plan = found.plan
    assert ", ".join(map(str, plan.query_vector[:3])) not in repr(plan)


def test_an_executed_plan_shows_its_question(opened: docgraph.Docgraph) -> None:
    saved = opened.plan(QUESTION).to_saved_plan()
    assert repr(opened.execute(saved)).startswith(f"<Result {QUESTION!r}, planned ")


def test_a_store_is_shown_without_its_password() -> None:
    opened = docgraph.open("postgresql://me:hush@127.0.0.1:1/db")
    assert repr(opened) == "Docgraph('postgresql://me@127.0.0.1:1/db')"
    with pytest.raises(BadInput, match="may hold a password"):
        opened.saved_store()


def test_relations_set_manually_come_and_go(tmp_path: Path) -> None:
    opened = docgraph.open(tmp_path / "own.db")
    opened.ingest(write_files(tmp_path / "notes", NOTES))
    ends = ("notes:0005-back-off.md", "explains", "notes:uploads.md")
    assert opened.add_relation(*ends, note="so it was decided").snapshot == 2
    (found,) = opened.relations("notes:uploads.md", relation="explains")
    assert (found.origins, found.evidence[0].text) == (("manual",), "so it was decided")
    assert opened.remove_relation(*ends).snapshot == 3
    assert opened.relations("notes:uploads.md", relation="explains") == ()
    assert [info.name.snapshot for info in opened.snapshots(repository="notes")] == [1, 2, 3]
    with pytest.raises(NotVisible, match="nothing visible on branch 'none'; known: main"):
        opened.snapshots(branch="none")
    assert opened.status(repository="notes").scope.snapshots[0].snapshot == 3


def test_an_ingest_of_another_tenant_is_not_for_the_keyboard(tmp_path: Path) -> None:
    opened = docgraph.open(tmp_path / "own.db")
    ann = docgraph.Person("ann", "acme", frozenset({"staff"}), rights=frozenset({"ingest"}))
    opened.ingest(write_files(tmp_path / "minutes", MINUTES), as_=ann, readers=["staff"])
    assert opened.status().scope.snapshots == ()
    assert opened.retrieve(QUESTION, as_=ann).evidence


def test_a_store_that_nobody_made_is_not_made_by_asking(tmp_path: Path) -> None:
    opened = docgraph.open(tmp_path / "none.db")
    with pytest.raises(docgraph.DocgraphError, match="there is no store at"):
        opened.ask(QUESTION)
    with pytest.raises(BadInput, match="there is no such file or folder"):
        opened.ingest(tmp_path / "misspelt")
    assert list(tmp_path.iterdir()) == []


def test_settings_count_as_they_were_when_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docgraph.yaml").write_text("store: mine.db\n", encoding="utf-8")
    opened = docgraph.open()
    monkeypatch.chdir("/")
    assert opened.store == str(tmp_path / "mine.db")
    monkeypatch.setenv("DOCGRAPH_STORE", "theirs.db")
    monkeypatch.chdir(tmp_path)
    assert docgraph.open().store == str(tmp_path / "theirs.db")
    assert docgraph.open("first.db").store == str(tmp_path / "first.db")


def test_nonsense_is_refused_with_a_message(opened: docgraph.Docgraph) -> None:
    with pytest.raises(BadInput, match="a store is the path of a SQLite file"):
        docgraph.open("mysql://somewhere")
    with pytest.raises(BadInput, match="max_tokens is 1 or more"):
        opened.retrieve(QUESTION, max_tokens=0)
    with pytest.raises(BadPipeline, match="did you mean 'documents'"):
        opened.retrieve(QUESTION, pipeline="document")
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        assert getattr(docgraph, "opne")  # noqa: B009


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="shows open files")
def test_closing_lets_files_go_until_the_next_question(store: Path) -> None:
    def held() -> int:
        gc.collect()
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        return sum(str(link.readlink()).startswith(str(store)) for link in links)

    before = held()
    with docgraph.open(store) as opened:
        opened.status()
        assert held() > before
    assert held() == before
    assert opened.status().scope.snapshots
    opened.close()
    assert held() == before


@pytest.mark.requirement(73)
@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_a_branch_is_filled_from_one_source_until_another_is_set(
    backend: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store = str(tmp_path / "s.db")
    if backend == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres")
        store = server.fresh_database()
    opened = docgraph.open(store)
    for name in ("here", "there"):
        write_files(tmp_path / name, {"a.md": f"# A\n\n{name}\n"})
    ivy = docgraph.Person("ivy", "local", rights=frozenset({"ingest"}))
    opened.ingest(tmp_path / "here", repository="r", readers=["staff"])
    for who in (None, ivy):
        with pytest.raises(BadInput, match="set-source"):
            opened.ingest(tmp_path / "there", repository="r", as_=who)
    with pytest.raises(NotAuthorized):
        opened.set_source(tmp_path / "there", repository="r", as_=ivy)
    with pytest.raises(NotVisible):
        opened.set_source(tmp_path / "there", repository="absent")
    opened.set_source(tmp_path / "there", repository="r")
    done = opened.ingest(tmp_path / "there", repository="r", as_=ivy)
    assert (done.changed, done.access.describe()) == (1, "")
    with pytest.raises(NotAuthorized, match="'access'"):
        opened.ingest(tmp_path / "there", repository="r", readers=["everyone"], as_=ivy)
    done = opened.ingest(tmp_path / "there", repository="r", readers=["everyone"])
    assert done.access.describe() == "1 document wider (everyone)"
    opened.close()
