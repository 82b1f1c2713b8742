-- name: names_of_handles
-- Ids and kinds behind node handles.
SELECT handle, id, kind FROM visible_nodes WHERE handle = ANY (%(handles)s::bigint[]);

-- name: handles_of_nodes
SELECT id, handle FROM visible_nodes WHERE id = ANY (%(ids)s::text[]);

-- name: vectors_of_nodes
SELECT id, vector FROM visible_nodes WHERE id = ANY (%(ids)s::text[]);

-- name: kinds_of_nodes
SELECT id, kind FROM visible_nodes WHERE id = ANY (%(ids)s::text[]);

-- name: definers
SELECT DISTINCT substr(key, strpos(key, ':') + 1) COLLATE "C" AS name, node FROM visible_offers
WHERE branch = ANY (%(branches)s::integer[])
  AND key_hash = ANY (ARRAY(SELECT hashtextextended(k COLLATE "C", 0)
                            FROM unnest(%(keys)s::text[]) AS k))
  AND key = ANY (%(keys)s::text[])
ORDER BY name, node;

-- name: ordinals_of_documents
SELECT DISTINCT document FROM visible_nodes WHERE id = ANY (%(ids)s::text[]);

-- name: meetings_of_claimants
SELECT source, relation, path, line, start, stop, says, miner, rank, near, inner_id, strict,
       offered, offered_path, offered_rank, holds
FROM visible_meetings
WHERE claimant = ANY (%(documents)s::bigint[]) AND relation = ANY (%(relations)s::text[]);

-- name: meetings_of_offerers
SELECT source, relation, path, line, start, stop, says, miner, rank, near, inner_id, strict,
       offered, offered_path, offered_rank, holds
FROM visible_answers
WHERE offerer = ANY (%(documents)s::bigint[]) AND relation = ANY (%(relations)s::text[]);

-- name: shared_names
-- Names that a document holds, each with the first few visible documents that hold it.
SELECT c.document_id, c.miner,
       (SELECT coalesce(json_agg(json_build_array(h.document_id, h.path, h.line, h.says)), '[]')::text
        FROM (SELECT s.document_id, s.path, s.line, s.says FROM visible_claims AS s
              WHERE s.branch = c.branch AND s.key_hash = c.key_hash AND s.key = c.key
                AND s.relation = c.relation
              LIMIT %(most)s) AS h)
FROM visible_claims AS c
WHERE c.document = ANY (%(documents)s::bigint[]) AND c.relation = 'shares_entity';

-- name: inner_nodes
SELECT parent, id, first_line, path FROM visible_nodes
WHERE document = ANY (%(documents)s::bigint[]) AND parent IS NOT NULL;

-- name: places_claimed
-- Places by the first miner who found each: those that meet an offer, those that should and do not.
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

-- name: opaque_calls
SELECT coalesce(sum(opaque), 0)::bigint FROM visible_documents;

-- name: stated_out
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE source_document = ANY (%(documents)s::text[]);

-- name: stated_in
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE target_document = ANY (%(documents)s::text[]);

-- name: visible_documents
SELECT ordinal, id FROM visible_documents ORDER BY id;

-- name: parents_in_documents
SELECT id, parent FROM visible_nodes
WHERE document = ANY (ARRAY(SELECT document FROM visible_nodes
                            WHERE id = ANY (%(documents)s::text[])));

-- name: nodes_by_id
SELECT id, document, kind, title, summary, first_line, last_line, start, stop, page, document_id,
       path
FROM visible_nodes WHERE id = ANY (%(ids)s::text[]);

-- name: chunks_of_documents
SELECT document, position, vector, id, node, heading_path, first_line, last_line, start, stop, page
FROM visible_chunks
WHERE document = ANY (%(documents)s::bigint[])
ORDER BY document, position;

-- name: text_of_document
SELECT text FROM visible_texts WHERE ordinal = %(document)s;

-- name: count_nodes
SELECT kind, count(*) FROM visible_nodes GROUP BY kind ORDER BY kind;

-- name: count_chunks
SELECT count(*) FROM visible_chunks;

-- name: postings_of_terms
SELECT term, segment, passages, frequencies FROM masked_postings
WHERE segment = ANY (%(segments)s::bigint[])
  AND term_hash = ANY (ARRAY(SELECT hashtextextended(t COLLATE "C", 0)
                             FROM unnest(%(terms)s::text[]) AS t))
  AND term = ANY (%(terms)s::text[])
ORDER BY segment;

-- name: segments_of_branches
SELECT id FROM masked_segments WHERE branch = ANY (%(branches)s::integer[]) ORDER BY id;

-- name: segment_arrays
SELECT arrays FROM masked_segments WHERE id = %(segment)s;

-- name: passage_vectors
SELECT id, vector FROM masked_vectors WHERE id = ANY (%(vectors)s::bigint[]);

-- name: versions
SELECT id, hash FROM visible_texts ORDER BY id;

-- name: nodes_whole
SELECT n.id, n.kind, n.title, n.summary, n.parent, n.first_line, n.last_line, n.start, n.stop,
       n.page, n.vector
FROM visible_nodes AS n WHERE n.document = %(document)s ORDER BY n.start, n.id;

-- name: chunks_whole
SELECT position, id, node, heading_path, first_line, last_line, start, stop, page, vector
FROM visible_chunks WHERE document = %(document)s ORDER BY position;

-- name: offers_whole
SELECT key, node, rank FROM visible_offers WHERE document = %(document)s ORDER BY key, node;
