-- The second lock. Whoever reads, reads as docgraph_reader, who owns nothing and sees the rows of
-- the classes in `docgraph.classes` alone; where that is not set, none.

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'docgraph_reader') THEN
        CREATE ROLE docgraph_reader NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, 'docgraph_reader', 'SET') THEN
        EXECUTE format('GRANT docgraph_reader TO %I', current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO docgraph_reader', current_schema());
END $$;

-- The classes that this transaction may read. In a subselect it is asked once for a statement.
CREATE FUNCTION readable() RETURNS SETOF integer LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT unnest(string_to_array(nullif(current_setting('docgraph.classes', true), ''), ',')::integer[])
$$;

-- Which snapshot of which branch is asked, and whose claims count in it.
CREATE FUNCTION asked_scope() RETURNS TABLE (branch integer, snapshot integer, miners text[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
AS $$
    SELECT s.branch, s.snapshot, s.miners
    FROM jsonb_to_recordset(nullif(current_setting('docgraph.scope', true), '')::jsonb)
         AS s (branch integer, snapshot integer, miners text[])
$$;

DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['documents', 'document_nodes', 'vector_chunks', 'claims', 'offers',
                               'segments']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY by_class ON %I FOR SELECT TO docgraph_reader '
                       'USING (class IN (SELECT readable()))', one);
        EXECUTE format('GRANT SELECT ON %I TO docgraph_reader', one);
    END LOOP;
END $$;

-- What stands in these subselects is under its own policy.
ALTER TABLE postings ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_segment ON postings FOR SELECT TO docgraph_reader
USING (segment IN (SELECT s.id FROM segments AS s));
GRANT SELECT ON postings TO docgraph_reader;

ALTER TABLE contents ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_document ON contents FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1 FROM documents AS d WHERE d.content = contents.id));
GRANT SELECT ON contents TO docgraph_reader;

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_chunk ON vectors FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1 FROM vector_chunks AS c WHERE c.vector = vectors.id));
GRANT SELECT ON vectors TO docgraph_reader;

ALTER TABLE document_relationships ENABLE ROW LEVEL SECURITY;
-- Ids are the same on every branch and in every tenant: an end in the edge's own repository has to
-- be read on the edge's own branch, any other end on a branch of the same tenant.
CREATE POLICY by_ends ON document_relationships FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1
               FROM document_nodes AS n JOIN documents AS d ON d.ordinal = n.document
                    JOIN branches AS b ON b.id = d.branch
                    JOIN branches AS own ON own.id = document_relationships.branch
               WHERE n.id = source AND b.tenant = own.tenant
                 AND (b.id = own.id OR b.repository <> own.repository))
       AND EXISTS (SELECT 1
                   FROM document_nodes AS n JOIN documents AS d ON d.ordinal = n.document
                        JOIN branches AS b ON b.id = d.branch
                        JOIN branches AS own ON own.id = document_relationships.branch
                   WHERE n.id = target AND b.tenant = own.tenant
                     AND (b.id = own.id OR b.repository <> own.repository)));
GRANT SELECT ON document_relationships TO docgraph_reader;

-- What a reader's rights are resolved with, before there are any: numbers, and rules by number.
GRANT SELECT ON changes, branches, snapshots, access_classes TO docgraph_reader;

CREATE VIEW document_lives WITH (security_barrier) AS
    SELECT b.tenant, d.ordinal, d.branch, d.born, d.died, d.class
    FROM documents AS d JOIN branches AS b ON b.id = d.branch;
CREATE VIEW segment_lives WITH (security_barrier) AS
    SELECT b.tenant, s.id FROM segments AS s JOIN branches AS b ON b.id = s.branch;
GRANT SELECT ON document_lives, segment_lives TO docgraph_reader;
