-- Policies and grants of row-level security: readers act as docgraph_reader, which owns nothing.
-- `docgraph migrate` runs this after 0002_row_security.sql, wherever the catalog differs from what
-- row_security.py lists: every statement can be repeated.

-- Removes all grants and policies that others made. Policies on the audit log are left for
-- `audit verify` to find, and objects of other owners are left alone.
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT c.relname, c.relkind, c.relowner <> n.nspowner AS is_foreign, r.rolname AS owner
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
             JOIN pg_roles AS r ON r.oid = n.nspowner
        WHERE n.nspname = 'docgraph' AND c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
          AND pg_has_role(current_user, c.relowner, 'USAGE')
    LOOP
        IF one.is_foreign AND one.relkind <> 'S' THEN
            EXECUTE format('ALTER TABLE %I OWNER TO %I', one.relname, one.owner);
        END IF;
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC, docgraph_reader', one.relname);
    END LOOP;
    FOR one IN
        SELECT p.polname, c.relname
        FROM pg_policy AS p JOIN pg_class AS c ON c.oid = p.polrelid
             JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'docgraph' AND c.relname NOT IN ('audit_entries', 'audit_seals')
          AND pg_has_role(current_user, c.relowner, 'USAGE')
    LOOP
        EXECUTE format('DROP POLICY %I ON %I', one.polname, one.relname);
    END LOOP;
    FOR one IN
        SELECT p.oid::regprocedure AS name, r.rolname AS owner
        FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
             JOIN pg_roles AS r ON r.oid = n.nspowner
        WHERE n.nspname = 'docgraph' AND p.proowner <> n.nspowner
          AND pg_has_role(current_user, p.proowner, 'USAGE')
    LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO %I', one.name, one.owner);
    END LOOP;
    FOR one IN
        SELECT c.relname
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'docgraph' AND c.relkind = 'v'
          AND (c.relname ~ '^(visible|masked)_' OR c.relname = 'document_relationships')
    LOOP
        EXECUTE format('ALTER VIEW %I SET (security_invoker = true)', one.relname);
    END LOOP;
END $$;
REVOKE ALL ON SCHEMA docgraph FROM PUBLIC, docgraph_reader;
GRANT USAGE ON SCHEMA docgraph TO docgraph_reader;

DO $$
DECLARE one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['documents', 'document_nodes', 'vector_chunks', 'node_references',
                               'definitions', 'segments', 'document_embeddings', 'summary_vectors',
                               'node_vectors', 'chunk_vectors']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, '
                       'NO FORCE ROW LEVEL SECURITY', one);
        EXECUTE format('CREATE POLICY by_class ON %I FOR SELECT TO docgraph_reader '
                       'USING (access_class IN (SELECT readable_classes()))', one);
        EXECUTE format('GRANT SELECT ON %I TO docgraph_reader', one);
    END LOOP;
END $$;

-- The tables in these subselects have policies of their own.
ALTER TABLE postings ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_segment ON postings FOR SELECT TO docgraph_reader
USING (segment IN (SELECT s.id FROM segments AS s));
GRANT SELECT ON postings TO docgraph_reader;

ALTER TABLE contents ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_document ON contents FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1 FROM documents AS d WHERE d.content = contents.id));
GRANT SELECT ON contents TO docgraph_reader;

ALTER TABLE vectors ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_chunk ON vectors FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1 FROM chunk_vectors AS c WHERE c.vector_id = vectors.id));
GRANT SELECT ON vectors TO docgraph_reader;

ALTER TABLE stated_relationships ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
-- Ids are the same on every branch and in every tenant: an end in the edge's own repository has to
-- be read on the edge's own branch, any other end on a branch of the same tenant.
CREATE POLICY by_ends ON stated_relationships FOR SELECT TO docgraph_reader
USING (EXISTS (SELECT 1
               FROM document_nodes AS n JOIN documents AS d ON d.version = n.version
                    JOIN branches AS b ON b.id = d.branch
                    JOIN branches AS own ON own.id = stated_relationships.branch
               WHERE n.id = source AND b.tenant = own.tenant
                 AND (b.id = own.id OR b.repository <> own.repository))
       AND EXISTS (SELECT 1
                   FROM document_nodes AS n JOIN documents AS d ON d.version = n.version
                        JOIN branches AS b ON b.id = d.branch
                        JOIN branches AS own ON own.id = stated_relationships.branch
                   WHERE n.id = target AND b.tenant = own.tenant
                     AND (b.id = own.id OR b.repository <> own.repository)));
GRANT SELECT ON stated_relationships TO docgraph_reader;

-- What servers share. No tenant is called '', so without a bound tenant no row is shown. Only the
-- owner of the tables may read the hash of a key's secret; it looks a key up by its id.
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_tenant ON api_keys FOR SELECT TO docgraph_reader
USING (tenant = nullif(current_setting('docgraph.tenant', true), ''));
GRANT SELECT (id, tenant, principal, created, expires, note) ON api_keys TO docgraph_reader;

ALTER TABLE ingest_jobs ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_tenant ON ingest_jobs FOR SELECT TO docgraph_reader
USING (tenant = nullif(current_setting('docgraph.tenant', true), ''));
GRANT SELECT ON ingest_jobs TO docgraph_reader;

-- Names of the branches that are read, for the policies above and document_relationships. What
-- visibility is computed from, before it is known, is read by the owner of the tables: counts and
-- numbers tell of hidden rows.
ALTER TABLE branches ENABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
CREATE POLICY by_scope ON branches FOR SELECT TO docgraph_reader
USING (id IN (SELECT branch FROM requested_snapshots()));
GRANT SELECT (id, tenant, repository, name) ON branches TO docgraph_reader;

GRANT SELECT ON visible_documents, visible_texts, visible_nodes, visible_definitions,
                visible_references, visible_definition_matches,
                visible_chunks, visible_node_vectors, visible_summary_vectors,
                visible_chunk_vectors, visible_vectors, visible_relationships, masked_segments,
                masked_postings, document_relationships
TO docgraph_reader;
