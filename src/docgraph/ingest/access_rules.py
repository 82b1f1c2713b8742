"""The rulebook of one ingest: all who speak on who may read a document."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from docgraph.ingest.access_mapping import rule_of_mapping
from docgraph.ingest.parsed_file import AccessMapping, ParsedFile
from docgraph.model.access import FRONT_MATTER, AccessRule, AccessStatement
from docgraph.model.access_policy import SOURCE, AccessFileRule, AccessFileRules
from docgraph.model.path_pattern import find_pattern_problem
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

# access.yaml: who may read what, by path; and what a document's own words come to.


ACCESS_FILE = SOURCE
LARGEST = 250_000
MOST_PATTERNS = 2_000
SAYS = "access"  # front matter's word for it
_EXAMPLE = '- {path: "docs/", readers: [everyone]}'
_QUOTED = "a pattern that begins with `*` stands in quotes"


@dataclass(frozen=True, slots=True)
class _Entry:
    """`bad` is what is wrong with it, beside its paths."""

    paths: tuple[Line, ...]
    rule: AccessMapping
    bad: BadYaml | None = None


def access_lines(data: bytes, tenant: str) -> tuple[AccessFileRules, tuple[SourceProblem, ...]]:
    """A bad entry denies what its path matches; one whose path cannot be read, everything."""
    lines: list[AccessFileRule] = []
    problems: list[SourceProblem] = []
    spoilt: list[BadYaml] = []
    try:
        entries = _entries(data)
    except BadYaml as error:
        return _shut(error), (_problem(error, "anything"),)
    for line in entries:
        try:
            entry = _entry(line)
        except BadYaml as error:
            spoilt.append(error)
            problems.append(_problem(error, "anything"))
            continue
        lines += _lines(entry, tenant)
        if entry.bad:
            matched = " or ".join(repr(path.value) for path in entry.paths)
            problems.append(_problem(entry.bad, f"what matches {matched}"))
    if not entries:
        problems.append(
            SourceProblem(ACCESS_FILE, f"no entries, {_nobody('anything')}; {_EXAMPLE}")
        )
    return _shut(spoilt[0]) if spoilt else AccessFileRules(tuple(lines)), tuple(problems)


def written(tenant: str, told: AccessMapping) -> AccessStatement:
    """What a document says of itself, as a word on who may read it."""
    rule = AccessRule(tenant, told.readers, told.labels, told.level)
    if told.wrong:
        return AccessStatement(FRONT_MATTER, told.line, told.wrong, AccessRule(tenant))
    return AccessStatement(FRONT_MATTER, told.line, SAYS, rule)


def _shut(error: BadYaml) -> AccessFileRules:
    return AccessFileRules((), error.reason, error.line)


def _problem(error: BadYaml, what: str) -> SourceProblem:
    return SourceProblem(f"{ACCESS_FILE}:{error.line}", f"{error.reason}; {_nobody(what)}")


def _nobody(what: str) -> str:
    return f"so nobody may read {what}"


def _entries(data: bytes) -> list[Line]:
    if len(data) > LARGEST:
        raise BadYaml(1, f"takes at most {LARGEST:,} bytes, this has {len(data):,}")
    try:
        entries = yaml_lines(data).value
    except BadYaml as error:
        written = data.split(b"\n")[error.line - 1 : error.line]
        hint = f"; {_QUOTED}" if b"*" in b"".join(written) else ""
        raise BadYaml(error.line, error.reason + hint) from error
    if not isinstance(entries, list | None):
        raise BadYaml(1, f"not a list; an entry looks like {_EXAMPLE}")
    told = [path for entry in entries or () for path in _told(entry)]
    if len(told) > MOST_PATTERNS:
        reason = f"takes at most {MOST_PATTERNS:,} patterns, this has {len(told):,}"
        raise BadYaml(told[MOST_PATTERNS].number, reason)
    return entries or []


def _told(entry: Line) -> list[Line]:
    """What stands for a pattern in it, before anyone knows whether it is one."""
    path = entry.value.get("path", entry) if isinstance(entry.value, dict) else entry
    return path.value if isinstance(path.value, list) else [path]


def _entry(line: Line) -> _Entry:
    if not isinstance(line.value, dict) or "path" not in line.value:
        raise BadYaml(line.number, f"no path; an entry looks like {_EXAMPLE}")
    paths = _paths(line.value["path"])
    try:
        return _Entry(paths, rule_of_mapping(line, also=("path",)))
    except BadYaml as error:
        return _Entry(paths, AccessMapping(error.line), error)


def _paths(told: Line) -> tuple[Line, ...]:
    paths = told.value if isinstance(told.value, list) else [told]
    if not paths:
        raise BadYaml(told.number, "`path` names nothing")
    for path in paths:
        if not isinstance(path.value, str):
            raise BadYaml(
                path.number, "`path` takes patterns; put in quotes what YAML takes for none"
            )
        if wrong := find_pattern_problem(path.value):
            raise BadYaml(path.number, f"`path`: {wrong}")
    return tuple(paths)


def _lines(entry: _Entry, tenant: str) -> list[AccessFileRule]:
    if entry.bad:
        line, wrong = entry.bad.line, entry.bad.reason
        return [AccessFileRule(line, path.value, AccessRule(tenant), wrong) for path in entry.paths]
    told = entry.rule
    rule = AccessRule(tenant, told.readers, told.labels, told.level)
    return [AccessFileRule(path.number, path.value, rule) for path in entry.paths]


OPTIONS = "ingest options"
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class AccessRules:
    """`lines` are those of access.yaml, `options` what the ingest itself was told.

    `otherwise` counts where nobody speaks; without it, nobody reads what nobody speaks of.
    `narrowed_by` counts beside whoever speaks.
    """

    tenant: str
    lines: AccessFileRules | None = None
    options: Callable[[str], AccessRule] | None = None
    otherwise: AccessRule | None = None
    narrowed_by: AccessRule | None = None

    def of(
        self, path: str, parsed: ParsedFile, also: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """Of a document that was just read."""
        access = parsed.access
        return self.told(path, None if access is None else written(self.tenant, access), also)

    def told(
        self, path: str, written: AccessStatement | None, also: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """`written` is what the document says of itself, `also` where else the same file lies."""
        found: list[AccessStatement] = []
        if self.lines is not None:
            words = (self.lines.statement_for(self.tenant, place) for place in (path, *also))
            found += dict.fromkeys(words)  # what one line says of several places is one word
        if written is not None:
            found.append(written)
        if self.options is not None:
            found.append(AccessStatement(OPTIONS, 0, "", self.options(path)))
        if not found and self.otherwise is not None:
            found.append(AccessStatement(DEFAULT, 0, "nobody speaks of it", self.otherwise))
        if self.narrowed_by is not None:
            found.append(AccessStatement(OPTIONS, 0, "", self.narrowed_by))
        return tuple(found)

    def again(
        self, path: str, before: Iterable[AccessStatement], also: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """Of a document that is not read again: what it says of itself is what it said before."""
        written = next((word for word in before if word.source == FRONT_MATTER), None)
        return self.told(path, written, also)


@dataclass(frozen=True, slots=True)
class AccessFile:
    """What access.yaml says, None where there is none, and what is wrong with it."""

    lines: AccessFileRules | None
    problems: tuple[SourceProblem, ...]


def read_access(source: Source, file: SourceFile | SourceProblem | None, tenant: str) -> AccessFile:
    """A file that is there and cannot be read denies everything; so does a misspelt one."""
    data = source.read(file) if isinstance(file, SourceFile) else file
    if data is None:
        return AccessFile(None, ())
    if isinstance(data, SourceProblem):
        wrong = data.reason if data.path == ACCESS_FILE else f"{data.path}: {data.reason}"
        return AccessFile(AccessFileRules((), wrong), (data,))
    return AccessFile(*access_lines(data, tenant))
