-- The audit log, a file of its own. A tenant's rows are numbered from 1; nothing is ever changed.

-- `authenticated_by` is the principal's credential, or the user who impersonates them; `snapshots`
-- is JSON: [[repository, branch, number], …]. `checksum` finds damage of rows that no seal covers
-- yet.
CREATE TABLE entries (
    tenant           TEXT NOT NULL,
    number           INTEGER NOT NULL,
    time             TEXT NOT NULL,
    principal        TEXT NOT NULL,
    authenticated_by TEXT NOT NULL,
    action           TEXT NOT NULL,
    outcome          TEXT NOT NULL CHECK (outcome IN ('succeeded', 'started', 'denied', 'failed')),
    plan             TEXT NOT NULL,
    snapshots        TEXT NOT NULL,
    detail           TEXT NOT NULL,
    checksum         INTEGER NOT NULL,
    PRIMARY KEY (tenant, number)
) STRICT, WITHOUT ROWID;

-- A seal covers the rows `first` to `last`; `previous_digest` is that of the seal before it.
CREATE TABLE seals (
    tenant          TEXT NOT NULL,
    first           INTEGER NOT NULL,
    last            INTEGER NOT NULL,
    previous_digest TEXT NOT NULL,
    digest          TEXT NOT NULL,
    PRIMARY KEY (tenant, last)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entries_are_permanent BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'a row of the audit log cannot be removed'); END;

CREATE TRIGGER entries_are_immutable BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'a row of the audit log cannot be changed'); END;

-- INSERT OR REPLACE would remove a row without firing entries_are_permanent.
CREATE TRIGGER entries_are_consecutive BEFORE INSERT ON entries
WHEN NEW.number <>
    (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE tenant = NEW.tenant)
BEGIN SELECT RAISE(ABORT, 'a row of the audit log can only be added at its end'); END;

CREATE TRIGGER seals_are_permanent BEFORE DELETE ON seals
BEGIN SELECT RAISE(ABORT, 'a seal of the audit log cannot be removed'); END;

CREATE TRIGGER seals_are_immutable BEFORE UPDATE ON seals
BEGIN SELECT RAISE(ABORT, 'a seal of the audit log cannot be changed'); END;

CREATE TRIGGER seals_are_consecutive BEFORE INSERT ON seals
WHEN NEW.first <> (SELECT coalesce(max(last), 0) + 1 FROM seals WHERE tenant = NEW.tenant)
    OR NEW.last < NEW.first
BEGIN SELECT RAISE(ABORT, 'a seal of the audit log can only be added at its end'); END;
