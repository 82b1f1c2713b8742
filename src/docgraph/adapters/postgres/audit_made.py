"""The audit log's tables and all that guards them, as the migration made them: what the query
`schema` of audit.sql finds in a log that nobody has meddled with."""

import re

from docgraph.adapters.named_queries import script
from docgraph.adapters.postgres.database import PACKAGE

_FUNCTION = re.compile(r"^CREATE FUNCTION (\w+)\(\).*?\$\$(.*?)\$\$;", re.MULTILINE | re.DOTALL)
_TEXT, _NUMBER, _TENANT = "text not null", "bigint not null", "text C not null"
_COLUMNS = {
    "audit_entries": {
        "tenant": _TENANT,
        "number": _NUMBER,
        "time": _TEXT,
        "principal": _TEXT,
        "asker": _TEXT,
        "action": _TEXT,
        "outcome": _TEXT,
        "plan": _TEXT,
        "snapshots": _TEXT,
        "detail": _TEXT,
    },
    "audit_seals": {
        "tenant": _TENANT,
        "first": _NUMBER,
        "last": _NUMBER,
        "before": _TEXT,
        "digest": _TEXT,
    },
}
_OUTCOMES = "'answered'::text, 'begun'::text, 'denied'::text, 'failed'::text"
_CONSTRAINTS = {
    "audit_entries_outcome_check": f"CHECK (outcome = ANY (ARRAY[{_OUTCOMES}]))",
    "audit_entries_pkey": "PRIMARY KEY (tenant, number)",
    "audit_seals_pkey": "PRIMARY KEY (tenant, last)",
}
_INDEXES = {
    "audit_entries_pkey": "docgraph.audit_entries USING btree (tenant, number)",
    "audit_seals_pkey": "docgraph.audit_seals USING btree (tenant, last)",
}
_STAYS = "BEFORE DELETE OR UPDATE OR TRUNCATE ON {} FOR EACH STATEMENT EXECUTE FUNCTION {}()"
_FOLLOWS = "BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION {}()"
_TRIGGERS = {
    "entries_stay": _STAYS.format("audit_entries", "audit_stays"),
    "entries_follow_each_other": _FOLLOWS.format("audit_entries", "audit_entries_follow"),
    "seals_stay": _STAYS.format("audit_seals", "audit_stays"),
    "seals_follow_each_other": _FOLLOWS.format("audit_seals", "audit_seals_follow"),
}
_FUNCTIONS = dict(_FUNCTION.findall(script(PACKAGE, "migrations/0004_audit.sql")))
_PATH = '{"search_path=docgraph, pg_temp"}'

MADE: dict[tuple[str, str], str] = {
    **{("table", table): "r p" for table in _COLUMNS},
    **{
        ("column", f"{table}.{name}"): made
        for table, columns in _COLUMNS.items()
        for name, made in columns.items()
    },
    **{("constraint", name): made for name, made in _CONSTRAINTS.items()},
    **{("index", name): f"CREATE UNIQUE INDEX {name} ON {on}" for name, on in _INDEXES.items()},
    **{("trigger", name): f"A CREATE TRIGGER {name} {made}" for name, made in _TRIGGERS.items()},
    **{("function", name): f"plpgsql f v {_PATH} {made}" for name, made in _FUNCTIONS.items()},
}
