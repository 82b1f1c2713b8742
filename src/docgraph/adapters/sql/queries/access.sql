-- Access rules, people and default branches.

-- name: branches_of_repository
-- A branch of which nothing was published says nothing.
SELECT id, name FROM branches
WHERE tenant = :tenant AND repository = :repository AND (newest > 0 OR id = :writing) ORDER BY id;

-- name: default_branch
SELECT branch FROM default_branches WHERE tenant = :tenant AND repository = :repository;

-- name: pin_default_branch
INSERT INTO default_branches (tenant, repository, branch) VALUES (:tenant, :repository, :branch)
ON CONFLICT DO NOTHING;

-- name: set_default_branch
INSERT INTO default_branches (tenant, repository, branch) VALUES (:tenant, :repository, :branch)
ON CONFLICT (tenant, repository) DO UPDATE SET branch = excluded.branch;

-- name: told_in_branch
SELECT path, told FROM document_access WHERE branch = :branch;

-- name: told_of_paths
SELECT path, told FROM document_access
WHERE branch = :branch AND path IN :paths[text];

-- name: lines_of_branch
SELECT lines FROM access_lines WHERE branch = :branch;

-- name: set_lines
INSERT INTO access_lines (branch, lines) VALUES (:branch, :lines)
ON CONFLICT (branch) DO UPDATE SET lines = excluded.lines;

-- name: drop_lines
DELETE FROM access_lines WHERE branch = :branch;

-- name: hands
SELECT path, hand FROM access_by_hand WHERE tenant = :tenant AND repository = :repository;

-- name: hands_of_paths
SELECT path, hand FROM access_by_hand
WHERE tenant = :tenant AND repository = :repository
  AND path IN :paths[text];

-- name: hands_of_tenant
SELECT repository, path FROM access_by_hand
WHERE tenant = :tenant AND (CAST(:repository AS text) IS NULL OR repository = :repository)
  AND (CAST(:path AS text) IS NULL OR path = :path)
ORDER BY repository, path;

-- name: set_hand
INSERT INTO access_by_hand (tenant, repository, path, hand)
VALUES (:tenant, :repository, :path, :hand)
ON CONFLICT (tenant, repository, path) DO UPDATE SET hand = excluded.hand;

-- name: drop_hand
DELETE FROM access_by_hand
WHERE tenant = :tenant AND repository = :repository AND path = :path;

-- name: add_class
INSERT INTO access_classes (rule) VALUES (:rule) ON CONFLICT DO NOTHING;

-- name: class_of
SELECT id FROM access_classes WHERE rule = :rule;

-- name: point_document
INSERT INTO document_access (branch, path, told, class) VALUES (:branch, :path, :told, :class)
ON CONFLICT (branch, path) DO UPDATE SET told = excluded.told, class = excluded.class;

-- name: paths_of_branch
-- Paths that some published snapshot holds.
SELECT a.path, a.told, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = :branch
  AND EXISTS (SELECT 1 FROM documents AS d JOIN branches AS b ON b.id = d.branch
              WHERE d.branch = a.branch AND d.path = a.path AND d.born <= b.newest)
ORDER BY a.path;

-- name: some_of_branch
SELECT a.path, a.told, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = :branch AND a.path IN :paths[text]
  AND EXISTS (SELECT 1 FROM documents AS d JOIN branches AS b ON b.id = d.branch
              WHERE d.branch = a.branch AND d.path = a.path AND d.born <= b.newest);

-- name: repositories_of_tenant
SELECT DISTINCT repository FROM branches
WHERE tenant = :tenant AND newest > 0
  AND (CAST(:repository AS text) IS NULL OR repository = :repository)
ORDER BY repository;

-- name: rules_of_branch
SELECT c.rule, count(*), min(d.path)
FROM branches AS b JOIN documents AS d
         ON d.branch = b.id AND d.born <= b.newest AND b.newest < d.died
     JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
     JOIN access_classes AS c ON c.id = a.class
WHERE b.tenant = :tenant AND b.repository = :repository AND b.name = :branch
GROUP BY c.rule ORDER BY c.rule;

-- name: people_of_tenant
SELECT id, groups, labels, clearance, rights FROM people WHERE tenant = :tenant ORDER BY id;

-- name: person_of_tenant
SELECT id, groups, labels, clearance, rights FROM people
WHERE tenant = :tenant AND id = :id;

-- name: set_person
INSERT INTO people (tenant, id, groups, labels, clearance, rights)
VALUES (:tenant, :id, :groups, :labels, :clearance, :rights)
ON CONFLICT (tenant, id) DO UPDATE SET
    groups = excluded.groups, labels = excluded.labels,
    clearance = excluded.clearance, rights = excluded.rights;

-- name: drop_person
DELETE FROM people WHERE tenant = :tenant AND id = :id;

-- name: classes_of_paths
SELECT path, class FROM document_access WHERE branch = :branch AND path IN :paths[text];
