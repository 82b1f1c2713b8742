-- What an ingest reads and writes.

-- name: branch_of
SELECT id, newest FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: add_branch
INSERT INTO branches (tenant, repository, name) VALUES (:tenant, :repository, :name)
ON CONFLICT DO NOTHING;

-- name: newest_snapshot
SELECT s.embedder_name, s.embedder_digest, s.dimensions, s.miners, s.ref, s.revision
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch AND b.newest = s.number
WHERE b.id = :branch;

-- name: held_documents
SELECT d.path, d.fingerprint, c.hash FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.branch = :branch AND d.died = :forever ORDER BY d.path;

-- name: living_nodes
SELECT n.id FROM document_nodes AS n JOIN documents AS d ON d.ordinal = n.document
WHERE n.id IN :ids[text] AND d.branch = :branch AND d.died = :forever;

-- name: living_texts
-- Documents of the new snapshot: those written now, or those that were there before.
SELECT d.path, d.id, n.kind, n.title, c.text, d.source_lines
FROM documents AS d JOIN contents AS c ON c.id = d.content
     JOIN document_nodes AS n ON n.document = d.ordinal AND n.id = d.id
WHERE d.branch = :branch AND d.died = :forever AND (d.born = :next) = (:fresh = 1)
  AND d.path > :after
ORDER BY d.path LIMIT :most;

-- name: offered_titles
-- Titles of the new snapshot, and whether the newest one already had them.
SELECT substr(o.key, 7), max(d.born < :next)
FROM offers AS o JOIN documents AS d ON d.ordinal = o.document
WHERE o.branch = :branch AND o.key >= 'title:' AND o.key < 'title;'
  AND (d.died = :forever OR d.died = :next)
GROUP BY o.key HAVING max(d.died = :forever) = 1;

-- name: add_space
INSERT INTO vector_spaces (tenant, embedder) VALUES (:tenant, :embedder) ON CONFLICT DO NOTHING;

-- name: space_of
SELECT id FROM vector_spaces WHERE tenant = :tenant AND embedder = :embedder;

-- name: add_content
INSERT INTO contents (tenant, hash, text) VALUES (:tenant, :hash, :text) ON CONFLICT DO NOTHING;

-- name: content_ids
SELECT hash, id FROM contents
WHERE tenant = :tenant AND hash IN :hashes[text];

-- name: living_documents
-- The last column is the access group; without row-level security there is one.
SELECT path, ordinal, id, 0 FROM documents
WHERE branch = :branch AND path IN :paths[text] AND died = :forever;

-- name: next_handles
-- So many numbers for new nodes. Each dialect has its own text.

-- name: next_ordinals
-- So many numbers for new documents. Each dialect has its own text.

-- name: end_document
UPDATE documents SET died = :snapshot
WHERE branch = :branch AND path = :path AND died = :forever;

-- name: add_document
INSERT INTO documents (ordinal, branch, path, id, content, fingerprint, opaque, source_lines, born,
                       died)
VALUES (:ordinal, :branch, :path, :id, :content, :fingerprint, :opaque, :source_lines, :born,
        :died);

-- name: add_node
INSERT INTO document_nodes (handle, document, id, kind, title, summary, parent, first_line,
                            last_line, start, stop, page, vector)
VALUES (:handle, :document, :id, :kind, :title, :summary, :parent, :first_line,
        :last_line, :start, :stop, :page, :vector);

-- name: add_chunk
INSERT INTO vector_chunks (document, position, id, node, heading_path, first_line, last_line,
                           start, stop, page, vector)
VALUES (:document, :position, :id, :node, :heading_path, :first_line, :last_line,
        :start, :stop, :page, :vector);

-- name: add_offer
INSERT INTO offers (branch, key, document, suffix, rank)
VALUES (:branch, :key, :document, :suffix, :rank);

-- name: add_claim
INSERT INTO claims (document, relation, start, key, inner, suffix, branch, stop, line, says, miner,
                    strict, rank, near, reported)
VALUES (:document, :relation, :start, :key, :inner, :suffix, :branch, :stop, :line, :says, :miner,
        :strict, :rank, :near, :reported)
ON CONFLICT DO NOTHING;

-- name: places_claimed
-- Places in documents written now, by the first miner who found each: those that meet an offer,
-- and those that must be told of when they meet none.
SELECT miner, relation, sum(met), sum(reported AND NOT met)
FROM (SELECT min(c.miner) AS miner, c.relation, max(c.reported) AS reported,
             max(EXISTS (SELECT 1 FROM offers AS o JOIN documents AS t ON t.ordinal = o.document
                         WHERE o.branch = c.branch AND o.key = c.key AND t.died = :forever
                           AND (c.strict = 0 OR EXISTS
                                (SELECT 1 FROM document_nodes AS n
                                 WHERE n.id = t.id || o.suffix || c.inner
                                   AND n.document = t.ordinal)))) AS met
      FROM claims AS c JOIN documents AS d ON d.ordinal = c.document
      WHERE d.branch = :branch AND d.born = :next AND d.died = :forever
        AND c.miner IN :miners[text] AND c.relation <> 'shares_entity'
      GROUP BY c.document, c.relation, c.start, c.stop) AS places
GROUP BY miner, relation HAVING max(met) OR max(reported) ORDER BY miner, relation;

-- name: places_unmet
SELECT path, line, relation || ' ' || min(says)
FROM (SELECT d.path, c.line, c.relation, c.start, c.stop, c.says, c.document, c.reported,
             EXISTS (SELECT 1 FROM offers AS o JOIN documents AS t ON t.ordinal = o.document
                     WHERE o.branch = c.branch AND o.key = c.key AND t.died = :forever
                       AND (c.strict = 0 OR EXISTS
                            (SELECT 1 FROM document_nodes AS n
                             WHERE n.id = t.id || o.suffix || c.inner
                               AND n.document = t.ordinal))) AS met
      FROM claims AS c JOIN documents AS d ON d.ordinal = c.document
      WHERE d.branch = :branch AND d.born = :next AND d.died = :forever
        AND c.miner IN :miners[text] AND c.relation = :relation) AS places
GROUP BY document, start, stop HAVING max(reported) AND NOT max(met)
ORDER BY path, line, start LIMIT :most;

-- name: opaque_calls
SELECT CAST(coalesce(sum(opaque), 0) AS bigint) FROM documents
WHERE branch = :branch AND born = :next AND died = :forever;

-- name: living_relationships
SELECT id, source, relation, target, origins, evidence FROM document_relationships
WHERE branch = :branch AND hand = :hand AND died = :forever;

-- name: end_relationship
UPDATE document_relationships SET died = :snapshot WHERE id = :id;

-- name: drop_relationships_born_now
-- What was written under the unpublished snapshot and is written again was never there.
DELETE FROM document_relationships
WHERE branch = :branch AND hand = :hand AND died = :forever AND born = :snapshot
  AND source = :source AND relation = :relation AND target = :target;

-- name: drop_given_born_now
DELETE FROM document_relationships WHERE branch = :branch AND hand = 0 AND born = :snapshot;

-- name: end_hand_relationship
UPDATE document_relationships SET died = :snapshot
WHERE branch = :branch AND hand = 1 AND died = :forever
  AND source = :source AND relation = :relation AND target = :target;

-- name: add_relationship
INSERT INTO document_relationships (branch, source, source_document, relation, target,
                                    target_document, hand, origins, evidence, born, died)
VALUES (:branch, :source, :source_document, :relation, :target,
        :target_document, :hand, :origins, :evidence, :born, :forever);

-- name: add_snapshot
INSERT INTO snapshots (branch, number, embedder_name, embedder_digest, dimensions, created,
                       miners, ref, revision)
VALUES (:branch, :number, :embedder_name, :embedder_digest, :dimensions, :created,
        :miners, :ref, :revision);

-- name: set_newest
UPDATE branches SET newest = :number WHERE id = :branch;

-- name: keep_classes
-- There is one writer at a time.
SELECT 1;

-- name: count_change
-- Every change of a tenant begins with this. Each dialect has its own text.

-- name: count_access_change
-- After `count_change`: a document's class changed, or a snapshot was removed, so readers load
-- versions anew. Each dialect has its own text.

-- name: drop_postings_of_unpublished
DELETE FROM postings WHERE segment IN
    (SELECT id FROM segments WHERE branch = :branch AND born > :newest);

-- name: drop_unpublished_segments
DELETE FROM segments WHERE branch = :branch AND born > :newest;

-- name: drop_chunks_of_unpublished
DELETE FROM vector_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND born > :newest);

-- name: drop_offers_of_unpublished
DELETE FROM offers WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND born > :newest);

-- name: drop_claims_of_unpublished
DELETE FROM claims WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND born > :newest);

-- name: drop_nodes_of_unpublished
DELETE FROM document_nodes WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND born > :newest);

-- name: drop_unpublished_documents
DELETE FROM documents WHERE branch = :branch AND born > :newest;

-- name: revive_documents
UPDATE documents SET died = :forever WHERE branch = :branch AND died > :newest AND died < :forever;

-- name: drop_unpublished_relationships
DELETE FROM document_relationships WHERE branch = :branch AND born > :newest;

-- name: revive_relationships
UPDATE document_relationships SET died = :forever
WHERE branch = :branch AND died > :newest AND died < :forever;
