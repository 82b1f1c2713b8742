-- name: branch_of
SELECT id, newest FROM branches WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: add_branch
INSERT INTO branches (tenant, repository, name) VALUES (:tenant, :repository, :name)
ON CONFLICT DO NOTHING;

-- name: embedder_of_newest
SELECT s.embedder_name, s.embedder_digest, s.dimensions
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch AND b.newest = s.number
WHERE b.id = :branch;

-- name: held_documents
SELECT path, fingerprint FROM documents WHERE branch = :branch AND died = :forever ORDER BY path;

-- name: texts_of_branch
SELECT d.path, c.text FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.branch = :branch AND d.died = :forever ORDER BY d.path;

-- name: stored_vectors
SELECT hash, vector FROM vectors
WHERE tenant = :tenant AND embedder = :embedder
  AND hash IN (SELECT value FROM json_each(:hashes));

-- name: add_vector
INSERT INTO vectors (tenant, embedder, hash, vector) VALUES (:tenant, :embedder, :hash, :vector)
ON CONFLICT DO NOTHING;

-- name: vector_ids
SELECT hash, id FROM vectors
WHERE tenant = :tenant AND embedder = :embedder
  AND hash IN (SELECT value FROM json_each(:hashes));

-- name: add_content
INSERT INTO contents (tenant, hash, text) VALUES (:tenant, :hash, :text) ON CONFLICT DO NOTHING;

-- name: content_id
SELECT id FROM contents WHERE tenant = :tenant AND hash = :hash;

-- name: end_document
UPDATE documents SET died = :snapshot
WHERE branch = :branch AND path = :path AND died = :forever;

-- name: add_document
INSERT INTO documents (branch, path, id, content, fingerprint, born, died)
VALUES (:branch, :path, :id, :content, :fingerprint, :born, :forever);

-- name: add_node
INSERT INTO document_nodes (document, id, kind, title, summary, parent, first_line, last_line,
                            start, stop, page, vector)
VALUES (:document, :id, :kind, :title, :summary, :parent, :first_line, :last_line,
        :start, :stop, :page, :vector);

-- name: add_name
INSERT INTO defined_names (name, document, node) VALUES (:name, :document, :node)
ON CONFLICT DO NOTHING;

-- name: add_chunk
INSERT INTO vector_chunks (document, position, id, node, heading_path, first_line, last_line,
                           start, stop, page, vector)
VALUES (:document, :position, :id, :node, :heading_path, :first_line, :last_line,
        :start, :stop, :page, :vector);

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

-- name: drop_mined_born_now
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

-- name: add_segment
INSERT INTO segments (branch, born, passages, nodes, arrays)
VALUES (:branch, :born, :passages, :nodes, :arrays);

-- name: add_postings
INSERT INTO postings (term, segment, passages, frequencies)
VALUES (:term, :segment, :passages, :frequencies);

-- name: segments_of_branch
SELECT id, passages, nodes FROM segments WHERE branch = :branch ORDER BY passages, id;

-- name: arrays_of_segment
SELECT arrays FROM segments WHERE id = :segment;

-- name: postings_of_segments
SELECT term, segment, passages, frequencies FROM postings
WHERE segment IN (SELECT value FROM json_each(:segments)) ORDER BY term, segment;

-- name: drop_postings
DELETE FROM postings WHERE segment IN (SELECT value FROM json_each(:segments));

-- name: drop_segments
DELETE FROM segments WHERE id IN (SELECT value FROM json_each(:segments));

-- name: add_class
INSERT INTO access_classes (rule) VALUES (:rule) ON CONFLICT DO NOTHING;

-- name: point_document
INSERT INTO document_access (branch, path, class)
VALUES (:branch, :path, (SELECT id FROM access_classes WHERE rule = :rule))
ON CONFLICT (branch, path) DO UPDATE SET class = excluded.class;

-- name: rules_of_branch
SELECT a.path, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = :branch;

-- name: add_snapshot
INSERT INTO snapshots (branch, number, embedder_name, embedder_digest, dimensions, created)
VALUES (:branch, :number, :embedder_name, :embedder_digest, :dimensions, :created);

-- name: set_newest
UPDATE branches SET newest = :number WHERE id = :branch;

-- name: count_change
UPDATE meta SET value = value + 1 WHERE key = 'changes';

-- name: drop_postings_of_unpublished
DELETE FROM postings WHERE segment IN
    (SELECT id FROM segments WHERE branch = :branch AND born > :newest);

-- name: drop_unpublished_segments
DELETE FROM segments WHERE branch = :branch AND born > :newest;

-- name: drop_chunks_of_unpublished
DELETE FROM vector_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND born > :newest);

-- name: drop_names_of_unpublished
DELETE FROM defined_names WHERE document IN
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
