-- Queries of adapters/sql/queries with another text on Postgres, each with the reason. They are
-- sent as they are written here.

-- name: state.document_lifetimes
-- why: a document's class is stored with it, for row-level security.
SELECT d.version, d.branch, d.valid_from, d.valid_to, d.access_class
FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE %(tenant)s::text IS NULL OR b.tenant = %(tenant)s;

-- name: state.document_lifetimes_since
-- why: a document's class is stored with it, for row-level security.
SELECT version, branch, valid_from, valid_to, access_class FROM documents
WHERE branch = %(branch)s
  AND (valid_from > %(after)s OR (valid_to > %(after)s AND valid_to <= %(newest)s));

-- name: state.last_version
-- why: a sequence has it.
SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('documents', 'version')::regclass), 0);

-- name: reads.definers
-- why: a key may be longer than an index entry, so the index is on its hash; names
-- are ordered bytewise, as SQLite orders them.
SELECT DISTINCT substr(key, strpos(key, ':') + 1) COLLATE "C" AS name, node FROM visible_definitions
WHERE branch = ANY (%(branches)s::integer[])
  AND key_hash = ANY (ARRAY(SELECT hashtextextended(k COLLATE "C", 0)
                            FROM unnest(%(keys)s::text[]) AS k))
  AND key = ANY (%(keys)s::text[])
ORDER BY name, node;

-- name: reads.definitions_of_keys
-- why: a key may be longer than an index entry, so the index is on its hash. A row whose key has the
-- hash of another is not looked up by the caller; to compare hundreds of keys takes longer.
SELECT key, node, path, rank FROM visible_definitions
WHERE branch = %(branch)s
  AND key_hash = ANY (ARRAY(SELECT hashtextextended(k COLLATE "C", 0)
                            FROM unnest(%(keys)s::text[]) AS k));

-- name: reads.shared_names
-- why: a key may be longer than an index entry, so the index is on its hash; the functions
-- for JSON have other names.
SELECT ref.document_id, ref.miner,
       (SELECT coalesce(json_agg(json_build_array(h.document_id, h.path, h.line, h.text)),
                        '[]')::text
        FROM (SELECT s.document_id, s.path, s.line, s.text FROM visible_references AS s
              WHERE s.branch = ref.branch AND s.key_hash = ref.key_hash AND s.key = ref.key
                AND s.relation = ref.relation
              LIMIT %(most)s) AS h)
FROM visible_references AS ref
WHERE ref.version = ANY (%(versions)s::bigint[]) AND ref.relation = 'shares_entity';

-- name: reads.count_references
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT miner, relation, sum(resolved)::bigint, sum(report_unresolved * (1 - resolved))::bigint
FROM (SELECT min(ref.miner) AS miner, ref.relation, max(ref.report_unresolved) AS report_unresolved,
             max(EXISTS (SELECT 1 FROM visible_definitions AS def
                         WHERE def.branch = ref.branch AND def.key_hash = ref.key_hash
                           AND def.key = ref.key
                           AND (ref.strict = 0 OR EXISTS
                                (SELECT 1 FROM visible_nodes AS n
                                 WHERE n.id = def.node || ref.inner_suffix
                                   AND n.version = def.version)))::integer) AS resolved
      FROM visible_references AS ref
      WHERE ref.relation <> 'shares_entity'
      GROUP BY ref.version, ref.relation, ref.start_offset, ref.end_offset) AS positions
GROUP BY miner, relation HAVING max(resolved) > 0 OR max(report_unresolved) > 0
ORDER BY miner, relation;

-- name: reads.parents_in_documents
-- why: an array is looked up in the index; IN would be one more table to join.
SELECT id, parent FROM visible_nodes
WHERE version = ANY (ARRAY(SELECT version FROM visible_nodes
                            WHERE id = ANY (%(documents)s::text[])));

-- name: reads.postings_of_terms
-- why: a term may be longer than an index entry, so the index is on its hash.
SELECT term, segment, chunks, frequencies FROM masked_postings
WHERE segment = ANY (%(segments)s::bigint[])
  AND term_hash = ANY (ARRAY(SELECT hashtextextended(t COLLATE "C", 0)
                             FROM unnest(%(terms)s::text[]) AS t))
  AND term = ANY (%(terms)s::text[])
ORDER BY segment;

-- name: writes.current_titles
-- why: keys are indexed by hash, not in their order; max takes no boolean.
SELECT substr(def.key, 7), max((d.valid_from < %(next)s)::integer)
FROM definitions AS def JOIN documents AS d ON d.version = def.version
WHERE def.branch = %(branch)s AND starts_with(def.key, 'title:')
  AND (d.valid_to = %(forever)s OR d.valid_to = %(next)s)
GROUP BY def.key HAVING max((d.valid_to = %(forever)s)::integer) = 1;

-- name: writes.add_content
-- why: the rows travel as arrays, in one statement.
INSERT INTO contents (tenant, hash, text)
SELECT * FROM unnest(%(tenant)b::text[], %(hash)b::text[], %(text)b::text[])
ON CONFLICT DO NOTHING;

-- name: writes.current_documents
-- why: a document's class is stored with it, for row-level security.
SELECT path, version, access_class FROM documents
WHERE branch = %(branch)s AND path = ANY (%(paths)s::text[]) AND valid_to = %(forever)s;

-- name: writes.next_handles
-- why: a sequence, which several ingests may use at once.
SELECT nextval('node_handles') FROM generate_series(1, %(many)s);

-- name: writes.next_versions
-- why: a sequence, which several ingests may use at once.
SELECT nextval(pg_get_serial_sequence('documents', 'version')) FROM generate_series(1, %(many)s);

-- name: writes.set_valid_to
-- why: the rows travel as arrays, in one statement.
UPDATE documents AS d SET valid_to = e.valid_to, state_checksum = e.checksum
FROM unnest(%(version)b::bigint[], %(valid_to)b::bigint[], %(checksum)b::bigint[])
     AS e (version, valid_to, checksum)
WHERE d.version = e.version;

-- name: writes.set_relationship_valid_to
-- why: the rows travel as arrays, in one statement.
UPDATE stated_relationships AS r SET valid_to = e.valid_to, checksum = e.checksum
FROM unnest(%(id)b::bigint[], %(valid_to)b::bigint[], %(checksum)b::bigint[])
     AS e (id, valid_to, checksum)
WHERE r.id = e.id;

-- name: writes.add_to_checksum
-- why: the rows travel as arrays, in one statement.
UPDATE documents AS d SET checksum = d.checksum + a.added
FROM unnest(%(version)b::bigint[], %(added)b::bigint[]) AS a (version, added)
WHERE d.version = a.version;

-- name: writes.add_document
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY documents (version, branch, path, id, content, fingerprint, unresolved_calls, source_lines,
                embedding_priority, valid_from, valid_to, stated_class, access_class, checksum,
                state_checksum)
FROM STDIN (FORMAT binary);

-- name: writes.add_node
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY document_nodes (handle, version, access_class, id, kind, title, summary, parent, first_line,
                     last_line, start_offset, end_offset, page, signature_length)
FROM STDIN (FORMAT binary);

-- name: writes.add_chunk
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY vector_chunks (version, position, access_class, id, node, heading_path, first_line, last_line,
                    start_offset, end_offset, page) FROM STDIN (FORMAT binary);

-- name: writes.add_embedding
-- why: the rows travel as arrays, in one statement; row-level security filters by the class.
INSERT INTO document_embeddings (version, access_class, is_complete, checksum)
SELECT * FROM unnest(%(version)b::bigint[], %(access_class)b::integer[],
                     %(is_complete)b::integer[], %(checksum)b::bigint[]);

-- name: writes.add_summary_vector
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY summary_vectors (version, access_class, handle, vector) FROM STDIN (FORMAT binary);

-- name: writes.add_node_vector
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY node_vectors (handle, version, access_class, vector) FROM STDIN (FORMAT binary);

-- name: writes.add_chunk_vector
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY chunk_vectors (version, position, access_class, vector_id) FROM STDIN (FORMAT binary);

-- name: writes.add_definition
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY definitions (branch, key, version, access_class, node_suffix, rank) FROM STDIN (FORMAT binary);

-- name: writes.add_reference
-- why: the rows travel as arrays, in one statement, since COPY knows no ON CONFLICT; row-level
-- security filters by the class.
INSERT INTO node_references (version, access_class, relation, start_offset, key, inner_suffix,
                             node_suffix, branch, end_offset, line, text, miner, strict, rank,
                             distance_weight, report_unresolved)
SELECT * FROM unnest(%(version)b::bigint[], %(access_class)b::integer[], %(relation)b::text[],
                     %(start_offset)b::integer[], %(key)b::text[], %(inner_suffix)b::text[],
                     %(node_suffix)b::text[], %(branch)b::integer[], %(end_offset)b::integer[],
                     %(line)b::integer[], %(text)b::text[], %(miner)b::text[],
                     %(strict)b::integer[], %(rank)b::integer[], %(distance_weight)b::integer[],
                     %(report_unresolved)b::integer[])
ON CONFLICT DO NOTHING;

-- name: writes.count_references
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT miner, relation, sum(resolved)::bigint, sum(report_unresolved * (1 - resolved))::bigint
FROM (SELECT min(ref.miner) AS miner, ref.relation, max(ref.report_unresolved) AS report_unresolved,
             max(EXISTS (SELECT 1 FROM definitions AS def
                              JOIN documents AS t ON t.version = def.version
                         WHERE def.branch = ref.branch AND def.key_hash = ref.key_hash
                           AND def.key = ref.key AND t.valid_to = %(forever)s
                           AND (ref.strict = 0 OR EXISTS
                                (SELECT 1 FROM document_nodes AS n
                                 WHERE n.id = t.id || def.node_suffix || ref.inner_suffix
                                   AND n.version = t.version)))::integer) AS resolved
      FROM node_references AS ref JOIN documents AS d ON d.version = ref.version
      WHERE d.branch = %(branch)s AND d.valid_from = %(next)s AND d.valid_to = %(forever)s
        AND ref.miner = ANY (%(miners)s::text[]) AND ref.relation <> 'shares_entity'
      GROUP BY ref.version, ref.relation, ref.start_offset, ref.end_offset) AS positions
GROUP BY miner, relation HAVING max(resolved) > 0 OR max(report_unresolved) > 0
ORDER BY miner, relation;

-- name: writes.unresolved_references
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT min(path), min(line), min(relation) || ' ' || min(text)
FROM (SELECT d.path, ref.line, ref.relation, ref.start_offset, ref.end_offset, ref.text,
             ref.version, ref.report_unresolved,
             EXISTS (SELECT 1 FROM definitions AS def JOIN documents AS t ON t.version = def.version
                     WHERE def.branch = ref.branch AND def.key_hash = ref.key_hash
                       AND def.key = ref.key AND t.valid_to = %(forever)s
                       AND (ref.strict = 0 OR EXISTS
                            (SELECT 1 FROM document_nodes AS n
                             WHERE n.id = t.id || def.node_suffix || ref.inner_suffix
                               AND n.version = t.version)))::integer AS resolved
      FROM node_references AS ref JOIN documents AS d ON d.version = ref.version
      WHERE d.branch = %(branch)s AND d.valid_from = %(next)s AND d.valid_to = %(forever)s
        AND ref.miner = ANY (%(miners)s::text[]) AND ref.relation = %(relation)s) AS positions
GROUP BY version, start_offset, end_offset HAVING max(report_unresolved) > 0 AND max(resolved) = 0
ORDER BY min(path), min(line), start_offset LIMIT %(most)s;

-- name: writes.lock_access_classes
-- why: there are several writers; `increment_changes` waits until this transaction ends; other
-- batches do not.
SELECT pg_advisory_xact_lock_shared(hashtextextended('docgraph classes ' || %(tenant)s, 0));

-- name: writes.increment_changes
-- why: its lock waits for other writers of the tenant and for the batches of ingests; the token is
-- the column's default.
INSERT INTO change_counts (tenant, all_changes)
SELECT %(tenant)s, 1
FROM pg_advisory_xact_lock(hashtextextended('docgraph classes ' || %(tenant)s, 0))
ON CONFLICT (tenant) DO UPDATE SET
    all_changes = change_counts.all_changes + 1,
    tokens = left(excluded.tokens || change_counts.tokens, 64 * 32);

-- name: access.find_access_class
-- why: a rule may be longer than an index entry, so the index is on its digest.
SELECT id FROM access_classes WHERE digest = md5(%(rule)s) AND rule = %(rule)s;

-- name: access.set_document_access
-- why: the rows travel as arrays, in one statement.
INSERT INTO document_access (branch, path, statements, checksum)
SELECT * FROM unnest(%(branch)b::integer[], %(path)b::text[], %(statements)b::text[],
                     %(checksum)b::bigint[])
ON CONFLICT (branch, path) DO UPDATE SET
    statements = excluded.statements, checksum = excluded.checksum;

-- name: access.set_version_access
-- why: the rows travel as arrays, in one statement.
UPDATE documents AS d
SET stated_class = v.stated_class, access_class = v.access_class, state_checksum = v.checksum
FROM unnest(%(version)b::bigint[], %(stated_class)b::integer[], %(access_class)b::integer[],
            %(checksum)b::bigint[]) AS v (version, stated_class, access_class, checksum)
WHERE d.version = v.version;

-- name: segments.add_segment
-- why: a segment has versions of one access class, for row-level security, and lists them.
INSERT INTO segments (branch, access_class, snapshot, chunk_count, versions, checksum, arrays)
VALUES (%(branch)s, %(group)s, %(snapshot)s, %(chunk_count)s, %(versions)s::bigint[],
        %(checksum)s, %(arrays)s)
RETURNING id;

-- name: segments.add_postings
-- why: COPY is the fastest way to add many rows.
COPY postings (segment, term, chunks, frequencies) FROM STDIN (FORMAT binary);

-- name: segments.segments_of_branch
-- why: a segment has versions of one access class, for row-level security.
SELECT id, access_class, chunk_count FROM segments
WHERE branch = %(branch)s ORDER BY chunk_count, id;

-- name: audit.schema
-- why: the catalogue is pg_catalog; its contents are described in terms that are the same in every
-- version.
WITH logs AS (
    SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relname IN ('audit_entries', 'audit_seals')
), triggers AS (
    SELECT t.* FROM pg_trigger AS t JOIN logs AS l ON l.oid = t.tgrelid WHERE NOT t.tgisinternal
)
SELECT 'table', relname::text,
       concat_ws(' ', relkind, relpersistence,
                 CASE WHEN relrowsecurity THEN 'row security' END,
                 CASE WHEN relforcerowsecurity THEN 'for its owner' END)
FROM logs
UNION ALL
SELECT 'column', l.relname::text || '.' || a.attname::text,
       concat_ws(' ', format_type(a.atttypid, a.atttypmod), nullif(c.collname, 'default'),
                 CASE WHEN a.attnotnull THEN 'not null' END, nullif(a.attidentity, ''),
                 nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid))
FROM logs AS l JOIN pg_attribute AS a ON a.attrelid = l.oid AND a.attnum > 0
     LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
     LEFT JOIN pg_attrdef AS d ON d.adrelid = l.oid AND d.adnum = a.attnum
WHERE NOT a.attisdropped
UNION ALL
SELECT 'constraint', c.conname::text, pg_get_constraintdef(c.oid, true)
FROM logs AS l JOIN pg_constraint AS c ON c.conrelid = l.oid
WHERE c.contype <> 'n'
UNION ALL
SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
FROM logs AS l JOIN pg_index AS i ON i.indrelid = l.oid
UNION ALL
SELECT 'trigger', tgname::text, concat_ws(' ', tgenabled, pg_get_triggerdef(oid, true))
FROM triggers
UNION ALL
SELECT DISTINCT 'function', p.oid::regproc::text,
       concat_ws(' ', l.lanname, p.prosecdef, p.provolatile, p.proconfig, p.prosrc)
FROM triggers AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_language AS l ON l.oid = p.prolang
UNION ALL
SELECT 'rule', r.rulename::text, pg_get_ruledef(r.oid)
FROM logs AS l JOIN pg_rewrite AS r ON r.ev_class = l.oid
UNION ALL
SELECT 'policy', p.polname::text, concat_ws(' ', pg_get_expr(p.polqual, p.polrelid),
                                            pg_get_expr(p.polwithcheck, p.polrelid))
FROM logs AS l JOIN pg_policy AS p ON p.polrelid = l.oid
UNION ALL
SELECT 'child table', i.inhrelid::regclass::text, l.relname::text
FROM logs AS l JOIN pg_inherits AS i ON i.inhparent = l.oid;

-- name: server.claim_job
-- why: the server's clock decides on leases; the clocks of replicas differ.
-- Jobs that another server claims at the moment are skipped, not waited for.
WITH next AS MATERIALIZED (
    SELECT i.number FROM ingest_jobs AS i
    WHERE i.state IN ('queued', 'running')
      AND (i.state = 'queued' OR i.lease_expires <= clock_timestamp())
    ORDER BY (SELECT max(t.last_started)
    FROM ingest_jobs AS t WHERE t.tenant = i.tenant) NULLS FIRST,
             (SELECT max(a.last_started) FROM ingest_jobs AS a
              WHERE a.tenant = i.tenant AND a.principal = i.principal
                AND a.credential_kind = i.credential_kind) NULLS FIRST,
             i.number
    LIMIT 1
    FOR UPDATE OF i SKIP LOCKED
)
UPDATE ingest_jobs AS i
SET state = 'running', attempts = i.attempts + 1, worker = %(worker)s,
    lease_expires = clock_timestamp() + make_interval(secs => %(seconds)s),
    last_started = clock_timestamp(),
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
FROM next WHERE i.number = next.number
RETURNING i.id, i.requester, i.authenticated_by, i.request, i.state, i.attempts, i.created,
          i.updated,
          i.progress, i.result, i.error;

-- name: server.renew_lease
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingest_jobs
SET lease_expires = clock_timestamp() + make_interval(secs => %(seconds)s), progress = %(progress)s,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
  AND lease_expires > clock_timestamp();

-- name: server.finish_job
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingest_jobs
SET state = %(state)s, result = %(result)s, error = %(error)s, checksum = %(checksum)s, worker = '',
    lease_expires = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
  AND lease_expires > clock_timestamp();

-- name: server.release_job
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingest_jobs
SET state = 'queued', attempts = attempts - %(back)s, worker = '', lease_expires = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
  AND lease_expires > clock_timestamp();
