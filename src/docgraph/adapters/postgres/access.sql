-- name: branches_of_repository
-- A branch of which nothing was published says nothing.
SELECT id, name FROM branches
WHERE tenant = %(tenant)s AND repository = %(repository)s AND (newest > 0 OR id = %(writing)s) ORDER BY id;

-- name: default_branch
SELECT branch FROM default_branches WHERE tenant = %(tenant)s AND repository = %(repository)s;

-- name: pin_default_branch
INSERT INTO default_branches (tenant, repository, branch) VALUES (%(tenant)s, %(repository)s, %(branch)s)
ON CONFLICT DO NOTHING;

-- name: set_default_branch
INSERT INTO default_branches (tenant, repository, branch) VALUES (%(tenant)s, %(repository)s, %(branch)s)
ON CONFLICT (tenant, repository) DO UPDATE SET branch = excluded.branch;

-- name: told_in_branch
SELECT path, told FROM document_access WHERE branch = %(branch)s;

-- name: told_of_paths
SELECT path, told FROM document_access
WHERE branch = %(branch)s AND path = ANY (%(paths)s::text[]);

-- name: lines_of_branch
SELECT lines FROM access_lines WHERE branch = %(branch)s;

-- name: set_lines
INSERT INTO access_lines (branch, lines) VALUES (%(branch)s, %(lines)s)
ON CONFLICT (branch) DO UPDATE SET lines = excluded.lines;

-- name: drop_lines
DELETE FROM access_lines WHERE branch = %(branch)s;

-- name: hands
SELECT path, hand FROM access_by_hand WHERE tenant = %(tenant)s AND repository = %(repository)s;

-- name: hands_of_paths
SELECT path, hand FROM access_by_hand
WHERE tenant = %(tenant)s AND repository = %(repository)s
  AND path = ANY (%(paths)s::text[]);

-- name: hands_of_tenant
SELECT repository, path FROM access_by_hand
WHERE tenant = %(tenant)s AND (%(repository)s::text IS NULL OR repository = %(repository)s)
  AND (%(path)s::text IS NULL OR path = %(path)s)
ORDER BY repository, path;

-- name: set_hand
INSERT INTO access_by_hand (tenant, repository, path, hand)
VALUES (%(tenant)s, %(repository)s, %(path)s, %(hand)s)
ON CONFLICT (tenant, repository, path) DO UPDATE SET hand = excluded.hand;

-- name: drop_hand
DELETE FROM access_by_hand
WHERE tenant = %(tenant)s AND repository = %(repository)s AND path = %(path)s;

-- name: add_class
INSERT INTO access_classes (rule) VALUES (%(rule)s) ON CONFLICT DO NOTHING;

-- name: class_of
SELECT id FROM access_classes WHERE digest = md5(%(rule)s) AND rule = %(rule)s;

-- name: point_document
INSERT INTO document_access (branch, path, told, class)
SELECT * FROM unnest(%(branch)b::integer[], %(path)b::text[], %(told)b::text[], %(class)b::integer[])
ON CONFLICT (branch, path) DO UPDATE SET told = excluded.told, class = excluded.class;

-- name: paths_of_branch
-- Paths that some published snapshot holds.
SELECT a.path, a.told, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = %(branch)s
  AND EXISTS (SELECT 1 FROM documents AS d JOIN branches AS b ON b.id = d.branch
              WHERE d.branch = a.branch AND d.path = a.path AND d.born <= b.newest)
ORDER BY a.path;

-- name: some_of_branch
SELECT a.path, a.told, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = %(branch)s AND a.path = ANY (%(paths)s::text[])
  AND EXISTS (SELECT 1 FROM documents AS d JOIN branches AS b ON b.id = d.branch
              WHERE d.branch = a.branch AND d.path = a.path AND d.born <= b.newest);

-- name: repositories_of_tenant
SELECT DISTINCT repository FROM branches
WHERE tenant = %(tenant)s AND newest > 0 AND (%(repository)s::text IS NULL OR repository = %(repository)s)
ORDER BY repository;

-- name: rules_of_branch
SELECT c.rule, count(*), min(d.path)
FROM branches AS b JOIN documents AS d
         ON d.branch = b.id AND d.born <= b.newest AND b.newest < d.died
     JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
     JOIN access_classes AS c ON c.id = a.class
WHERE b.tenant = %(tenant)s AND b.repository = %(repository)s AND b.name = %(branch)s
GROUP BY c.rule ORDER BY c.rule;

-- name: people_of_tenant
SELECT id, groups, labels, clearance, rights FROM people WHERE tenant = %(tenant)s ORDER BY id;

-- name: person_of_tenant
SELECT id, groups, labels, clearance, rights FROM people
WHERE tenant = %(tenant)s AND id = %(id)s;

-- name: set_person
INSERT INTO people (tenant, id, groups, labels, clearance, rights)
VALUES (%(tenant)s, %(id)s, %(groups)s, %(labels)s, %(clearance)s, %(rights)s)
ON CONFLICT (tenant, id) DO UPDATE SET
    groups = excluded.groups, labels = excluded.labels,
    clearance = excluded.clearance, rights = excluded.rights;

-- name: drop_person
DELETE FROM people WHERE tenant = %(tenant)s AND id = %(id)s;

-- name: count_change
-- Whoever changes anything of a tenant begins with this, and so waits for whoever did before, and
-- for the batches of ingests.
INSERT INTO changes (tenant, value)
SELECT %(tenant)s, 1
FROM pg_advisory_xact_lock(hashtextextended('docgraph classes ' || %(tenant)s, 0))
ON CONFLICT (tenant) DO UPDATE SET value = changes.value + 1;
