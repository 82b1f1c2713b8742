-- The audit log, as in the embedded store. A tenant's rows are numbered from 1; nothing is ever
-- changed, by whomever. What is made here is written down in audit_made.py, for `audit verify`.

-- `asker` asked in the principal's name; `snapshots` is JSON: [[repository, branch, number], …].
CREATE TABLE audit_entries (
    tenant    text COLLATE "C" NOT NULL,
    number    bigint NOT NULL,
    time      text NOT NULL,
    principal text NOT NULL,
    asker     text NOT NULL,
    action    text NOT NULL,
    outcome   text NOT NULL CHECK (outcome IN ('answered', 'begun', 'denied', 'failed')),
    plan      text NOT NULL,
    snapshots text NOT NULL,
    detail    text NOT NULL,
    PRIMARY KEY (tenant, number)
);

-- A seal covers the rows `first` to `last`; `before` is the digest of the seal before it.
CREATE TABLE audit_seals (
    tenant text COLLATE "C" NOT NULL,
    first  bigint NOT NULL,
    last   bigint NOT NULL,
    before text NOT NULL,
    digest text NOT NULL,
    PRIMARY KEY (tenant, last)
);

-- Their path is fixed, so that no other table can stand in for the one that is asked.
CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what the audit log holds cannot be changed or removed'
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION audit_entries_follow() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    IF NEW.number IS DISTINCT FROM
        (SELECT coalesce(max(number), 0) + 1 FROM audit_entries WHERE tenant = NEW.tenant)
    THEN
        RAISE EXCEPTION 'a row of the audit log can only be added at its end'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION audit_seals_follow() RETURNS trigger LANGUAGE plpgsql
SET search_path = docgraph, pg_temp AS $$
BEGIN
    IF NEW.last < NEW.first OR NEW.first IS DISTINCT FROM
        (SELECT coalesce(max(last), 0) + 1 FROM audit_seals WHERE tenant = NEW.tenant)
    THEN
        RAISE EXCEPTION 'a seal of the audit log can only be added at its end'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
CREATE TRIGGER entries_follow_each_other BEFORE INSERT ON audit_entries
FOR EACH ROW EXECUTE FUNCTION audit_entries_follow();
CREATE TRIGGER seals_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
FOR EACH STATEMENT EXECUTE FUNCTION audit_stays();
CREATE TRIGGER seals_follow_each_other BEFORE INSERT ON audit_seals
FOR EACH ROW EXECUTE FUNCTION audit_seals_follow();

-- Also in a session that applies what another server wrote, where triggers rest otherwise.
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER entries_stay;
ALTER TABLE audit_entries ENABLE ALWAYS TRIGGER entries_follow_each_other;
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER seals_stay;
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER seals_follow_each_other;
