-- name: branch_of
SELECT id, newest FROM branches WHERE tenant = %(tenant)s AND repository = %(repository)s AND name = %(name)s;

-- name: add_branch
INSERT INTO branches (tenant, repository, name) VALUES (%(tenant)s, %(repository)s, %(name)s)
ON CONFLICT DO NOTHING;

-- name: newest_snapshot
SELECT s.embedder_name, s.embedder_digest, s.dimensions, s.miners, s.ref, s.revision
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch AND b.newest = s.number
WHERE b.id = %(branch)s;

-- name: held_documents
SELECT d.path, d.fingerprint, c.hash FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.branch = %(branch)s AND d.died = %(forever)s ORDER BY d.path;

-- name: living_nodes
SELECT n.id FROM document_nodes AS n JOIN documents AS d ON d.ordinal = n.document
WHERE n.id = ANY (%(ids)s::text[]) AND d.branch = %(branch)s AND d.died = %(forever)s;

-- name: living_texts
-- Documents of the new snapshot: those written now, or those that were there before.
SELECT d.path, d.id, n.kind, n.title, c.text, d.source_lines
FROM documents AS d JOIN contents AS c ON c.id = d.content
     JOIN document_nodes AS n ON n.document = d.ordinal AND n.id = d.id
WHERE d.branch = %(branch)s AND d.died = %(forever)s AND (d.born = %(next)s) = (%(fresh)s = 1)
  AND d.path > %(after)s
ORDER BY d.path LIMIT %(most)s;

-- name: offered_titles
-- Titles of the new snapshot, and whether the newest one already had them.
SELECT substr(o.key, 7), max((d.born < %(next)s)::integer)
FROM offers AS o JOIN documents AS d ON d.ordinal = o.document
WHERE o.branch = %(branch)s AND starts_with(o.key, 'title:')
  AND (d.died = %(forever)s OR d.died = %(next)s)
GROUP BY o.key HAVING max((d.died = %(forever)s)::integer) = 1;

-- name: add_space
INSERT INTO vector_spaces (tenant, embedder) VALUES (%(tenant)s, %(embedder)s) ON CONFLICT DO NOTHING;

-- name: space_of
SELECT id FROM vector_spaces WHERE tenant = %(tenant)s AND embedder = %(embedder)s;

-- name: add_content
INSERT INTO contents (tenant, hash, text)
SELECT * FROM unnest(%(tenant)b::text[], %(hash)b::text[], %(text)b::text[])
ON CONFLICT DO NOTHING;

-- name: content_ids
SELECT hash, id FROM contents
WHERE tenant = %(tenant)s AND hash = ANY (%(hashes)s::text[]);

-- name: living_documents
SELECT path, ordinal, id, class FROM documents
WHERE branch = %(branch)s AND path = ANY (%(paths)s::text[]) AND died = %(forever)s;

-- name: next_handles
SELECT nextval('node_handles') FROM generate_series(1, %(many)s);

-- name: next_ordinals
SELECT nextval(pg_get_serial_sequence('documents', 'ordinal')) FROM generate_series(1, %(many)s);

-- name: end_document
UPDATE documents AS d SET died = e.snapshot
FROM unnest(%(branch)b::integer[], %(path)b::text[], %(snapshot)b::integer[], %(forever)b::bigint[])
     AS e (branch, path, snapshot, forever)
WHERE d.branch = e.branch AND d.path = e.path AND d.died = e.forever;

-- name: add_document
COPY documents (ordinal, branch, path, id, content, fingerprint, opaque, source_lines, born, died,
                class) FROM STDIN (FORMAT binary);

-- name: add_node
COPY document_nodes (handle, document, class, id, kind, title, summary, parent, first_line,
                     last_line, start, stop, page, vector) FROM STDIN (FORMAT binary);

-- name: add_chunk
COPY vector_chunks (document, position, class, id, node, heading_path, first_line, last_line, start,
                    stop, page, vector) FROM STDIN (FORMAT binary);

-- name: add_offer
COPY offers (branch, key, document, class, suffix, rank) FROM STDIN (FORMAT binary);

-- name: add_claim
INSERT INTO claims (document, class, relation, start, key, inner_id, suffix, branch, stop, line,
                    says, miner, strict, rank, near, reported)
SELECT * FROM unnest(%(document)b::bigint[], %(class)b::integer[], %(relation)b::text[],
                     %(start)b::integer[], %(key)b::text[], %(inner)b::text[], %(suffix)b::text[],
                     %(branch)b::integer[], %(stop)b::integer[], %(line)b::integer[],
                     %(says)b::text[], %(miner)b::text[], %(strict)b::integer[],
                     %(rank)b::integer[], %(near)b::integer[], %(reported)b::integer[])
ON CONFLICT DO NOTHING;

-- name: places_claimed
-- Places in documents written now, by the first miner who found each: those that meet an offer,
-- and those that must be told of when they meet none.
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

-- name: places_unmet
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

-- name: opaque_calls
SELECT coalesce(sum(opaque), 0)::bigint FROM documents
WHERE branch = %(branch)s AND born = %(next)s AND died = %(forever)s;

-- name: living_relationships
SELECT id, source, relation, target, origins, evidence FROM document_relationships
WHERE branch = %(branch)s AND hand = %(hand)s AND died = %(forever)s;

-- name: end_relationship
UPDATE document_relationships SET died = %(snapshot)s WHERE id = %(id)s;

-- name: drop_relationships_born_now
-- What was written under the unpublished snapshot and is written again was never there.
DELETE FROM document_relationships
WHERE branch = %(branch)s AND hand = %(hand)s AND died = %(forever)s AND born = %(snapshot)s
  AND source = %(source)s AND relation = %(relation)s AND target = %(target)s;

-- name: drop_given_born_now
DELETE FROM document_relationships WHERE branch = %(branch)s AND hand = 0 AND born = %(snapshot)s;

-- name: end_hand_relationship
UPDATE document_relationships SET died = %(snapshot)s
WHERE branch = %(branch)s AND hand = 1 AND died = %(forever)s
  AND source = %(source)s AND relation = %(relation)s AND target = %(target)s;

-- name: add_relationship
INSERT INTO document_relationships (branch, source, source_document, relation, target,
                                    target_document, hand, origins, evidence, born, died)
VALUES (%(branch)s, %(source)s, %(source_document)s, %(relation)s, %(target)s,
        %(target_document)s, %(hand)s, %(origins)s, %(evidence)s, %(born)s, %(forever)s);

-- name: add_snapshot
INSERT INTO snapshots (branch, number, embedder_name, embedder_digest, dimensions, created,
                       miners, ref, revision)
VALUES (%(branch)s, %(number)s, %(embedder_name)s, %(embedder_digest)s, %(dimensions)s, %(created)s,
        %(miners)s, %(ref)s, %(revision)s);

-- name: set_newest
UPDATE branches SET newest = %(number)s WHERE id = %(branch)s;

-- name: keep_classes
-- Until this transaction ends, nobody gets past `count_change`; other batches do.
SELECT pg_advisory_xact_lock_shared(hashtextextended('docgraph classes ' || %(tenant)s, 0));

-- name: count_change
INSERT INTO changes (tenant, value)
SELECT %(tenant)s, 1
FROM pg_advisory_xact_lock(hashtextextended('docgraph classes ' || %(tenant)s, 0))
ON CONFLICT (tenant) DO UPDATE SET value = changes.value + 1;

-- name: drop_postings_of_unpublished
DELETE FROM postings WHERE segment IN
    (SELECT id FROM segments WHERE branch = %(branch)s AND born > %(newest)s);

-- name: drop_unpublished_segments
DELETE FROM segments WHERE branch = %(branch)s AND born > %(newest)s;

-- name: drop_chunks_of_unpublished
DELETE FROM vector_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND born > %(newest)s);

-- name: drop_offers_of_unpublished
DELETE FROM offers WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND born > %(newest)s);

-- name: drop_claims_of_unpublished
DELETE FROM claims WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND born > %(newest)s);

-- name: drop_nodes_of_unpublished
DELETE FROM document_nodes WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND born > %(newest)s);

-- name: drop_unpublished_documents
DELETE FROM documents WHERE branch = %(branch)s AND born > %(newest)s;

-- name: revive_documents
UPDATE documents SET died = %(forever)s WHERE branch = %(branch)s AND died > %(newest)s AND died < %(forever)s;

-- name: drop_unpublished_relationships
DELETE FROM document_relationships WHERE branch = %(branch)s AND born > %(newest)s;

-- name: revive_relationships
UPDATE document_relationships SET died = %(forever)s
WHERE branch = %(branch)s AND died > %(newest)s AND died < %(forever)s;
