-- A row in every table of the first schema, as an ingest could have written it.
INSERT INTO changes VALUES ('local', 3);
INSERT INTO branches (tenant, repository, name, newest) VALUES ('local', 'notes', 'main', 1);
INSERT INTO snapshots VALUES (1, 1, 'granite', 'abc', 3, 'now', '["links"]', 'main', 'c0ffee');
INSERT INTO access_classes (rule) VALUES ('{"tenant":"local"}');
INSERT INTO document_access VALUES (1, 'uploads.md', '[]', 1);
INSERT INTO access_lines VALUES (1, '[]');
INSERT INTO default_branches VALUES ('local', 'notes', 1);
INSERT INTO access_by_hand VALUES ('local', 'notes', 'uploads.md', '{}');
INSERT INTO people VALUES ('local', 'ann', '["ops"]', '[]', 1, '["ingest"]');
INSERT INTO contents (tenant, hash, text) VALUES ('local', 'f00d', 'A failed upload is tried again.');
INSERT INTO vector_spaces (tenant, embedder) VALUES ('local', 'granite');
INSERT INTO vectors (space, hash, vector) VALUES (1, '\xcafe', '[1,-2,3]');
INSERT INTO documents
    (branch, path, id, content, fingerprint, opaque, source_lines, born, died, class)
VALUES (1, 'uploads.md', 'notes:uploads.md', 1, 'print', 0, '[]', 1, 4611686018427387904, 1);
INSERT INTO document_nodes
VALUES (nextval('node_handles'), 1, 1, 'notes:uploads.md', 'document', 'Uploads', 'A failed upload.',
        NULL, 1, 2, 0, 31, NULL, '[4080,0,-1]');
INSERT INTO offers VALUES (1, 'path uploads.md', 1, 1, '', 0);
INSERT INTO claims
VALUES (1, 1, 'references', 5, 'path uploads.md', '', '', 1, 9, 1, 'upload', 'links', 0, 0, 0, 1);
INSERT INTO vector_chunks
VALUES (1, 0, 1, 'notes:uploads.md@0', 'notes:uploads.md', '["Uploads"]', 1, 2, 0, 31, NULL, 1);
INSERT INTO document_relationships
    (branch, source, source_document, relation, target, target_document, hand, origins, evidence,
     born, died)
VALUES (1, 'notes:uploads.md', 'notes:uploads.md', 'explains', 'notes:uploads.md',
        'notes:uploads.md', 1, '["hand"]', '[]', 1, 4611686018427387904);
INSERT INTO segments (branch, class, born, passages, nodes, documents, arrays)
VALUES (1, 1, 1, 1, 1, '{1}', '\x00ff');
INSERT INTO postings VALUES ('upload', 1, '\x0000', '\x0100');
