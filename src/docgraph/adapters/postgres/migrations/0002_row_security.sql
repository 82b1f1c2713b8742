-- What the second lock is made of. Whoever reads, reads as docgraph_reader, who owns nothing and sees
-- the rows of the classes in `docgraph.classes` alone; where that is not set, none. The lock itself,
-- with every grant, is row_security.sql, which `docgraph migrate` runs last. It runs this here again
-- where anything of it was changed: so nothing in here minds to be done twice.

-- The classes that this transaction may read. In a subselect it is asked once for a statement.
CREATE OR REPLACE FUNCTION readable() RETURNS SETOF integer LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT pg_catalog.unnest(
        string_to_array(nullif(current_setting('docgraph.classes', true), ''), ',')::integer[])
$$;

-- Which snapshot of which branch is asked, and whose claims count in it.
CREATE OR REPLACE FUNCTION asked_scope()
RETURNS TABLE (branch integer, snapshot integer, miners text[]) LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
AS $$
    SELECT s.branch, s.snapshot, s.miners
    FROM jsonb_to_recordset(nullif(current_setting('docgraph.scope', true), '')::jsonb)
         AS s (branch integer, snapshot integer, miners text[])
$$;

-- Numbers alone, with the owner's eyes: what lives when, before any rights are known.
CREATE OR REPLACE VIEW document_lives WITH (security_barrier) AS
    SELECT b.tenant, d.ordinal, d.branch, d.born, d.died, d.class
    FROM documents AS d JOIN branches AS b ON b.id = d.branch;
CREATE OR REPLACE VIEW segment_lives WITH (security_barrier) AS
    SELECT b.tenant, s.id FROM segments AS s JOIN branches AS b ON b.id = s.branch;
