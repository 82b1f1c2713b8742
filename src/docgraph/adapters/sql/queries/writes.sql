-- What an ingest reads and writes.

-- name: find_branch
-- row: integer integer
SELECT id, newest_snapshot FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: add_branch
INSERT INTO branches (tenant, repository, name, checksum)
VALUES (:tenant, :repository, :name, :checksum) ON CONFLICT DO NOTHING;

-- name: newest_snapshot
-- row: text text integer text text text integer integer
SELECT s.embedder_name, s.embedder_digest, s.dimensions, s.miners, s.ref, s.revision,
       s.last_embedding, s.content
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch AND b.newest_snapshot = s.number
WHERE b.id = :branch;

-- name: stored_documents
-- row: text text text
SELECT d.path, d.fingerprint, c.hash FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.branch = :branch AND d.valid_to = :forever ORDER BY d.path;

-- name: current_nodes
-- row: text
SELECT n.id FROM document_nodes AS n JOIN documents AS d ON d.version = n.version
WHERE n.id IN :ids[text] AND d.branch = :branch AND d.valid_to = :forever;

-- name: current_texts
-- Documents of the new snapshot: those written now, or those that were there before.
-- row: text text text text text text
SELECT d.path, d.id, n.kind, n.title, c.text, d.source_lines
FROM documents AS d JOIN contents AS c ON c.id = d.content
     JOIN document_nodes AS n ON n.version = d.version AND n.id = d.id
WHERE d.branch = :branch AND d.valid_to = :forever AND (d.valid_from = :next) = (:fresh = 1)
  AND d.path > :after
ORDER BY d.path LIMIT :most;

-- name: current_titles
-- Titles of the new snapshot, and whether the newest one already had them.
-- row: text integer
SELECT substr(def.key, 7), max(d.valid_from < :next)
FROM definitions AS def JOIN documents AS d ON d.version = def.version
WHERE def.branch = :branch AND def.key >= 'title:' AND def.key < 'title;'
  AND (d.valid_to = :forever OR d.valid_to = :next)
GROUP BY def.key HAVING max(d.valid_to = :forever) = 1;

-- name: add_space
INSERT INTO vector_spaces (tenant, embedder_digest, checksum)
VALUES (:tenant, :embedder_digest, :checksum) ON CONFLICT DO NOTHING;

-- name: find_space
-- row: integer
SELECT id FROM vector_spaces WHERE tenant = :tenant AND embedder_digest = :embedder_digest;

-- name: add_content
-- A text once for each tenant. Each dialect has its own text.

-- name: content_ids
-- row: text integer
SELECT hash, id FROM contents
WHERE tenant = :tenant AND hash IN :hashes[text];

-- name: current_documents
-- The last column is the access class of the rows; without row-level security they have none.
-- row: text integer integer
SELECT path, version, 0 FROM documents
WHERE branch = :branch AND path IN :paths[text] AND valid_to = :forever;

-- name: next_handles
-- Numbers for `many` new nodes. Each dialect has its own text.
-- row: integer

-- name: next_versions
-- Numbers for `many` new versions of documents. Each dialect has its own text.
-- row: integer

-- name: current_states
-- Of the versions of these paths that have not ended.
-- row: integer integer integer integer integer
SELECT version, valid_to, stated_class, access_class, state_checksum FROM documents
WHERE branch = :branch AND path IN :paths[text] AND valid_to = :forever;

-- name: set_valid_to
UPDATE documents SET valid_to = :valid_to, state_checksum = :checksum WHERE version = :version;

-- name: add_document
INSERT INTO documents (version, branch, path, id, content, fingerprint, unresolved_calls,
                       source_lines, embedding_priority, valid_from, valid_to, stated_class,
                       access_class, checksum, state_checksum)
VALUES (:version, :branch, :path, :id, :content, :fingerprint, :unresolved_calls, :source_lines,
        :embedding_priority, :valid_from, :valid_to, :stated_class, :access_class, :checksum,
        :state_checksum);

-- name: add_node
INSERT INTO document_nodes (handle, version, id, kind, title, summary, parent, first_line,
                            last_line, start_offset, end_offset, page, signature_length)
VALUES (:handle, :version, :id, :kind, :title, :summary, :parent, :first_line,
        :last_line, :start_offset, :end_offset, :page, :signature_length);

-- name: add_chunk
INSERT INTO vector_chunks (version, position, id, node, heading_path, first_line, last_line,
                           start_offset, end_offset, page)
VALUES (:version, :position, :id, :node, :heading_path, :first_line, :last_line,
        :start_offset, :end_offset, :page);

-- name: add_definition
INSERT INTO definitions (branch, key, version, node_suffix, rank)
VALUES (:branch, :key, :version, :node_suffix, :rank);

-- name: add_reference
INSERT INTO node_references (version, relation, start_offset, key, inner_suffix, node_suffix,
                             branch, end_offset, line, text, miner, strict, rank,
                             distance_weight, report_unresolved)
VALUES (:version, :relation, :start_offset, :key, :inner_suffix, :node_suffix, :branch, :end_offset,
        :line, :text, :miner, :strict, :rank, :distance_weight, :report_unresolved)
ON CONFLICT DO NOTHING;

-- name: references_of_versions
-- row: integer text integer text text text text
SELECT version, relation, start_offset, key, inner_suffix, node_suffix, miner
FROM node_references WHERE version IN :versions[bigint];

-- name: add_to_checksum
UPDATE documents SET checksum = checksum + :added WHERE version = :version;

-- name: count_references
-- Positions in documents written now, by the first miner that found each: those with a definition,
-- and those without one that are reported.
-- row: text text integer integer
SELECT miner, relation, sum(resolved), sum(report_unresolved AND NOT resolved)
FROM (SELECT min(ref.miner) AS miner, ref.relation, max(ref.report_unresolved) AS report_unresolved,
             max(EXISTS (SELECT 1 FROM definitions AS def
                              JOIN documents AS t ON t.version = def.version
                         WHERE def.branch = ref.branch AND def.key = ref.key
                           AND t.valid_to = :forever
                           AND (ref.strict = 0 OR EXISTS
                                (SELECT 1 FROM document_nodes AS n
                                 WHERE n.id = t.id || def.node_suffix || ref.inner_suffix
                                   AND n.version = t.version)))) AS resolved
      FROM node_references AS ref JOIN documents AS d ON d.version = ref.version
      WHERE d.branch = :branch AND d.valid_from = :next AND d.valid_to = :forever
        AND ref.miner IN :miners[text] AND ref.relation <> 'shares_entity'
      GROUP BY ref.version, ref.relation, ref.start_offset, ref.end_offset) AS positions
GROUP BY miner, relation HAVING max(resolved) OR max(report_unresolved) ORDER BY miner, relation;

-- name: unresolved_references
-- row: text integer text
SELECT path, line, relation || ' ' || min(text)
FROM (SELECT d.path, ref.line, ref.relation, ref.start_offset, ref.end_offset, ref.text,
             ref.version, ref.report_unresolved,
             EXISTS (SELECT 1 FROM definitions AS def JOIN documents AS t ON t.version = def.version
                     WHERE def.branch = ref.branch AND def.key = ref.key AND t.valid_to = :forever
                       AND (ref.strict = 0 OR EXISTS
                            (SELECT 1 FROM document_nodes AS n
                             WHERE n.id = t.id || def.node_suffix || ref.inner_suffix
                               AND n.version = t.version))) AS resolved
      FROM node_references AS ref JOIN documents AS d ON d.version = ref.version
      WHERE d.branch = :branch AND d.valid_from = :next AND d.valid_to = :forever
        AND ref.miner IN :miners[text] AND ref.relation = :relation) AS positions
GROUP BY version, start_offset, end_offset HAVING max(report_unresolved) AND NOT max(resolved)
ORDER BY path, line, start_offset LIMIT :most;

-- name: count_unresolved_calls
-- row: integer
SELECT CAST(coalesce(sum(unresolved_calls), 0) AS bigint) FROM documents
WHERE branch = :branch AND valid_from = :next AND valid_to = :forever;

-- name: current_relationships
-- row: integer integer text text text text text integer text text integer integer integer
SELECT id, branch, source, source_document, relation, target, target_document, manual, origins,
       evidence, valid_from, valid_to, checksum
FROM stated_relationships WHERE branch = :branch AND manual = 0 AND valid_to = :forever;

-- name: current_manual_relationship
-- row: integer integer text text text text text integer text text integer integer integer
SELECT id, branch, source, source_document, relation, target, target_document, manual, origins,
       evidence, valid_from, valid_to, checksum
FROM stated_relationships
WHERE branch = :branch AND manual = 1 AND valid_to = :forever
  AND source = :source AND relation = :relation AND target = :target;

-- name: set_relationship_valid_to
UPDATE stated_relationships SET valid_to = :valid_to, checksum = :checksum WHERE id = :id;

-- name: delete_pending_relationship
-- Written under the unpublished snapshot, and about to be written again.
DELETE FROM stated_relationships
WHERE branch = :branch AND manual = :manual AND valid_to = :forever AND valid_from = :snapshot
  AND source = :source AND relation = :relation AND target = :target;

-- name: delete_pending_imported
DELETE FROM stated_relationships WHERE branch = :branch AND manual = 0 AND valid_from = :snapshot;

-- name: add_relationship
INSERT INTO stated_relationships (branch, source, source_document, relation, target,
                                    target_document, manual, origins, evidence, valid_from,
                                    valid_to, checksum)
VALUES (:branch, :source, :source_document, :relation, :target, :target_document, :manual,
        :origins, :evidence, :valid_from, :valid_to, :checksum);

-- name: add_snapshot
INSERT INTO snapshots (branch, number, embedder_name, embedder_digest, dimensions, created,
                       miners, ref, revision, last_embedding, content, checksum)
VALUES (:branch, :number, :embedder_name, :embedder_digest, :dimensions, :created,
        :miners, :ref, :revision, :last_embedding, :content, :checksum);

-- name: set_newest
UPDATE branches SET newest_snapshot = :number WHERE id = :branch;

-- name: lock_access_classes
-- There is one writer at a time.
-- row: integer
SELECT 1;

-- name: increment_changes
-- Every change of a tenant begins with this: it draws a random token, by which caches know the
-- state, also where a backup is restored and counts on. Each dialect has its own text.

-- name: increment_access_changes
-- After `increment_changes`: a document's class changed, or a snapshot was removed, so readers load
-- versions anew.
UPDATE change_counts SET access_changes = access_changes + 1 WHERE tenant = :tenant;

-- What is embedded, and what is not yet.

-- name: pending_documents
-- Versions of the new snapshot that are not completely embedded: how many texts, how many characters,
-- and whether the summary is embedded.
-- row: integer text integer integer integer integer
SELECT d.version, d.path, d.embedding_priority,
       (SELECT count(*) FROM document_nodes AS n WHERE n.version = d.version)
       + (SELECT count(*) FROM vector_chunks AS c WHERE c.version = d.version),
       (SELECT CAST(coalesce(max(n.end_offset), 0) AS bigint) FROM document_nodes AS n
        WHERE n.version = d.version),
       (SELECT count(*) FROM document_embeddings AS e WHERE e.version = d.version)
FROM documents AS d
WHERE d.branch = :branch AND d.valid_to = :forever
  AND NOT EXISTS (SELECT 1 FROM document_embeddings AS e
                  WHERE e.version = d.version AND e.is_complete = 1)
ORDER BY d.path;

-- name: embedding_counts
-- Of the newest snapshot: documents, those with a vector of their summary or of everything, those
-- with all vectors; chunks, and those with a vector.
-- row: integer integer integer integer integer
SELECT count(*), CAST(coalesce(sum(CASE WHEN v.embedded > 0 THEN 1 ELSE 0 END), 0) AS bigint),
       CAST(coalesce(sum(v.complete), 0) AS bigint), CAST(coalesce(sum(v.chunks), 0) AS bigint),
       CAST(coalesce(sum(v.chunks * v.complete), 0) AS bigint)
FROM (SELECT (SELECT count(*) FROM document_embeddings AS e
              WHERE e.version = d.version AND e.id <= s.last_embedding) AS embedded,
             (SELECT count(*) FROM document_embeddings AS e
              WHERE e.version = d.version AND e.id <= s.last_embedding AND e.is_complete = 1)
                  AS complete,
             (SELECT count(*) FROM vector_chunks AS c WHERE c.version = d.version) AS chunks
      FROM documents AS d JOIN branches AS b ON b.id = d.branch
           JOIN snapshots AS s ON s.branch = b.id AND s.number = b.newest_snapshot
      WHERE d.branch = :branch AND d.valid_from <= b.newest_snapshot
        AND d.valid_to > b.newest_snapshot) AS v;

-- name: unembedded_versions
-- Those of these versions that the new snapshot has and that have no such row.
-- row: integer
SELECT d.version FROM documents AS d
WHERE d.version IN :versions[bigint] AND d.branch = :branch AND d.valid_to = :forever
  AND NOT EXISTS (SELECT 1 FROM document_embeddings AS e
                  WHERE e.version = d.version AND e.is_complete >= :complete);

-- name: unembedded_branches
-- Of which the newest snapshot has documents that are not completely embedded.
-- row: text text text
SELECT b.tenant, b.repository, b.name FROM branches AS b
WHERE EXISTS (SELECT 1 FROM documents AS d JOIN snapshots AS s
                  ON s.branch = b.id AND s.number = b.newest_snapshot
              WHERE d.branch = b.id AND d.valid_from <= s.number AND d.valid_to > s.number
                AND NOT EXISTS (SELECT 1 FROM document_embeddings AS e
                                WHERE e.version = d.version AND e.is_complete = 1
                                  AND e.id <= s.last_embedding))
ORDER BY b.tenant, b.repository, b.name;

-- name: lives_of_versions
-- row: integer integer integer integer integer
SELECT version, branch, valid_from, valid_to, access_class FROM documents
WHERE version IN :versions[bigint];

-- name: texts_of_versions
-- row: integer text text
SELECT d.version, d.path, c.text FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.version IN :versions[bigint];

-- name: nodes_of_versions
-- row: integer integer text text text text text? integer integer integer integer integer? integer
SELECT version, handle, id, kind, title, summary, parent, first_line, last_line, start_offset,
       end_offset, page, signature_length
FROM document_nodes WHERE version IN :versions[bigint] ORDER BY version, handle;

-- name: chunks_of_versions
-- row: integer integer text text text integer integer integer integer integer?
SELECT version, position, id, node, heading_path, first_line, last_line, start_offset, end_offset,
       page
FROM vector_chunks WHERE version IN :versions[bigint] ORDER BY version, position;

-- name: summary_vectors_of_versions
-- row: integer blob
SELECT version, vector FROM summary_vectors WHERE version IN :versions[bigint];

-- name: add_embedding
INSERT INTO document_embeddings (version, is_complete, checksum)
VALUES (:version, :is_complete, :checksum);

-- name: add_summary_vector
INSERT INTO summary_vectors (version, handle, vector) VALUES (:version, :handle, :vector);

-- name: add_node_vector
INSERT INTO node_vectors (handle, version, vector) VALUES (:handle, :version, :vector);

-- name: add_chunk_vector
INSERT INTO chunk_vectors (version, position, vector_id) VALUES (:version, :position, :vector_id);

-- name: last_embedding
-- Of versions of the branch, after this one.
-- row: integer
SELECT CAST(coalesce(max(e.id), :after) AS bigint)
FROM document_embeddings AS e JOIN documents AS d ON d.version = e.version
WHERE e.id > :after AND d.branch = :branch;

-- name: delete_unpublished_postings
DELETE FROM postings WHERE segment IN
    (SELECT id FROM segments WHERE branch = :branch AND snapshot > :newest);

-- name: delete_unpublished_segments
DELETE FROM segments WHERE branch = :branch AND snapshot > :newest;

-- name: delete_unpublished_chunk_vectors
DELETE FROM chunk_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_node_vectors
DELETE FROM node_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_summary_vectors
DELETE FROM summary_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_embeddings
DELETE FROM document_embeddings WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_chunks
DELETE FROM vector_chunks WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_definitions
DELETE FROM definitions WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_references
DELETE FROM node_references WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_nodes
DELETE FROM document_nodes WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_from > :newest);

-- name: delete_unpublished_documents
DELETE FROM documents WHERE branch = :branch AND valid_from > :newest;

-- name: ended_states
-- Of versions that an ingest which did not finish has ended.
-- row: integer integer integer integer integer
SELECT version, valid_to, stated_class, access_class, state_checksum FROM documents
WHERE branch = :branch AND valid_to > :newest AND valid_to < :forever;

-- name: delete_unpublished_relationships
DELETE FROM stated_relationships WHERE branch = :branch AND valid_from > :newest;

-- name: ended_relationships
-- row: integer integer text text text text text integer text text integer integer integer
SELECT id, branch, source, source_document, relation, target, target_document, manual, origins,
       evidence, valid_from, valid_to, checksum
FROM stated_relationships
WHERE branch = :branch AND valid_to > :newest AND valid_to < :forever;
