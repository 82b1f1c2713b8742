"""An unknown name is an error that says what would fit, also of commands that administer a store.

Who may change access rules sees every document of the tenant; who prunes sees their own view alone.
"""

from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from docgraph.interfaces.auth.principals import local
from docgraph.interfaces.cli.app import app
from docgraph.model.access import LOCAL_ONLY, AccessRule
from docgraph.model.errors import DocgraphError, NotVisible
from docgraph.model.validation import suggest
from tests.support.http_app import open_app, settings_of
from tests.support.memory_source import MemorySource
from tests.support.notes_store import use_hashed_words

TEXTS = {"queue.md": "# Queue\n", "old/README.md": "# Old\n", "secret.md": "# Secret\n"}
BOARD = AccessRule("local", frozenset({"board"}))
UNKNOWN = {
    "the documents of a repository": (
        ("access", "show", "--repository", "nots"),
        "there is no repository 'nots'; did you mean 'notes'?",
    ),
    "the documents of a repository like no other": (
        ("access", "show", "--repository", "zz"),
        "there is no repository 'zz'; known: minutes, notes",
    ),
    "a document": (
        ("access", "explain", "quue.md"),
        "there is no document 'quue.md'; did you mean 'queue.md'?",
    ),
    "a document in another folder": (
        ("access", "explain", "README.md"),
        "there is no document 'README.md'; did you mean 'old/README.md'?",
    ),
    "a document like no other": (
        ("access", "explain", "zz.md"),
        "there is no document 'zz.md'; `docgraph access show` lists them",
    ),
    "a document by id": (
        ("access", "explain", "notes:quue.md"),
        "there is no document 'quue.md' in repository 'notes'; did you mean 'queue.md'?",
    ),
    "a document of an unknown repository": (
        ("access", "explain", "nots:queue.md"),
        "there is no repository 'nots'; did you mean 'notes'?",
    ),
    "a document that the administrator may not read": (
        ("access", "explain", "secrt.md"),
        "there is no document 'secrt.md'; did you mean 'secret.md'?",
    ),
    "a document to open": (
        ("access", "set", "quue.md", "-r", "notes", "--reader", "staff"),
        "there is no document 'quue.md' in repository 'notes'; did you mean 'queue.md'?",
    ),
    "a document to close": (
        ("access", "revoke", "queue.md", "-r", "nots"),
        "there is no repository 'nots'; did you mean 'notes'?",
    ),
    "a document to reset": (
        ("access", "reset", "queue.md", "quue.md", "-r", "notes"),
        "there is no document 'quue.md' in repository 'notes'; did you mean 'queue.md'?",
    ),
    "a default branch": (
        ("access", "default-branch", "man", "-r", "notes"),
        "there is no branch 'man' in repository 'notes'; did you mean 'main'?",
    ),
    "a default branch of an unknown repository": (
        ("access", "default-branch", "main", "-r", "nots"),
        "there is no repository 'nots'; did you mean 'notes'?",
    ),
    "a branch to prune": (
        ("prune", "-r", "notes", "-b", "man"),
        "nothing visible in repository 'notes' on branch 'man'; did you mean 'main'?",
    ),
    "a repository to prune": (
        ("prune", "-r", "nots"),
        "nothing visible in repository 'nots' on branch 'main'; did you mean 'notes'?",
    ),
    "a repository to prune, near one that is not visible": (
        ("prune", "-r", "minute"),
        "nothing visible in repository 'minute' on branch 'main'; known: notes",
    ),
    "somebody in the audit log": (
        ("audit", "list", "--who", "locl"),
        "the audit log has no row of 'locl'; did you mean 'local'?",
    ),
    "a principal to remove": (
        ("principals", "rm", "an"),
        "nobody is called 'an'; did you mean 'ann'?",
    ),
    "a key to remove": (("keys", "rm", "k9"), "there is no API key 'k9'; known: none"),
    "an edge to add": (
        ("relations", "add", "notes:quue.md", "explains", "notes:old/README.md"),
        "no visible node has the id 'notes:quue.md'; did you mean 'notes:queue.md'?",
    ),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with use_hashed_words():
        settings = settings_of(tmp_path_factory.mktemp("store"), keys=False)
        with open_app(settings) as http:
            for repository, hidden in (("notes", {"secret.md"}), ("minutes", set(TEXTS))):
                rules = {path: BOARD if path in hidden else LOCAL_ONLY for path in TEXTS}
                http.state.engine.content.ingest(
                    local(),
                    MemorySource(TEXTS),
                    repository=repository,
                    branch="main",
                    rule_for=rules.__getitem__,
                )
        run(settings.store, "principals", "add", "ann", "--group", "staff")
        yield settings.store


def run(store: str, *words: str) -> str:
    found = CliRunner().invoke(app, [*words, "--store", store])
    if found.exception:
        raise found.exception
    return found.output


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_an_error_with_a_suggestion(store: str, name: str) -> None:
    words, message = UNKNOWN[name]
    with pytest.raises(DocgraphError) as caught:
        run(store, *words)
    assert (type(caught.value), str(caught.value)) == (NotVisible, message)


def test_a_repository_that_nobody_can_read_is_listed_and_explained(store: str) -> None:
    assert "secret.md" in run(store, "access", "show", "--repository", "minutes")
    assert "board" in run(store, "access", "explain", "minutes:secret.md")


def test_what_is_not_visible_can_be_pruned_by_its_name(store: str) -> None:
    assert run(store, "prune", "-r", "minutes").startswith("removed: snapshots 0")


def test_a_long_list_of_names_is_cut() -> None:
    names = [f"name{number}" for number in range(60)]
    shown = suggest("zz", names)
    assert shown == f"known: {', '.join(names[:50])} and 10 more"
