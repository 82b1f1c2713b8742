"""YAML to checked steps: a file that breaks a contract is refused."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from docgraph.model.errors import BadPipeline
from docgraph.pipeline.catalog import ACTIONS
from docgraph.pipeline.load import MAX_EXTENDS_DEPTH, load, shipped_pipelines
from docgraph.pipeline.pipeline import Pipeline

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a pipeline file and gives its path."""

    def written(text: str, name: str = "mine.yaml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return written


def steps(*lines: str) -> str:
    return "pipeline: mine\nsteps:\n" + "".join(f"  - {line}\n" for line in lines)


def names(pipeline: Pipeline) -> list[str]:
    return [step.action.name for step in pipeline.steps]


def refused(path: str) -> str:
    with pytest.raises(BadPipeline) as error:
        load(path)
    return str(error.value)


@pytest.mark.requirement(43)
def test_both_source_systems_are_shipped() -> None:
    assert {"code", "documents"} <= set(shipped_pipelines())
    assert names(load("documents")) == [
        "search_nodes",
        "select_scope",
        "expand_relationships",
        "fetch_evidence",
        "assemble_context",
        "answer_question",
    ]
    assert names(load("code")) == [
        "search_nodes",
        "expand_dependency_tree",
        "fetch_node_texts",
        "assemble_context",
        "answer_question",
    ]


@pytest.mark.requirement(43)
@pytest.mark.parametrize("name", shipped_pipelines())
def test_every_shipped_pipeline_keeps_its_contracts_and_bears_its_files_name(name: str) -> None:
    assert load(name).name == name


@pytest.mark.requirement(43)
def test_shipped_pipelines_have_the_defaults_that_are_promised() -> None:
    search, _, expand, fetch, assemble, _ = load("documents").steps
    assert (search.options["mode"], search.options["top"]) == ("hybrid", 8)
    assert (expand.options["max_documents"], expand.options["max_seed_documents"]) == (6, 3)
    assert expand.options["relations"] is None
    assert fetch.options["per_document"] == 5
    assert assemble.options["max_tokens"] == 4000
    _, tree, texts, _, _ = load("code").steps
    assert (tree.options["max_depth"], tree.options["max_nodes"]) == (2, 40)
    assert tree.options["relations"][:2] == ("imports", "calls")
    assert (texts.options["max_chars"], texts.options["order"]) == (60_000, "seed_first")


@pytest.mark.requirement(41)
def test_options_left_out_have_their_defaults(write: Write) -> None:
    (step,) = load(write(steps("search_nodes"))).steps
    assert set(step.options) == {option.name for option in ACTIONS["search_nodes"].options}
    assert load(write(steps("search_nodes:"))) == load(write(steps("search_nodes: {}")))


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["search_nodes", "fetch_evidnce"],
            (
                "mine.yaml:4: step 2 (fetch_evidnce): no action is called 'fetch_evidnce'; "
                "did you mean 'fetch_evidence'?"
            ),
        ),
        (
            ["zzz"],
            "mine.yaml:3: step 1 (zzz): no action is called 'zzz'; known: search_nodes, ",
        ),
        (
            ["plan_seeds"],
            "mine.yaml:3: step 1 (plan_seeds): no action is called 'plan_seeds'; ",
        ),
        (
            ["search_nodes: {tops: 3}"],
            "mine.yaml:3: step 1 (search_nodes): no option is called 'tops'; did you mean 'top'?",
        ),
        (
            ["search_nodes: {mode: fuzzy}"],
            (
                "mine.yaml:3: step 1 (search_nodes): mode: 'fuzzy': "
                "Input should be 'semantic', 'bm25' or 'hybrid'"
            ),
        ),
        (
            ["search_nodes: {top: many}"],
            "mine.yaml:3: step 1 (search_nodes): top: 'many': Input should be a valid integer",
        ),
        (
            ["search_nodes: {top: 0}"],
            (
                "mine.yaml:3: step 1 (search_nodes): top: 0: "
                "Input should be greater than or equal to 1"
            ),
        ),
        (
            ["search_nodes: {top: 2020-01-01}"],
            "mine.yaml:3: step 1 (search_nodes): top: datetime.date(2020, 1, 1) is not a plain",
        ),
        (
            ["search_nodes: [top, 3]"],
            (
                "mine.yaml:3: step 1 (search_nodes): options are written as {name: value}, "
                "not ['top', 3]"
            ),
        ),
        (
            ["{search_nodes: {}, select_scope: {}}"],
            "mine.yaml:3: step 1 is not `- action: {options}`",
        ),
        (["7"], "mine.yaml:3: step 1 is not `- action: {options}`"),
        (
            ["search_nodes", "expand_relationships: {relations: [import]}"],
            (
                "mine.yaml:4: step 2 (expand_relationships): no relation is called 'import'; "
                "did you mean 'imports'?"
            ),
        ),
        (
            ["search_nodes", "expand_relationships: {depth: 2}"],
            "mine.yaml:4: step 2 (expand_relationships): no option is called 'depth'; ",
        ),
        (
            ["search_nodes", "expand_dependency_tree: {max_depth: 6}"],
            (
                "mine.yaml:4: step 2 (expand_dependency_tree): max_depth: 6: "
                "Input should be less than or equal to 5"
            ),
        ),
        (
            ["search_nodes", "expand_dependency_tree: {max_nodes: 501}"],
            "mine.yaml:4: step 2 (expand_dependency_tree): max_nodes: 501: ",
        ),
        (
            ["search_nodes", "expand_dependency_tree: {direction: sideways}"],
            (
                "mine.yaml:4: step 2 (expand_dependency_tree): direction: 'sideways': "
                "Input should be 'out', 'in' or 'both'"
            ),
        ),
        (
            ["search_nodes", "select_scope: {repository: ingest}"],
            (
                "mine.yaml:4: step 2 (select_scope): repository: 'ingest': "
                "Input should be a valid boolean; Input should be 'ingestion'"
            ),
        ),
        (
            ["search_nodes", "fetch_node_texts: {max_chars: 9, max_tokens: 9}"],
            "mine.yaml:4: step 2 (fetch_node_texts): max_chars and max_tokens exclude each other",
        ),
        (
            ["expand_relationships", "search_nodes"],
            (
                "mine.yaml:3: step 1 (expand_relationships): needs Seeds, which no earlier step "
                "makes; put one of these before it: search_nodes, select_scope"
            ),
        ),
        (
            ["fetch_evidence"],
            (
                "mine.yaml:3: step 1 (fetch_evidence): needs RetrievalPlan, which no earlier step "
                "makes; put one of these before it: expand_relationships, expand_dependency_tree"
            ),
        ),
        (
            ["search_nodes", "assemble_context"],
            (
                "mine.yaml:4: step 2 (assemble_context): needs RetrievedContext, which no earlier "
                "step makes; put one of these before it: fetch_evidence, fetch_node_texts"
            ),
        ),
        (
            ["select_scope"],
            (
                "mine.yaml:3: step 1 (select_scope): needs Seeds, which no earlier step makes; "
                "put one of these before it: search_nodes"
            ),
        ),
    ],
)
def test_an_invalid_step_is_refused_with_file_line_and_a_suggestion(
    write: Write, lines: list[str], message: str
) -> None:
    assert refused(write(steps(*lines))).startswith(message)


@pytest.mark.requirement(41)
def test_an_option_on_a_line_of_its_own_is_refused_with_that_line(write: Write) -> None:
    text = steps("search_nodes:\n      mode: hybrid\n      top: none")
    assert refused(write(text)).startswith("mine.yaml:5: step 1 (search_nodes): top: 'none': ")


@pytest.mark.requirement(41)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps: [search_nodes]", "mine.yaml:1: a pipeline needs a name: `pipeline: my-name`"),
        ("steps: []\npipeline: 5", "mine.yaml:2: a pipeline needs a name: `pipeline: my-name`"),
        ("pipeline: ''\nsteps: []", "mine.yaml:1: a pipeline needs a name: `pipeline: my-name`"),
        ("pipeline: p", "mine.yaml:1: nothing to do; write `steps:` or `extends:`"),
        ("pipeline: p\nsteps: []", "mine.yaml:2: `steps` is a list of `- action: {options}`"),
        ("pipeline: p\nsteps:", "mine.yaml:2: `steps` is a list of `- action: {options}`"),
        ("pipeline: p\nsteps: {a: 1}", "mine.yaml:2: `steps` is a list of"),
        ("pipeline: p\nstep: []", "mine.yaml:2: unknown key 'step'; did you mean 'steps'?"),
        ("pipeline: p\nimport: os", "mine.yaml:2: unknown key 'import'; known: pipeline, extends"),
        ("pipeline: p\nchange: {}\nsteps: []", "mine.yaml:2: 'change' needs `extends`"),
        ("pipeline: p\nsteps: []\nwithout: []", "mine.yaml:3: 'without' needs `extends`"),
        ("", "mine.yaml:1: a pipeline starts with `pipeline: name`"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(write: Write, text: str, message: str) -> None:
    assert refused(write(text)).startswith(message)


@pytest.mark.requirement(41)
def test_an_unknown_name_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    assert refused("documnts") == (
        "no pipeline or file is called 'documnts'; did you mean 'documents'?"
    )
    assert refused("zzz").startswith("no pipeline or file is called 'zzz'; known: code, documents")
    assert "cannot be read: No such file" in refused(str(tmp_path / "no.yaml"))
    assert "cannot be read: Is a directory" in refused(str(tmp_path))


@pytest.mark.requirement(26)
def test_fetching_straight_after_search_runs_on_a_plan_of_the_seeds(write: Write) -> None:
    pipeline = load(write(steps("search_nodes", "fetch_evidence", "assemble_context")))
    assert names(pipeline) == ["search_nodes", "plan_seeds", "fetch_evidence", "assemble_context"]


@pytest.mark.requirement(21)
@pytest.mark.parametrize(("written", "read"), [("[]", ()), ("null", None), ("[calls]", ("calls",))])
def test_an_allow_list_is_absent_empty_or_known(
    write: Write, written: str, read: tuple[str, ...] | None
) -> None:
    text = steps("search_nodes", f"expand_relationships: {{relations: {written}}}")
    assert load(write(text)).steps[1].options["relations"] == read


@pytest.mark.requirement(43)
def test_extends_lets_a_user_change_one_line(write: Write) -> None:
    path = write("pipeline: mine\nextends: documents\nchange:\n  search_nodes: {top: 3}\n")
    mine, theirs = load(path), load("documents")
    assert mine.name == "mine"
    assert names(mine) == names(theirs)
    assert mine.steps[0].options == {**theirs.steps[0].options, "top": 3}
    assert mine.steps[1:] == theirs.steps[1:]


@pytest.mark.requirement(43)
def test_extends_can_remove_a_step(write: Write) -> None:
    path = write("pipeline: mine\nextends: documents\nwithout: [expand_relationships]\n")
    assert names(load(path)) == [
        "search_nodes",
        "select_scope",
        "plan_seeds",
        "fetch_evidence",
        "assemble_context",
        "answer_question",
    ]


@pytest.mark.requirement(43)
def test_extends_reaches_through_files_beside_each_other(write: Write) -> None:
    write("pipeline: first\nextends: code\nchange: {search_nodes: {top: 3}}\n", "first.yaml")
    path = write("pipeline: second\nextends: first.yaml\nchange: {search_nodes: {pool: 9}}\n")
    options = load(path).steps[0].options
    assert (options["top"], options["pool"]) == (3, 9)


@pytest.mark.requirement(31)
def test_a_changed_budget_must_take_the_others_place(write: Write) -> None:
    change = "pipeline: p\nextends: code\nchange:\n  fetch_node_texts: {max_tokens: 9%s}\n"
    assert refused(write(change % "")).startswith("mine.yaml:4: step 3 (fetch_node_texts): ")
    options = load(write(change % ", max_chars: null")).steps[2].options
    assert (options["max_tokens"], options["max_chars"]) == (9, None)


@pytest.mark.requirement(41)
@pytest.mark.requirement(43)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: documnts", "mine.yaml:2: no pipeline is called 'documnts'; shipped: code, "),
        ("extends: [a, b]", "mine.yaml:2: `extends` takes one name or path"),
        ("extends: code\nsteps: []", "mine.yaml:3: `extends` takes the other pipeline's steps"),
        ("extends: code\nchange: []", "mine.yaml:3: `change` is {action: {options}}"),
        ("extends: code\nchange:", "mine.yaml:3: `change` is {action: {options}}"),
        (
            "extends: code\nchange:\n  fetch_evidence: {}",
            "mine.yaml:4: change of fetch_evidence: the extended pipeline has: search_nodes, ",
        ),
        (
            "extends: code\nchange:\n  serch_nodes: {}",
            "mine.yaml:4: change of serch_nodes: no action is called 'serch_nodes'; did you mean",
        ),
        (
            "extends: code\nchange:\n  search_nodes: {top: x}",
            "mine.yaml:4: change of search_nodes: top: 'x': Input should be a valid integer",
        ),
        (
            "extends: code\nchange:\n  search_nodes:\n    tops: 3",
            "mine.yaml:5: change of search_nodes: no option is called 'tops'; did you mean 'top'?",
        ),
        ("extends: code\nwithout: search_nodes", "mine.yaml:3: `without` is a list of actions"),
        ("extends: code\nwithout: [1]", "mine.yaml:3: `without` is a list of actions"),
        (
            "extends: code\nwithout: [fetch_evidence]",
            "mine.yaml:3: without fetch_evidence: the extended pipeline has: search_nodes, ",
        ),
        (
            "extends: code\nwithout: [search_nodes]",
            "code.yaml:12: step 1 (expand_dependency_tree): needs Seeds",
        ),
        (
            "extends: code\nchange: {fetch_node_texts: {}}\nwithout: [fetch_node_texts]",
            "mine.yaml:3: change of fetch_node_texts: the extended pipeline has: ",
        ),
    ],
)
def test_a_broken_extension_is_refused_with_its_line(write: Write, text: str, message: str) -> None:
    assert refused(write(f"pipeline: mine\n{text}\n")).startswith(message)


@pytest.mark.requirement(43)
def test_leaving_every_step_out_is_refused(write: Write) -> None:
    every = ", ".join(names(load("code")))
    path = write(f"pipeline: p\nextends: code\nwithout: [{every}]\n")
    assert refused(path) == "mine.yaml:3: `without` leaves no step to do"


@pytest.mark.requirement(43)
@pytest.mark.parametrize("way", ["mine.yaml", "./mine.yaml", "../{folder}/mine.yaml"])
def test_a_pipeline_that_extends_itself_is_refused(write: Write, tmp_path: Path, way: str) -> None:
    path = write(f"pipeline: p\nextends: {way.format(folder=tmp_path.name)}\n")
    message = refused(path)
    assert message == "mine.yaml:2: a pipeline extends itself: mine.yaml > mine.yaml"


@pytest.mark.requirement(43)
def test_two_pipelines_that_extend_each_other_are_refused(write: Write) -> None:
    write("pipeline: other\nextends: mine.yaml\n", "other.yaml")
    message = refused(write("pipeline: mine\nextends: other.yaml\n"))
    assert message == (
        "other.yaml:2: a pipeline extends itself: mine.yaml > other.yaml > mine.yaml"
    )


@pytest.mark.requirement(43)
def test_a_long_chain_is_followed_and_an_endless_one_is_not(write: Write) -> None:
    path = write("pipeline: p0\nextends: code\n", "p0.yaml")
    for link in range(1, MAX_EXTENDS_DEPTH):
        path = write(f"pipeline: p{link}\nextends: p{link - 1}.yaml\n", f"p{link}.yaml")
    assert names(load(path)) == names(load("code"))
    one_more = write(f"pipeline: p\nextends: p{MAX_EXTENDS_DEPTH - 1}.yaml\n")
    assert re.fullmatch(r"p0.yaml:2: more than \d pipelines extend each other", refused(one_more))


@pytest.mark.requirement(38)
@pytest.mark.requirement(42)
def test_yaml_names_no_store_no_principal_and_no_import() -> None:
    """Windows are required by type and given by the run; no option can name one."""
    powers = {"Principal", "Store", "Reads", "Path", "Callable", "object", "Any"}
    for action in ACTIONS.values():
        for option in action.options:
            assert not powers & set(re.findall(r"[A-Za-z]+", str(option.annotation))), option
