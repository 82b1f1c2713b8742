"""Loading a pipeline: YAML to checked steps. A file that breaks a contract is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import Any

from docgraph.contract import Action
from docgraph.model.errors import BadPipeline
from docgraph.pipeline.catalog import ACTIONS, GIVEN, IMPLICIT
from docgraph.pipeline.options import checked_options
from docgraph.pipeline.pipeline import Pipeline, Step
from docgraph.pipeline.yaml_lines import Line, read_lines

KEYS = ("pipeline", "extends", "steps", "change", "without")
DEEPEST_EXTENDS = 8


@dataclass(frozen=True, slots=True)
class _Written:
    """A step as some file wrote it: its line there, its action, its options."""

    file: str
    line: int
    action: Action
    options: Mapping[str, Any]


def shipped() -> dict[str, Path]:
    folder = Path(str(resources.files("docgraph.pipeline") / "shipped"))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load(name: str) -> Pipeline:
    """By the name of a shipped pipeline, or by path."""
    path = shipped().get(name) or Path(name)
    title, written = _read(path, seen=())
    return Pipeline(title, tuple(_checked_line(written)))


def _read(path: Path, seen: tuple[Path, ...]) -> tuple[str, list[_Written]]:
    if path in seen or len(seen) > DEEPEST_EXTENDS:
        raise BadPipeline(f"{path.name}: extends itself: {' > '.join(p.name for p in seen)}")
    top = read_lines(path)
    _only_known(path.name, top, KEYS)
    if "pipeline" not in top or not isinstance(top["pipeline"].value, str):
        raise BadPipeline(f"{path.name}:1: a pipeline needs a name: `pipeline: my-name`")
    title = top["pipeline"].value
    if "extends" not in top:
        for key in ("change", "without"):
            if key in top:
                raise BadPipeline(f"{path.name}:{top[key].number}: {key!r} needs `extends`")
        if "steps" not in top:
            raise BadPipeline(f"{path.name}:1: nothing to do; write `steps:` or `extends:`")
        return title, _steps(path.name, top["steps"])
    if "steps" in top:
        raise BadPipeline(
            f"{path.name}:{top['steps'].number}: `extends` takes the other pipeline's steps; "
            "write `change:` or `without:` instead of `steps:`"
        )
    parent = _parent(path, top["extends"])
    return title, _extended(path.name, top, _read(parent, (*seen, path))[1])


def _parent(path: Path, line: Line) -> Path:
    name = line.value
    if not isinstance(name, str):
        raise BadPipeline(f"{path.name}:{line.number}: `extends` takes one name or path")
    beside = path.parent / name
    found = shipped().get(name) or (beside if beside.is_file() else None)
    if found is None:
        raise BadPipeline(
            f"{path.name}:{line.number}: no pipeline is called {name!r}; "
            f"shipped: {', '.join(shipped())}; or give a file beside this one"
        )
    return found


def _steps(file: str, line: Line) -> list[_Written]:
    if not isinstance(line.value, list) or not line.value:
        raise BadPipeline(f"{file}:{line.number}: `steps` is a list of `- action: {{options}}`")
    return [_step(file, number, item) for number, item in enumerate(line.value, start=1)]


def _step(file: str, number: int, item: Line) -> _Written:
    if isinstance(item.value, str):
        item = Line({item.value: Line({}, item.number)}, item.number)
    if not isinstance(item.value, dict) or len(item.value) != 1:
        raise BadPipeline(f"{file}:{item.number}: step {number} is not `- action: {{options}}`")
    (name, options), *_ = item.value.items()
    where = f"{file}:{item.number}: step {number} ({name})"
    return _Written(file, item.number, _action(where, name), _options(where, file, name, options))


def _action(where: str, name: str) -> Action:
    if name not in ACTIONS:
        close = get_close_matches(name, ACTIONS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(ACTIONS)}"
        raise BadPipeline(f"{where}: no action is called {name!r}; {hint}")
    return ACTIONS[name]


def _options(where: str, file: str, name: str, line: Line) -> Mapping[str, Any]:
    given = {} if line.value is None else line.value
    if not isinstance(given, dict):
        raise BadPipeline(f"{where}: options are written as {{name: value}}, not {given!r}")
    return checked_options(file, ACTIONS[name], where, given)


def _extended(file: str, top: Mapping[str, Line], written: list[_Written]) -> list[_Written]:
    names = [step.action.name for step in written]
    for item in _listed(file, top.get("without")):
        if item.value not in names:
            raise BadPipeline(f"{file}:{item.number}: no step {item.value!r} to leave out: {names}")
        written = [step for step in written if step.action.name != item.value]
    changes = top["change"].value if "change" in top else {}
    if not isinstance(changes, dict):
        raise BadPipeline(f"{file}:{top['change'].number}: `change` is {{action: {{options}}}}")
    for name, line in changes.items():
        where = f"{file}:{line.number}: change of {name}"
        if name not in names:
            _action(where, name)
            raise BadPipeline(f"{where}: the extended pipeline has no such step: {names}")
        given = _options(where, file, name, line)
        written = [
            _Written(file, line.number, step.action, {**step.options, **given})
            if step.action.name == name
            else step
            for step in written
        ]
    return written


def _listed(file: str, line: Line | None) -> Sequence[Line]:
    if line is None:
        return ()
    if not isinstance(line.value, list) or not all(isinstance(i.value, str) for i in line.value):
        raise BadPipeline(f"{file}:{line.number}: `without` is a list of actions")
    return line.value


def _only_known(file: str, top: Mapping[str, Line], keys: Sequence[str]) -> None:
    for key, line in top.items():
        if key not in keys:
            close = get_close_matches(key, keys, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(keys)}"
            raise BadPipeline(f"{file}:{line.number}: unknown key {key!r}; {hint}")


def _checked_line(written: Sequence[_Written]) -> list[Step]:
    """Walks the steps as a run would, with types alone, putting in implicit ones."""
    made: list[type] = []
    steps: list[Step] = []
    for number, step in enumerate(written, start=1):
        where = f"{step.file}:{step.line}: step {number} ({step.action.name})"
        for rule in step.action.option_rules:
            if problem := rule(step.options):
                raise BadPipeline(f"{where}: {problem}")
        for _, kind in step.action.requires:
            if kind not in GIVEN and kind not in made:
                bridge = _bridge(kind, made, where, step.action)
                steps.append(Step.of(bridge, {}))
                made.append(bridge.makes)
        steps.append(Step.of(step.action, step.options))
        made.append(step.action.makes)
    return steps


def _bridge(kind: type, made: list[type], where: str, action: Action) -> Action:
    for implicit in IMPLICIT:
        if implicit.makes is kind and all(k in GIVEN or k in made for _, k in implicit.requires):
            return implicit
    makers = [a.name for a in ACTIONS.values() if a.makes is kind and a is not action]
    raise BadPipeline(
        f"{where}: needs {kind.__name__}, which no earlier step makes; "
        f"put one of these before it: {', '.join(makers)}"
    )
