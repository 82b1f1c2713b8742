-- Queries of adapters/sql/queries that Postgres needs in words of its own, each with the reason.
-- They are sent as they stand here.

-- name: state.changes
-- why: counted from when, and in which table: a crash, another server or a restored backup may
-- have undone some changes.
SELECT coalesce((SELECT value FROM changes WHERE tenant = %(tenant)s), 0),
       coalesce((SELECT access_changes FROM changes WHERE tenant = %(tenant)s), 0),
       concat_ws(' ', pg_postmaster_start_time(), 'changes'::regclass::oid);

-- name: state.segments
-- why: the role of readers may read numbers in this view, not the segments of all classes.
SELECT id FROM segment_lives WHERE tenant = %(tenant)s;

-- name: state.lives
-- why: the role of readers may read numbers in this view, not the documents of all classes.
SELECT ordinal, branch, born, died, class FROM document_lives
WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s;

-- name: state.lives_since
-- why: a reader's role sees numbers of documents in this view.
SELECT ordinal, branch, born, died, class FROM document_lives
WHERE branch = %(branch)s
  AND (born > %(after)s OR (died > %(after)s AND died <= %(newest)s));

-- name: reads.definers
-- why: a key may be longer than an index entry, so the index is on its hash; names
-- are ordered bytewise, as SQLite orders them.
SELECT DISTINCT substr(key, strpos(key, ':') + 1) COLLATE "C" AS name, node FROM visible_offers
WHERE branch = ANY (%(branches)s::integer[])
  AND key_hash = ANY (ARRAY(SELECT hashtextextended(k COLLATE "C", 0)
                            FROM unnest(%(keys)s::text[]) AS k))
  AND key = ANY (%(keys)s::text[])
ORDER BY name, node;

-- name: reads.shared_names
-- why: a key may be longer than an index entry, so the index is on its hash; the functions
-- for JSON have other names.
SELECT c.document_id, c.miner,
       (SELECT coalesce(json_agg(json_build_array(h.document_id, h.path, h.line, h.says)),
                        '[]')::text
        FROM (SELECT s.document_id, s.path, s.line, s.says FROM visible_claims AS s
              WHERE s.branch = c.branch AND s.key_hash = c.key_hash AND s.key = c.key
                AND s.relation = c.relation
              LIMIT %(most)s) AS h)
FROM visible_claims AS c
WHERE c.document = ANY (%(documents)s::bigint[]) AND c.relation = 'shares_entity';

-- name: reads.places_claimed
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT miner, relation, sum(met)::bigint, sum(reported * (1 - met))::bigint
FROM (SELECT min(c.miner) AS miner, c.relation, max(c.reported) AS reported,
             max(EXISTS (SELECT 1 FROM visible_offers AS o
                         WHERE o.branch = c.branch AND o.key_hash = c.key_hash AND o.key = c.key
                           AND (c.strict = 0 OR EXISTS
                                (SELECT 1 FROM visible_nodes AS n
                                 WHERE n.id = o.node || c.inner_id
                                   AND n.document = o.document)))::integer) AS met
      FROM visible_claims AS c
      WHERE c.relation <> 'shares_entity'
      GROUP BY c.document, c.relation, c.start, c.stop) AS places
GROUP BY miner, relation HAVING max(met) > 0 OR max(reported) > 0 ORDER BY miner, relation;

-- name: reads.parents_in_documents
-- why: an array is looked up in the index; IN would be one more table to join.
SELECT id, parent FROM visible_nodes
WHERE document = ANY (ARRAY(SELECT document FROM visible_nodes
                            WHERE id = ANY (%(documents)s::text[])));

-- name: reads.postings_of_terms
-- why: a term may be longer than an index entry, so the index is on its hash.
SELECT term, segment, passages, frequencies FROM masked_postings
WHERE segment = ANY (%(segments)s::bigint[])
  AND term_hash = ANY (ARRAY(SELECT hashtextextended(t COLLATE "C", 0)
                             FROM unnest(%(terms)s::text[]) AS t))
  AND term = ANY (%(terms)s::text[])
ORDER BY segment;

-- name: writes.offered_titles
-- why: keys are indexed by hash, not in their order; max takes no boolean.
SELECT substr(o.key, 7), max((d.born < %(next)s)::integer)
FROM offers AS o JOIN documents AS d ON d.ordinal = o.document
WHERE o.branch = %(branch)s AND starts_with(o.key, 'title:')
  AND (d.died = %(forever)s OR d.died = %(next)s)
GROUP BY o.key HAVING max((d.died = %(forever)s)::integer) = 1;

-- name: writes.add_content
-- why: the rows travel as arrays, in one statement.
INSERT INTO contents (tenant, hash, text)
SELECT * FROM unnest(%(tenant)b::text[], %(hash)b::text[], %(text)b::text[])
ON CONFLICT DO NOTHING;

-- name: writes.living_documents
-- why: a document's class is stored with it, for row-level security.
SELECT path, ordinal, id, class FROM documents
WHERE branch = %(branch)s AND path = ANY (%(paths)s::text[]) AND died = %(forever)s;

-- name: writes.next_handles
-- why: a sequence, which several ingests may use at once.
SELECT nextval('node_handles') FROM generate_series(1, %(many)s);

-- name: writes.next_ordinals
-- why: a sequence, which several ingests may use at once.
SELECT nextval(pg_get_serial_sequence('documents', 'ordinal')) FROM generate_series(1, %(many)s);

-- name: writes.end_document
-- why: the rows travel as arrays, in one statement.
UPDATE documents AS d SET died = e.snapshot
FROM unnest(%(branch)b::integer[], %(path)b::text[], %(snapshot)b::integer[], %(forever)b::bigint[])
     AS e (branch, path, snapshot, forever)
WHERE d.branch = e.branch AND d.path = e.path AND d.died = e.forever;

-- name: writes.add_document
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY documents (ordinal, branch, path, id, content, fingerprint, opaque, source_lines, born, died,
                class) FROM STDIN (FORMAT binary);

-- name: writes.add_node
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY document_nodes (handle, document, class, id, kind, title, summary, parent, first_line,
                     last_line, start, stop, page, vector) FROM STDIN (FORMAT binary);

-- name: writes.add_chunk
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY vector_chunks (document, position, class, id, node, heading_path, first_line, last_line, start,
                    stop, page, vector) FROM STDIN (FORMAT binary);

-- name: writes.add_offer
-- why: COPY is the fastest way to add many rows; row-level security filters by the class.
COPY offers (branch, key, document, class, suffix, rank) FROM STDIN (FORMAT binary);

-- name: writes.add_claim
-- why: the rows travel as arrays, in one statement, since COPY knows no ON CONFLICT; row-level
-- security filters by the class.
INSERT INTO claims (document, class, relation, start, key, inner_id, suffix, branch, stop, line,
                    says, miner, strict, rank, near, reported)
SELECT * FROM unnest(%(document)b::bigint[], %(class)b::integer[], %(relation)b::text[],
                     %(start)b::integer[], %(key)b::text[], %(inner)b::text[], %(suffix)b::text[],
                     %(branch)b::integer[], %(stop)b::integer[], %(line)b::integer[],
                     %(says)b::text[], %(miner)b::text[], %(strict)b::integer[],
                     %(rank)b::integer[], %(near)b::integer[], %(reported)b::integer[])
ON CONFLICT DO NOTHING;

-- name: writes.places_claimed
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT miner, relation, sum(met)::bigint, sum(reported * (1 - met))::bigint
FROM (SELECT min(c.miner) AS miner, c.relation, max(c.reported) AS reported,
             max(EXISTS (SELECT 1 FROM offers AS o JOIN documents AS t ON t.ordinal = o.document
                         WHERE o.branch = c.branch AND o.key_hash = c.key_hash AND o.key = c.key
                           AND t.died = %(forever)s
                           AND (c.strict = 0 OR EXISTS
                                (SELECT 1 FROM document_nodes AS n
                                 WHERE n.id = t.id || o.suffix || c.inner_id
                                   AND n.document = t.ordinal)))::integer) AS met
      FROM claims AS c JOIN documents AS d ON d.ordinal = c.document
      WHERE d.branch = %(branch)s AND d.born = %(next)s AND d.died = %(forever)s
        AND c.miner = ANY (%(miners)s::text[]) AND c.relation <> 'shares_entity'
      GROUP BY c.document, c.relation, c.start, c.stop) AS places
GROUP BY miner, relation HAVING max(met) > 0 OR max(reported) > 0 ORDER BY miner, relation;

-- name: writes.places_unmet
-- why: a key may be longer than an index entry, so the index is on its hash; max takes no
-- boolean.
SELECT min(path), min(line), min(relation) || ' ' || min(says)
FROM (SELECT d.path, c.line, c.relation, c.start, c.stop, c.says, c.document, c.reported,
             EXISTS (SELECT 1 FROM offers AS o JOIN documents AS t ON t.ordinal = o.document
                     WHERE o.branch = c.branch AND o.key_hash = c.key_hash AND o.key = c.key
                       AND t.died = %(forever)s
                       AND (c.strict = 0 OR EXISTS
                            (SELECT 1 FROM document_nodes AS n
                             WHERE n.id = t.id || o.suffix || c.inner_id
                               AND n.document = t.ordinal)))::integer AS met
      FROM claims AS c JOIN documents AS d ON d.ordinal = c.document
      WHERE d.branch = %(branch)s AND d.born = %(next)s AND d.died = %(forever)s
        AND c.miner = ANY (%(miners)s::text[]) AND c.relation = %(relation)s) AS places
GROUP BY document, start, stop HAVING max(reported) > 0 AND max(met) = 0
ORDER BY min(path), min(line), start LIMIT %(most)s;

-- name: writes.keep_classes
-- why: until this transaction ends, nobody gets past `count_change`; other batches do.
SELECT pg_advisory_xact_lock_shared(hashtextextended('docgraph classes ' || %(tenant)s, 0));

-- name: writes.count_change
-- why: the count is per tenant here, and its lock waits for other writers of the tenant and for
-- the batches of ingests.
INSERT INTO changes (tenant, value)
SELECT %(tenant)s, 1
FROM pg_advisory_xact_lock(hashtextextended('docgraph classes ' || %(tenant)s, 0))
ON CONFLICT (tenant) DO UPDATE SET value = changes.value + 1;

-- name: writes.count_access_change
-- why: the count is a column here, of the row that `count_change` made.
UPDATE changes SET access_changes = access_changes + 1 WHERE tenant = %(tenant)s;

-- name: access.class_of
-- why: a rule may be longer than an index entry, so the index is on its digest.
SELECT id FROM access_classes WHERE digest = md5(%(rule)s) AND rule = %(rule)s;

-- name: access.point_document
-- why: the rows travel as arrays, in one statement.
INSERT INTO document_access (branch, path, told, class)
SELECT * FROM unnest(%(branch)b::integer[], %(path)b::text[], %(told)b::text[],
                     %(class)b::integer[])
ON CONFLICT (branch, path) DO UPDATE SET told = excluded.told, class = excluded.class;

-- name: segments.add_segment
-- why: a segment holds documents of one class, for row-level security, and lists them.
INSERT INTO segments (branch, class, born, passages, nodes, documents, arrays)
VALUES (%(branch)s, %(group)s, %(born)s, %(passages)s, %(nodes)s, %(documents)s::bigint[],
        %(arrays)s)
RETURNING id;

-- name: segments.add_postings
-- why: COPY is the fastest way to add many rows.
COPY postings (segment, term, passages, frequencies) FROM STDIN (FORMAT binary);

-- name: segments.segments_of_branch
-- why: a segment holds documents of one class, for row-level security.
SELECT id, class, passages FROM segments WHERE branch = %(branch)s ORDER BY passages, id;

-- name: audit.schema
-- why: the catalogue is pg_catalog; what it says is put in words that no version changes.
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

-- name: server.claim
-- why: the server's clock decides on leases; the clocks of replicas differ.
-- What another server claims in this moment is passed over, not waited for.
WITH next AS MATERIALIZED (
    SELECT i.number FROM ingestions AS i
    WHERE i.state IN ('queued', 'running')
      AND (i.state = 'queued' OR i.lease <= clock_timestamp())
    ORDER BY (SELECT max(t.begun) FROM ingestions AS t WHERE t.tenant = i.tenant) NULLS FIRST,
             (SELECT max(a.begun) FROM ingestions AS a
              WHERE a.tenant = i.tenant AND a.person = i.person
                AND a.credential = i.credential) NULLS FIRST,
             i.number
    LIMIT 1
    FOR UPDATE OF i SKIP LOCKED
)
UPDATE ingestions AS i
SET state = 'running', attempts = i.attempts + 1, owner = %(owner)s,
    lease = clock_timestamp() + make_interval(secs => %(seconds)s), begun = clock_timestamp(),
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
FROM next WHERE i.number = next.number
RETURNING i.id, i.asked_by, i.asker, i.request, i.state, i.attempts, i.created, i.updated,
          i.progress, i.result, i.error;

-- name: server.renew
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingestions
SET lease = clock_timestamp() + make_interval(secs => %(seconds)s), progress = %(progress)s,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();

-- name: server.finish
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingestions
SET state = %(state)s, result = %(result)s, error = %(error)s, owner = '', lease = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();

-- name: server.release
-- why: the server's clock decides on leases; the clocks of replicas differ.
UPDATE ingestions
SET state = 'queued', attempts = attempts - %(back)s, owner = '', lease = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();
