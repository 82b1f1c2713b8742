"""Loads a pipeline from YAML and validates it against the contracts of its actions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docgraph.action import Action
from docgraph.model.errors import BadPipeline
from docgraph.model.validation import suggest
from docgraph.pipeline.catalog import (
    ACTIONS,
    IMPLICIT_ACTIONS,
    PROVIDED_TYPES,
    FindAction,
    find_none,
)
from docgraph.pipeline.pipeline import Pipeline, Step, validate_options
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

MAX_BYTES = 8 * 1024


def read_lines(path: Path) -> dict[str, Line]:
    return parse_lines(path.name, _bytes(path))


def parse_lines(name: str, data: bytes) -> dict[str, Line]:
    """The top-level keys with their lines; errors call the text `name`."""
    if len(data) > MAX_BYTES:
        raise BadPipeline(f"{name}: a pipeline takes at most {MAX_BYTES} bytes, this is longer")
    try:
        top = yaml_lines(data).value
    except BadYaml as error:
        raise BadPipeline(f"{name}:{error.line}: {error.reason}") from error
    if not isinstance(top, dict):
        raise BadPipeline(f"{name}:1: a pipeline starts with `pipeline: name`")
    return top


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadPipeline(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BadPipeline(f"{str(path)!r}: cannot be read: {error}") from error


KEYS = ("pipeline", "extends", "steps", "change", "without")
MAX_EXTENDS_DEPTH = 8
UNNAMED = "pipeline"  # the name in errors of a pipeline without a file


@dataclass(frozen=True, slots=True)
class _StepText:
    """A step of a file: its line, its action, its options."""

    file: str
    line: int
    action: Action
    options: Mapping[str, Any]


def shipped_pipelines() -> dict[str, Path]:
    folder = Path(__file__).parent / "shipped"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load(name: str, find_installed: FindAction = find_none) -> Pipeline:
    """By the name of a shipped pipeline, or by path."""
    path = shipped_pipelines().get(name) or Path(name)
    if path.name == name and not path.exists():
        raise BadPipeline(
            f"no pipeline or file is called {name!r}; {suggest(name, shipped_pipelines())}"
        )
    title, step_texts = _read(path, (), find_installed)
    return Pipeline(title, tuple(_resolve_steps(step_texts)))


def load_text(
    text: str, named: Mapping[str, Path], find_installed: FindAction = find_none
) -> Pipeline:
    """A pipeline from a request. It may extend the named ones; no other file is opened."""

    def extended(line: Line) -> list[_StepText]:
        found = named.get(line.value) if isinstance(line.value, str) else None
        if found is None:
            names = ", ".join(sorted(named))
            raise BadPipeline(f"{UNNAMED}:{line.number}: `extends` takes one of these: {names}")
        return _read(found, (), find_installed)[1]

    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise BadPipeline(f"{UNNAMED}: character {error.start + 1} is a lone surrogate") from error
    title, step_texts = _parse(UNNAMED, parse_lines(UNNAMED, data), extended, find_installed)
    return Pipeline(title, tuple(_resolve_steps(step_texts)))


def _read(
    path: Path, seen: tuple[Path, ...], find_installed: FindAction
) -> tuple[str, list[_StepText]]:
    chain = (*seen, path.resolve())
    return _parse(
        path.name,
        read_lines(path),
        lambda line: _read(_parent(path, line, chain), chain, find_installed)[1],
        find_installed,
    )


def _parse(
    file: str,
    top: Mapping[str, Line],
    extended: Callable[[Line], list[_StepText]],
    find_installed: FindAction,
) -> tuple[str, list[_StepText]]:
    """`extended` returns the steps of the pipeline that the line of `extends` names."""
    _check_keys(file, top, KEYS)
    name = top.get("pipeline", Line(None, 1))
    if not isinstance(name.value, str) or not name.value:
        raise BadPipeline(f"{file}:{name.number}: a pipeline needs a name: `pipeline: my-name`")
    if "extends" not in top:
        for key in ("change", "without"):
            if key in top:
                raise BadPipeline(f"{file}:{top[key].number}: {key!r} needs `extends`")
        if "steps" not in top:
            raise BadPipeline(f"{file}:1: nothing to do; write `steps:` or `extends:`")
        return name.value, _steps(file, top["steps"], find_installed)
    if "steps" in top:
        raise BadPipeline(
            f"{file}:{top['steps'].number}: `extends` takes the other pipeline's steps; "
            "write `change:` or `without:` instead of `steps:`"
        )
    return name.value, _extended(file, top, extended(top["extends"]), find_installed)


def _parent(path: Path, line: Line, chain: tuple[Path, ...]) -> Path:
    name = line.value
    if not isinstance(name, str):
        raise BadPipeline(f"{path.name}:{line.number}: `extends` takes one name or path")
    beside = path.parent / name
    found = shipped_pipelines().get(name) or (beside if beside.is_file() else None)
    if found is None:
        raise BadPipeline(
            f"{path.name}:{line.number}: no pipeline is called {name!r}; "
            f"shipped: {', '.join(shipped_pipelines())}; or give a file beside this one"
        )
    if found.resolve() in chain:
        names = " > ".join(link.name for link in (*chain, found))
        raise BadPipeline(f"{path.name}:{line.number}: a pipeline extends itself: {names}")
    if len(chain) > MAX_EXTENDS_DEPTH:
        raise BadPipeline(
            f"{path.name}:{line.number}: more than {MAX_EXTENDS_DEPTH} pipelines extend each other"
        )
    return found


def _steps(file: str, line: Line, find_installed: FindAction) -> list[_StepText]:
    if not isinstance(line.value, list) or not line.value:
        raise BadPipeline(f"{file}:{line.number}: `steps` is a list of `- action: {{options}}`")
    return [
        _step(file, number, item, find_installed) for number, item in enumerate(line.value, start=1)
    ]


def _step(file: str, number: int, item: Line, find_installed: FindAction) -> _StepText:
    if isinstance(item.value, str):
        item = Line({item.value: Line({}, item.number)}, item.number)
    if not isinstance(item.value, dict) or len(item.value) != 1:
        raise BadPipeline(f"{file}:{item.number}: step {number} is not `- action: {{options}}`")
    (name, options), *_ = item.value.items()
    step = f"step {number} ({name})"
    action = _action(f"{file}:{item.number}: {step}", name, find_installed)
    return _StepText(file, item.number, action, _options(file, step, action, options))


def _action(where: str, name: str, find_installed: FindAction) -> Action:
    action = ACTIONS.get(name) or find_installed(name)
    if action is None:
        raise BadPipeline(f"{where}: no action is called {name!r}; {suggest(name, ACTIONS)}")
    return action


def _options(file: str, step: str, action: Action, line: Line) -> Mapping[str, Any]:
    given = {} if line.value is None else line.value
    if not isinstance(given, dict):
        raise BadPipeline(
            f"{file}:{line.number}: {step}: options are written as {{name: value}}, "
            f"not {line.plain()!r}"
        )
    return validate_options(file, action, step, given)


def _extended(
    file: str, top: Mapping[str, Line], step_texts: list[_StepText], find_installed: FindAction
) -> list[_StepText]:
    for item in _without_items(file, top.get("without")):
        where = f"{file}:{item.number}: without {item.value}"
        _require_step(where, item.value, step_texts, find_installed)
        step_texts = [step for step in step_texts if step.action.name != item.value]
    if not step_texts:
        raise BadPipeline(f"{file}:{top['without'].number}: `without` leaves no step to do")
    changes = top["change"].value if "change" in top else {}
    if not isinstance(changes, dict):
        raise BadPipeline(f"{file}:{top['change'].number}: `change` is {{action: {{options}}}}")
    for name, line in changes.items():
        change = f"change of {name}"
        action = _require_step(f"{file}:{line.number}: {change}", name, step_texts, find_installed)
        given = _options(file, change, action, line)
        step_texts = [
            _StepText(file, line.number, action, {**step.options, **given})
            if step.action.name == name
            else step
            for step in step_texts
        ]
    return step_texts


def _require_step(
    where: str, name: str, step_texts: Sequence[_StepText], find_installed: FindAction
) -> Action:
    """The action of that name, which must be one of the extended pipeline's steps."""
    action = _action(where, name, find_installed)
    names = [step.action.name for step in step_texts]
    if name not in names:
        raise BadPipeline(f"{where}: the extended pipeline has: {', '.join(names)}")
    return action


def _without_items(file: str, line: Line | None) -> Sequence[Line]:
    if line is None:
        return ()
    if not isinstance(line.value, list) or not all(isinstance(i.value, str) for i in line.value):
        raise BadPipeline(f"{file}:{line.number}: `without` is a list of actions")
    return line.value


def _check_keys(file: str, top: Mapping[str, Line], keys: Sequence[str]) -> None:
    for key, line in top.items():
        if key not in keys:
            raise BadPipeline(f"{file}:{line.number}: unknown key {key!r}; {suggest(key, keys)}")


def _resolve_steps(step_texts: Sequence[_StepText]) -> list[Step]:
    """Checks that every input is made before it is needed, and inserts implicit steps."""
    made: list[type] = []
    steps: list[Step] = []
    for number, step in enumerate(step_texts, start=1):
        where = f"{step.file}:{step.line}: step {number} ({step.action.name})"
        for rule in step.action.option_rules:
            if problem := rule(step.options):
                raise BadPipeline(f"{where}: {problem}")
        for _, kind in step.action.requires:
            if kind not in PROVIDED_TYPES and kind not in made:
                implicit_action = _find_implicit(kind, made, where, step.action)
                steps.append(Step.of(implicit_action, {}))
                made.append(implicit_action.makes)
        steps.append(Step.of(step.action, step.options))
        made.append(step.action.makes)
    return steps


def _find_implicit(kind: type, made: list[type], where: str, action: Action) -> Action:
    for implicit in IMPLICIT_ACTIONS:
        if implicit.makes is kind and all(
            k in PROVIDED_TYPES or k in made for _, k in implicit.requires
        ):
            return implicit
    makers = [a.name for a in ACTIONS.values() if a.makes is kind and a is not action]
    raise BadPipeline(
        f"{where}: needs {kind.__name__}, which no earlier step makes; "
        f"put one of these before it: {', '.join(makers)}"
    )
