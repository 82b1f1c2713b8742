-- name: branches_of_repository
SELECT id, name FROM branches WHERE tenant = :tenant AND repository = :repository ORDER BY id;

-- name: told_in_branch
SELECT path, told FROM document_access WHERE branch = :branch;

-- name: lines_of_branch
SELECT lines FROM access_lines WHERE branch = :branch;

-- name: set_lines
INSERT INTO access_lines (branch, lines) VALUES (:branch, :lines)
ON CONFLICT (branch) DO UPDATE SET lines = excluded.lines;

-- name: drop_lines
DELETE FROM access_lines WHERE branch = :branch;

-- name: hand_rules
SELECT path, rule FROM access_by_hand WHERE tenant = :tenant AND repository = :repository;

-- name: set_hand_rule
INSERT INTO access_by_hand (tenant, repository, path, rule)
VALUES (:tenant, :repository, :path, :rule)
ON CONFLICT (tenant, repository, path) DO UPDATE SET rule = excluded.rule;

-- name: drop_hand_rule
DELETE FROM access_by_hand
WHERE tenant = :tenant AND repository = :repository AND path = :path;

-- name: add_class
INSERT INTO access_classes (rule) VALUES (:rule) ON CONFLICT DO NOTHING;

-- name: point_document
INSERT INTO document_access (branch, path, told, class)
VALUES (:branch, :path, :told, (SELECT id FROM access_classes WHERE rule = :rule))
ON CONFLICT (branch, path) DO UPDATE SET told = excluded.told, class = excluded.class;

-- name: documents_of_tenant
-- Paths that some published snapshot holds.
SELECT b.repository, b.id, b.name, a.path, a.told, c.rule
FROM document_access AS a JOIN branches AS b ON b.id = a.branch
     JOIN access_classes AS c ON c.id = a.class
WHERE b.tenant = :tenant AND (:repository IS NULL OR b.repository = :repository)
  AND (:path IS NULL OR a.path = :path)
  AND EXISTS (SELECT 1 FROM documents AS d
              WHERE d.branch = a.branch AND d.path = a.path AND d.born <= b.newest)
ORDER BY b.repository, b.name, a.path;

-- name: people_of_tenant
SELECT id, groups, labels, clearance, rights FROM people WHERE tenant = :tenant ORDER BY id;

-- name: set_person
INSERT INTO people (tenant, id, groups, labels, clearance, rights)
VALUES (:tenant, :id, :groups, :labels, :clearance, :rights)
ON CONFLICT (tenant, id) DO UPDATE SET
    groups = excluded.groups, labels = excluded.labels,
    clearance = excluded.clearance, rights = excluded.rights;

-- name: drop_person
DELETE FROM people WHERE tenant = :tenant AND id = :id;

-- name: count_change
UPDATE meta SET value = value + 1 WHERE key = 'changes';
