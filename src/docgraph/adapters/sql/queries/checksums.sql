-- What checksums cover. The selected columns, but for the checksum itself, are those that it is
-- computed from, in this order: checksums.py takes them from here, for writing and for `verify`.
-- Where rows have no types, a value of another type has another checksum.

-- Of each version of a document there are two. The one in `checksum` is the sum over its rows in
-- these five tables.

-- name: documents
SELECT d.version, d.branch, d.path, d.id, c.hash, d.fingerprint, d.unresolved_calls,
       d.source_lines, d.embedding_priority, d.valid_from, d.checksum
FROM documents AS d JOIN contents AS c ON c.id = d.content WHERE d.version IN :versions[bigint];

-- name: document_nodes
SELECT version, handle, id, kind, title, summary, parent, first_line, last_line, start_offset,
       end_offset, page, signature_length
FROM document_nodes WHERE version IN :versions[bigint];

-- name: vector_chunks
SELECT version, position, id, node, heading_path, first_line, last_line, start_offset, end_offset,
       page
FROM vector_chunks WHERE version IN :versions[bigint];

-- name: definitions
SELECT version, branch, key, node_suffix, rank FROM definitions WHERE version IN :versions[bigint];

-- name: node_references
SELECT version, branch, relation, start_offset, key, inner_suffix, node_suffix, end_offset, line,
       text, miner, strict, rank, distance_weight, report_unresolved
FROM node_references WHERE version IN :versions[bigint];

-- One for each row that says what is embedded, with the rows of its vectors.

-- name: document_embeddings
SELECT version, is_complete, checksum FROM document_embeddings WHERE version IN :versions[bigint];

-- name: summary_vectors
SELECT version, handle, vector FROM summary_vectors WHERE version IN :versions[bigint];

-- name: node_vectors
SELECT version, handle, vector FROM node_vectors WHERE version IN :versions[bigint];

-- name: chunk_vectors
SELECT c.version, c.position, c.vector_id, v.hash
FROM chunk_vectors AS c JOIN vectors AS v ON v.id = c.vector_id
WHERE c.version IN :versions[bigint];

-- name: document_states
-- What may change of a version.
SELECT version, valid_to, stated_class, access_class, state_checksum FROM documents;

-- One for a segment and its postings.

-- name: segments
-- row: integer integer integer blob integer
SELECT branch, snapshot, chunk_count, arrays, checksum FROM segments
WHERE id = :segment;

-- name: postings
-- row: text blob blob
SELECT term, chunks, frequencies FROM postings WHERE segment = :segment;

-- One for each row.

-- name: vectors
SELECT space, hash, vector, checksum FROM vectors WHERE id IN :ids[bigint];

-- name: vector_spaces
SELECT tenant, embedder_digest, checksum FROM vector_spaces;

-- name: stated_relationships
SELECT branch, source, source_document, relation, target, target_document, manual, origins,
       evidence, valid_from, valid_to, checksum
FROM stated_relationships;

-- name: branches
SELECT tenant, repository, name, checksum FROM branches;

-- name: snapshots
SELECT branch, number, embedder_name, embedder_digest, dimensions, created, miners, ref, revision,
       last_embedding, content, checksum
FROM snapshots;

-- name: branch_sources
SELECT branch, location, ref, checksum FROM branch_sources;

-- name: access_classes
SELECT rule, checksum FROM access_classes;

-- name: document_access
SELECT branch, path, statements, checksum FROM document_access;

-- name: default_statements
SELECT branch, statements, checksum FROM default_statements;

-- name: access_file_rules
SELECT branch, rules, checksum FROM access_file_rules;

-- name: default_branches
SELECT tenant, repository, branch, checksum FROM default_branches;

-- name: manual_access_rules
SELECT tenant, repository, path, rule, checksum FROM manual_access_rules;

-- name: principals
SELECT tenant, id, groups, labels, clearance, rights, checksum FROM principals;

-- name: index_outbox
SELECT tenant, name, operation, versions, argument, due, checksum FROM index_outbox;

-- A text is stored under its own hash.

-- name: contents
SELECT hash, text FROM contents WHERE id IN :ids[bigint];

-- Large tables are read in pages.

-- name: next_documents
-- row: integer
SELECT version FROM documents WHERE version > :after ORDER BY version LIMIT :most;

-- name: next_embeddings
-- row: integer
SELECT DISTINCT version FROM document_embeddings WHERE version > :after
ORDER BY version LIMIT :most;

-- name: next_vectors
-- row: integer
SELECT id FROM vectors WHERE id > :after ORDER BY id LIMIT :most;

-- name: next_contents
-- row: integer
SELECT id FROM contents WHERE id > :after ORDER BY id LIMIT :most;
