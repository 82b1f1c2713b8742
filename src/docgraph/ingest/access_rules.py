"""The access rules of one ingest: access.yaml, front matter and the options of the ingest."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from docgraph.ingest.access_mapping import parse_access_mapping
from docgraph.ingest.parsed_file import AccessMapping
from docgraph.model.access import (
    ACCESS,
    FRONT_MATTER,
    AccessRule,
    AccessStatement,
    intersect_rules,
)
from docgraph.model.access_policy import SOURCE, AccessFileRule, AccessFileRules
from docgraph.model.errors import NotAuthorized
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
class StoredStatements:
    """What the branch states already: by path, and of new paths that no file states anything of.

    `defaults` is None where nothing of the repository is published.
    """

    by_path: Mapping[str, tuple[AccessStatement, ...]] = field(default_factory=dict)
    defaults: tuple[AccessStatement, ...] | None = None

    def of(self, path: str) -> tuple[AccessStatement, ...] | None:
        return self.by_path.get(path, self.defaults)


@dataclass(frozen=True, slots=True)
class AccessRules:
    """`file_rules` are those of access.yaml, `options` the rules given to the ingest.

    `default` applies to documents that nothing else states a rule for; without it, nobody may
    read those. `restriction` applies to every document, beside the others. What is not stated
    anew stays as it is `stored`. Options add no readers to what is stored, unless they
    `may_open` it.
    """

    tenant: str
    file_rules: AccessFileRules | None = None
    options: Callable[[str], AccessRule] | None = None
    default: AccessRule | None = None
    restriction: AccessRule | None = None
    stored: StoredStatements = StoredStatements()
    may_open: bool = True

    def statements_for(
        self, path: str, access: AccessMapping | None, aliases: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """For a document that was just parsed; `access` is its front matter's, `aliases` are other
        paths of the same file."""
        own = None if access is None else front_matter_statement(self.tenant, access)
        return self._combine(path, own or self.kept_front_matter(path), aliases)

    def renew_statements(
        self, path: str, aliases: tuple[str, ...] = ()
    ) -> tuple[AccessStatement, ...]:
        """For a document that is not parsed again: its front matter is the same as before."""
        return self._combine(path, self.kept_front_matter(path), aliases)

    def narrow_statements(self, path: str) -> tuple[AccessStatement, ...]:
        """For a path that the source does not have: options say nothing of it."""
        return replace(self, options=None, restriction=None).renew_statements(path)

    def kept_front_matter(self, path: str) -> AccessStatement | None:
        before = self.stored.by_path.get(path, ())
        return next((one for one in before if one.source == FRONT_MATTER), None)

    def default_statements(
        self, written: Iterable[tuple[AccessStatement, ...]]
    ) -> tuple[AccessStatement, ...]:
        """Of later new paths, as far as no file states anything of them: what the options said of
        the `written` documents; where that differs by path, the narrowest of it. Where files state
        readers of all of them, options may go beyond the default, which then stays as it was."""
        if self.options is None:
            return self._keep(self.stored.defaults, stated=False)
        rules = {one.rule for statements in written for one in statements if one.source == OPTIONS}
        if not rules:
            return self.stored.defaults or ()
        narrowest = reduce(AccessRule.intersect, sorted(rules, key=AccessRule.describe))
        before = self.stored.defaults
        if before is not None and not self._may_replace(
            narrowest, intersect_rules(self.tenant, before)
        ):
            return before
        return (AccessStatement(OPTIONS, 0, "", narrowest),)

    def _combine(
        self, path: str, own: AccessStatement | None, aliases: tuple[str, ...]
    ) -> tuple[AccessStatement, ...]:
        statements: list[AccessStatement] = []
        if self.file_rules is not None:
            matches = (self.file_rules.statement_for(self.tenant, p) for p in (path, *aliases))
            statements += dict.fromkeys(matches)  # a line that matches several paths counts once
        if own is not None:
            statements.append(own)
        before, stated = self.stored.of(path), bool(statements)
        if self.options is None:
            return (*statements, *self._keep(before, stated=stated))
        rule = self.options(path)
        if self.restriction is not None:
            rule = rule.intersect(self.restriction)
        if before is not None:
            counted = (OPTIONS,) if stated else (OPTIONS, DEFAULT)
            kept = [one for one in before if one.source in counted]
            if kept or not stated:
                self._check_within(rule, intersect_rules(self.tenant, kept))
        return (*statements, AccessStatement(OPTIONS, 0, "", rule))

    def _keep(
        self, before: tuple[AccessStatement, ...] | None, *, stated: bool
    ) -> tuple[AccessStatement, ...]:
        """Where the options name no readers: what they, or the default, said before.

        `stated` says that a file states a rule: then the default does not count. Where nothing
        states a rule, labels and a level admit nobody.
        """
        if before is None:
            before = (
                ()
                if self.default is None
                else (AccessStatement(DEFAULT, 0, "nobody speaks of it", self.default),)
            )
        defaults = () if stated else tuple(one for one in before if one.source == DEFAULT)
        options = tuple(one for one in before if one.source == OPTIONS)
        if self.restriction is not None and (stated or defaults or options):
            rule = self.restriction
            if options:
                earlier = intersect_rules(self.tenant, options)
                rule = replace(rule, readers=earlier.readers)
                self._check_within(rule, earlier)
            options = (AccessStatement(OPTIONS, 0, "", rule),)
        return (*defaults, *options)

    def _check_within(self, rule: AccessRule, stored: AccessRule) -> None:
        if not self._may_replace(rule, stored):
            raise NotAuthorized(
                "these options admit readers whom the rules of this branch do not admit; "
                f"that needs the right {ACCESS!r}"
            )

    def _may_replace(self, rule: AccessRule, stored: AccessRule) -> bool:
        return self.may_open or rule.is_within(stored)


@dataclass(frozen=True, slots=True)
class AccessFile:
    """The rules of access.yaml, None where there is none, what is wrong with it, and what is odd
    about it."""

    rules: AccessFileRules | None
    problems: tuple[SourceProblem, ...]
    remarks: tuple[SourceProblem, ...] = ()


def read_access_file(
    source: Source,
    file: SourceFile | SourceProblem | None,
    tenant: str,
    stored: AccessFileRules | None = None,
) -> AccessFile:
    """A file that cannot be read denies everything; so does one with a misspelt name.

    One that is gone stays in force, as it was `stored`.
    """
    data = source.read(file) if isinstance(file, SourceFile) else file
    if data is None and stored is not None:
        gone = "is gone, and its last rules stay in force; one that says otherwise replaces them"
        return AccessFile(stored, (), (SourceProblem(ACCESS_FILE, gone),))
    if data is None:
        return AccessFile(None, ())
    if isinstance(data, SourceProblem):
        error = data.reason if data.path == ACCESS_FILE else f"{data.path}: {data.reason}"
        return AccessFile(AccessFileRules((), error), (data,))
    return AccessFile(*parse_access_file(data, tenant))
