-- Functions and views that row-level security is made of. Readers act as docgraph_reader, which
-- owns nothing and sees rows of the classes in `docgraph.access_classes` alone; where that is not
-- set, none. Policies and grants are in row_security.sql, which `docgraph migrate` runs last. It
-- runs this file again where anything of it was changed, so every statement here can be repeated.

-- Access classes that this transaction may read. In a subselect it is called once per statement.
CREATE OR REPLACE FUNCTION readable_classes()
RETURNS SETOF integer LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT pg_catalog.unnest(string_to_array(
        nullif(current_setting('docgraph.access_classes', true), ''), ',')::integer[])
$$;

-- The snapshot that is read of each branch, the miners whose references count in it, the newest
-- snapshot that is published, and the last row of document_embeddings that the snapshot has.
CREATE OR REPLACE FUNCTION requested_snapshots()
RETURNS TABLE (branch integer, snapshot integer, miners text[], newest integer,
               last_embedding bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 2
AS $$
    SELECT s.branch, s.snapshot, s.miners, s.newest, s.last_embedding
    FROM jsonb_to_recordset(nullif(current_setting('docgraph.scope', true), '')::jsonb)
         AS s (branch integer, snapshot integer, miners text[], newest integer,
               last_embedding bigint)
$$;

-- The snapshots whose relations the view document_relationships lists, and whether a question reads
-- the branch where it names none: for a reader the requested ones, for the owner of the tables the
-- newest of every branch that has documents.
CREATE OR REPLACE FUNCTION listed_snapshots()
RETURNS TABLE (branch integer, snapshot integer, miners text[], by_default boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 2
SET search_path = docgraph, pg_temp
AS $$
BEGIN
    IF row_security_active('documents') THEN
        RETURN QUERY SELECT r.branch, r.snapshot, r.miners, true FROM requested_snapshots() AS r;
    ELSE
        RETURN QUERY
        SELECT b.id, s.number, ARRAY(SELECT json_array_elements_text(s.miners::json)),
               row_number() OVER (PARTITION BY b.tenant, b.repository
                                  ORDER BY b.name <> 'main', b.name <> 'master', b.name) = 1
        FROM branches AS b
             JOIN snapshots AS s ON s.branch = b.id AND s.number = b.newest_snapshot
        WHERE EXISTS (SELECT 1 FROM documents AS d
                      WHERE d.branch = b.id AND d.valid_from <= s.number
                        AND s.number < d.valid_to);
    END IF;
END
$$;
