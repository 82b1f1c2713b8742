"""The access rules of one ingest: access.yaml, front matter and the options of the ingest."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from docgraph.ingest.access_mapping import parse_access_mapping
from docgraph.ingest.parsed_file import AccessMapping, ParsedFile
from docgraph.model.access import FRONT_MATTER, AccessRule, AccessStatement
from docgraph.model.access_policy import SOURCE, AccessFileRule, AccessFileRules
from docgraph.model.path_pattern import find_pattern_problem
from docgraph.ports.source import Source, SourceFile, SourceProblem
from docgraph.yaml_lines import BadYaml, Line, yaml_lines

ACCESS_FILE = SOURCE
MAX_FILE_BYTES = 250_000
MAX_PATTERNS = 2_000
OPTIONS = "ingest options"
DEFAULT = "default"
_FRONT_MATTER_KEY = "access"
_EXAMPLE = '- {path: "docs/", readers: [everyone]}'
_QUOTES_HINT = "a pattern that begins with `*` stands in quotes"


@dataclass(frozen=True, slots=True)
class _AccessEntry:
    """`error` is what is wrong with it, apart from its paths."""

    paths: tuple[Line, ...]
    rule: AccessMapping
    error: BadYaml | None = None


def parse_access_file(
    data: bytes, tenant: str
) -> tuple[AccessFileRules, tuple[SourceProblem, ...]]:
    """A bad entry denies what its path matches; one whose path cannot be read, everything."""
    rules: list[AccessFileRule] = []
    problems: list[SourceProblem] = []
    errors: list[BadYaml] = []
    try:
        entries = _parse_entries(data)
    except BadYaml as error:
        return _deny_all(error), (_problem(error, "anything"),)
    for line in entries:
        try:
            entry = _parse_entry(line)
        except BadYaml as error:
            errors.append(error)
            problems.append(_problem(error, "anything"))
            continue
        rules += _make_rules(entry, tenant)
        if entry.error:
            matched = " or ".join(repr(path.value) for path in entry.paths)
            problems.append(_problem(entry.error, f"what matches {matched}"))
    if not entries:
        problems.append(
            SourceProblem(ACCESS_FILE, f"no entries, {_describe_denial('anything')}; {_EXAMPLE}")
        )
    return _deny_all(errors[0]) if errors else AccessFileRules(tuple(rules)), tuple(problems)


def front_matter_statement(tenant: str, access: AccessMapping) -> AccessStatement:
    if access.error:
        return AccessStatement(FRONT_MATTER, access.line, access.error, AccessRule(tenant))
    rule = AccessRule(tenant, access.readers, access.labels, access.level)
    return AccessStatement(FRONT_MATTER, access.line, _FRONT_MATTER_KEY, rule)


def _deny_all(error: BadYaml) -> AccessFileRules:
    return AccessFileRules((), error.reason, error.line)


def _problem(error: BadYaml, what: str) -> SourceProblem:
    return SourceProblem(f"{ACCESS_FILE}:{error.line}", f"{error.reason}; {_describe_denial(what)}")


def _describe_denial(what: str) -> str:
    return f"so nobody may read {what}"


def _parse_entries(data: bytes) -> list[Line]:
    if len(data) > MAX_FILE_BYTES:
        raise BadYaml(1, f"takes at most {MAX_FILE_BYTES:,} bytes, this has {len(data):,}")
    try:
        entries = yaml_lines(data).value
    except BadYaml as error:
        text = b"".join(data.split(b"\n")[error.line - 1 : error.line])
        hint = f"; {_QUOTES_HINT}" if b"*" in text else ""
        raise BadYaml(error.line, error.reason + hint) from error
    if not isinstance(entries, list | None):
        raise BadYaml(1, f"not a list; an entry looks like {_EXAMPLE}")
    patterns = [path for entry in entries or () for path in _list_patterns(entry)]
    if len(patterns) > MAX_PATTERNS:
        reason = f"takes at most {MAX_PATTERNS:,} patterns, this has {len(patterns):,}"
        raise BadYaml(patterns[MAX_PATTERNS].number, reason)
    return entries or []


def _list_patterns(entry: Line) -> list[Line]:
    """The values that should be patterns, not yet checked."""
    path = entry.value.get("path", entry) if isinstance(entry.value, dict) else entry
    return path.value if isinstance(path.value, list) else [path]


def _parse_entry(line: Line) -> _AccessEntry:
    if not isinstance(line.value, dict) or "path" not in line.value:
        raise BadYaml(line.number, f"no path; an entry looks like {_EXAMPLE}")
    paths = _parse_paths(line.value["path"])
    try:
        return _AccessEntry(paths, parse_access_mapping(line, other_keys=("path",)))
    except BadYaml as error:
        return _AccessEntry(paths, AccessMapping(error.line), error)


def _parse_paths(line: Line) -> tuple[Line, ...]:
    paths = line.value if isinstance(line.value, list) else [line]
    if not paths:
        raise BadYaml(line.number, "`path` names nothing")
    for path in paths:
        if not isinstance(path.value, str):
            raise BadYaml(
                path.number, "`path` takes patterns; put in quotes what YAML takes for none"
            )
        if wrong := find_pattern_problem(path.value):
            raise BadYaml(path.number, f"`path`: {wrong}")
    return tuple(paths)


def _make_rules(entry: _AccessEntry, tenant: str) -> list[AccessFileRule]:
    if entry.error:
        line, error = entry.error.line, entry.error.reason
        return [AccessFileRule(line, path.value, AccessRule(tenant), error) for path in entry.paths]
    mapping = entry.rule
    rule = AccessRule(tenant, mapping.readers, mapping.labels, mapping.level)
    return [AccessFileRule(path.number, path.value, rule) for path in entry.paths]


@dataclass(frozen=True, slots=True)
class AccessRules:
    """`file_rules` are those of access.yaml, `options` the rules given to the ingest.

    `default` applies to documents that nothing else states a rule for; without it, nobody may
    read those. `restriction` applies to every document, beside the others.
    """

    tenant: str
    file_rules: AccessFileRules | None = None
    options: Callable[[str], AccessRule] | None = None
    default: AccessRule | None = None
    restriction: AccessRule | None = None

    def statements_for(
        self, path: str, parsed: ParsedFile, aliases: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """For a document that was just parsed; `aliases` are other paths of the same file."""
        access = parsed.access
        own = None if access is None else front_matter_statement(self.tenant, access)
        return self._combine(path, own, aliases)

    def renew_statements(
        self, path: str, before: Iterable[AccessStatement], aliases: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """For a document that is not parsed again: its front matter is the same as before."""
        own = next((statement for statement in before if statement.source == FRONT_MATTER), None)
        return self._combine(path, own, aliases)

    def _combine(
        self, path: str, own: AccessStatement | None, aliases: tuple[str, ...]
    ) -> tuple[AccessStatement, ...]:
        statements: list[AccessStatement] = []
        if self.file_rules is not None:
            matches = (self.file_rules.statement_for(self.tenant, p) for p in (path, *aliases))
            statements += dict.fromkeys(matches)  # a line that matches several paths counts once
        if own is not None:
            statements.append(own)
        if self.options is not None:
            statements.append(AccessStatement(OPTIONS, 0, "", self.options(path)))
        if not statements and self.default is not None:
            statements.append(AccessStatement(DEFAULT, 0, "nobody speaks of it", self.default))
        if self.restriction is not None:
            statements.append(AccessStatement(OPTIONS, 0, "", self.restriction))
        return tuple(statements)


@dataclass(frozen=True, slots=True)
class AccessFile:
    """The rules of access.yaml, None where there is none, and what is wrong with it."""

    rules: AccessFileRules | None
    problems: tuple[SourceProblem, ...]


def read_access_file(
    source: Source, file: SourceFile | SourceProblem | None, tenant: str
) -> AccessFile:
    """A file that cannot be read denies everything; so does one with a misspelt name."""
    data = source.read(file) if isinstance(file, SourceFile) else file
    if data is None:
        return AccessFile(None, ())
    if isinstance(data, SourceProblem):
        error = data.reason if data.path == ACCESS_FILE else f"{data.path}: {data.reason}"
        return AccessFile(AccessFileRules((), error), (data,))
    return AccessFile(*parse_access_file(data, tenant))
