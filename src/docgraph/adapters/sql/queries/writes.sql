-- What an ingest reads and writes.

-- name: find_branch
-- row: integer integer
SELECT id, newest_snapshot FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: add_branch
INSERT INTO branches (tenant, repository, name, checksum)
VALUES (:tenant, :repository, :name, :checksum) ON CONFLICT DO NOTHING;

-- name: newest_snapshot
-- row: text text integer text text text
SELECT s.embedder_name, s.embedder_digest, s.dimensions, s.miners, s.ref, s.revision
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
                       source_lines, valid_from, valid_to, stated_class, access_class, checksum,
                       state_checksum)
VALUES (:version, :branch, :path, :id, :content, :fingerprint, :unresolved_calls, :source_lines,
        :valid_from, :valid_to, :stated_class, :access_class, :checksum, :state_checksum);

-- name: add_node
INSERT INTO document_nodes (handle, version, id, kind, title, summary, parent, first_line,
                            last_line, start_offset, end_offset, page, vector)
VALUES (:handle, :version, :id, :kind, :title, :summary, :parent, :first_line,
        :last_line, :start_offset, :end_offset, :page, :vector);

-- name: add_chunk
INSERT INTO vector_chunks (version, position, id, node, heading_path, first_line, last_line,
                           start_offset, end_offset, page, vector_id)
VALUES (:version, :position, :id, :node, :heading_path, :first_line, :last_line,
        :start_offset, :end_offset, :page, :vector_id);

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
                       miners, ref, revision, checksum)
VALUES (:branch, :number, :embedder_name, :embedder_digest, :dimensions, :created,
        :miners, :ref, :revision, :checksum);

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

-- name: delete_unpublished_postings
DELETE FROM postings WHERE segment IN
    (SELECT id FROM segments WHERE branch = :branch AND snapshot > :newest);

-- name: delete_unpublished_segments
DELETE FROM segments WHERE branch = :branch AND snapshot > :newest;

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
