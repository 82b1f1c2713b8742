-- Access rules, principals and default branches.

-- name: branches_of_repository
-- Without branches of which nothing is published.
-- row: integer text
SELECT id, name FROM branches
WHERE tenant = :tenant AND repository = :repository
  AND (newest_snapshot > 0 OR id = :writing) ORDER BY id;

-- name: default_branch
-- row: integer
SELECT branch FROM default_branches WHERE tenant = :tenant AND repository = :repository;

-- name: add_default_branch
INSERT INTO default_branches (tenant, repository, branch, checksum)
VALUES (:tenant, :repository, :branch, :checksum) ON CONFLICT DO NOTHING;

-- name: set_default_branch
INSERT INTO default_branches (tenant, repository, branch, checksum)
VALUES (:tenant, :repository, :branch, :checksum)
ON CONFLICT (tenant, repository) DO UPDATE SET
    branch = excluded.branch, checksum = excluded.checksum;

-- name: statements_of_branch
-- row: text text
SELECT path, statements FROM document_access WHERE branch = :branch;

-- name: statements_of_paths
-- row: text text
SELECT path, statements FROM document_access
WHERE branch = :branch AND path IN :paths[text];

-- name: file_rules_of_branch
-- row: text
SELECT rules FROM access_file_rules WHERE branch = :branch;

-- name: set_file_rules
INSERT INTO access_file_rules (branch, rules, checksum) VALUES (:branch, :rules, :checksum)
ON CONFLICT (branch) DO UPDATE SET rules = excluded.rules, checksum = excluded.checksum;

-- name: delete_file_rules
DELETE FROM access_file_rules WHERE branch = :branch;

-- name: manual_rules
-- row: text text
SELECT path, rule FROM manual_access_rules WHERE tenant = :tenant AND repository = :repository;

-- name: manual_rules_of_paths
-- row: text text
SELECT path, rule FROM manual_access_rules
WHERE tenant = :tenant AND repository = :repository
  AND path IN :paths[text];

-- name: manual_rules_of_tenant
-- row: text text
SELECT repository, path FROM manual_access_rules
WHERE tenant = :tenant AND (CAST(:repository AS text) IS NULL OR repository = :repository)
  AND (CAST(:path AS text) IS NULL OR path = :path)
ORDER BY repository, path;

-- name: set_manual_rule
INSERT INTO manual_access_rules (tenant, repository, path, rule, checksum)
VALUES (:tenant, :repository, :path, :rule, :checksum)
ON CONFLICT (tenant, repository, path) DO UPDATE SET
    rule = excluded.rule, checksum = excluded.checksum;

-- name: delete_manual_rule
DELETE FROM manual_access_rules
WHERE tenant = :tenant AND repository = :repository AND path = :path;

-- name: add_access_class
INSERT INTO access_classes (rule, checksum) VALUES (:rule, :checksum) ON CONFLICT DO NOTHING;

-- name: find_access_class
-- row: integer
SELECT id FROM access_classes WHERE rule = :rule;

-- name: set_document_access
INSERT INTO document_access (branch, path, statements, checksum)
VALUES (:branch, :path, :statements, :checksum)
ON CONFLICT (branch, path) DO UPDATE SET
    statements = excluded.statements, checksum = excluded.checksum;

-- name: default_statements
-- row: text
SELECT statements FROM default_statements WHERE branch = :branch;

-- name: set_default_statements
INSERT INTO default_statements (branch, statements, checksum)
VALUES (:branch, :statements, :checksum)
ON CONFLICT (branch) DO UPDATE SET statements = excluded.statements, checksum = excluded.checksum;

-- name: versions_of_paths
-- All versions of these paths, also of an ingest under way.
-- row: integer text integer integer integer integer text? integer text? integer integer integer
SELECT d.version, d.path, d.content, d.valid_from, d.valid_to, d.stated_class, s.rule,
       d.access_class, c.rule, CAST(d.valid_from <= b.newest_snapshot AS integer),
       CAST(d.valid_to > b.newest_snapshot AS integer), d.state_checksum
FROM documents AS d JOIN branches AS b ON b.id = d.branch
     LEFT JOIN access_classes AS s ON s.id = d.stated_class
     LEFT JOIN access_classes AS c ON c.id = d.access_class
WHERE d.branch = :branch AND d.path IN :paths[text]
ORDER BY d.path, d.valid_from, d.version;

-- name: ended_versions_of_paths
-- Of the other branches of the repository: what their newest snapshots do not have.
-- row: text integer text
SELECT d.path, d.content, s.rule
FROM documents AS d JOIN branches AS b ON b.id = d.branch
     JOIN access_classes AS s ON s.id = d.stated_class
WHERE b.tenant = :tenant AND b.repository = :repository AND b.id <> :branch
  AND d.path IN :paths[text] AND d.valid_to <= b.newest_snapshot;

-- name: stated_rules
-- Of the documents that the new snapshot has.
-- row: text text
SELECT d.path, s.rule FROM documents AS d JOIN access_classes AS s ON s.id = d.stated_class
WHERE d.branch = :branch AND d.valid_to = :forever;

-- name: set_version_access
UPDATE documents
SET stated_class = :stated_class, access_class = :access_class, state_checksum = :checksum
WHERE version = :version;

-- name: access_of_branch
-- Published versions, those of a path together and the newest last.
-- row: text text text integer integer
SELECT d.path, a.statements, c.rule, d.valid_from, d.valid_to
FROM documents AS d JOIN branches AS b ON b.id = d.branch
     JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
     JOIN access_classes AS c ON c.id = d.access_class
WHERE d.branch = :branch AND d.valid_from <= b.newest_snapshot
ORDER BY d.path, d.valid_from;

-- name: access_of_paths
-- row: text text text integer integer
SELECT d.path, a.statements, c.rule, d.valid_from, d.valid_to
FROM documents AS d JOIN branches AS b ON b.id = d.branch
     JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
     JOIN access_classes AS c ON c.id = d.access_class
WHERE d.branch = :branch AND d.path IN :paths[text] AND d.valid_from <= b.newest_snapshot
ORDER BY d.path, d.valid_from;

-- name: sources_of_tenant
-- row: text text text text
SELECT b.repository, b.name, coalesce(s.location, ''), coalesce(s.ref, '')
FROM branches AS b LEFT JOIN branch_sources AS s ON s.branch = b.id
WHERE b.tenant = :tenant AND b.newest_snapshot > 0
  AND (CAST(:repository AS text) IS NULL OR b.repository = :repository)
ORDER BY b.repository, b.name;

-- name: source_of_branch
-- row: text text
SELECT location, ref FROM branch_sources WHERE branch = :branch;

-- name: set_source
INSERT INTO branch_sources (branch, location, ref, checksum)
VALUES (:branch, :location, :ref, :checksum)
ON CONFLICT (branch) DO UPDATE SET
    location = excluded.location, ref = excluded.ref, checksum = excluded.checksum;

-- name: repositories_of_tenant
-- row: text
SELECT DISTINCT repository FROM branches
WHERE tenant = :tenant AND newest_snapshot > 0
  AND (CAST(:repository AS text) IS NULL OR repository = :repository)
ORDER BY repository;

-- name: rules_of_branch
-- row: text integer text
SELECT c.rule, count(*), min(d.path)
FROM branches AS b JOIN documents AS d
         ON d.branch = b.id AND d.valid_from <= b.newest_snapshot AND b.newest_snapshot < d.valid_to
     JOIN access_classes AS c ON c.id = d.access_class
WHERE b.tenant = :tenant AND b.repository = :repository AND b.name = :branch
GROUP BY c.rule ORDER BY c.rule;

-- name: principals_of_tenant
-- row: text text text integer text
SELECT id, groups, labels, clearance, rights FROM principals WHERE tenant = :tenant ORDER BY id;

-- name: find_principal
-- row: text text text integer text
SELECT id, groups, labels, clearance, rights FROM principals
WHERE tenant = :tenant AND id = :id;

-- name: set_principal
INSERT INTO principals (tenant, id, groups, labels, clearance, rights, checksum)
VALUES (:tenant, :id, :groups, :labels, :clearance, :rights, :checksum)
ON CONFLICT (tenant, id) DO UPDATE SET
    groups = excluded.groups, labels = excluded.labels, clearance = excluded.clearance,
    rights = excluded.rights, checksum = excluded.checksum;

-- name: delete_principal
DELETE FROM principals WHERE tenant = :tenant AND id = :id;
