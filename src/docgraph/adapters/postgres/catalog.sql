-- Row-level security and ownership, as the catalog has them. Run with a search path of docgraph's
-- schema alone (connection.isolated): no function or operator of another owner is used.

-- name: row_security
-- All that decides what docgraph_reader may read, by kind and name, the same in every version.
WITH home AS (
    SELECT oid, nspowner, nspacl FROM pg_namespace WHERE nspname = 'docgraph'
), relations AS (
    SELECT c.*, h.nspowner FROM pg_class AS c JOIN home AS h ON h.oid = c.relnamespace
), rights AS (
    SELECT 'schema docgraph' AS name, a.grantee, a.privilege_type
    FROM home AS h CROSS JOIN aclexplode(h.nspacl) AS a
    UNION ALL
    SELECT r.relname::text, a.grantee, a.privilege_type
    FROM relations AS r CROSS JOIN aclexplode(r.relacl) AS a
    UNION ALL
    SELECT concat_ws('.', r.relname, c.attname), a.grantee, a.privilege_type
    FROM relations AS r JOIN pg_attribute AS c ON c.attrelid = r.oid
         CROSS JOIN aclexplode(c.attacl) AS a
)
SELECT 'row-level security of the table', relname::text,
       CASE WHEN relforcerowsecurity THEN 'for its owner too' ELSE 'on' END
FROM relations
WHERE relkind IN ('r', 'p') AND relrowsecurity
  AND relname NOT IN ('audit_entries', 'audit_seals')
UNION ALL
SELECT 'policy', concat_ws('.', r.relname, p.polname),
       concat_ws(' ', p.polcmd, CASE WHEN p.polpermissive THEN 'permissive' END,
                 (SELECT string_agg(coalesce(a.rolname::text, 'PUBLIC'), ' ' ORDER BY a.rolname)
                  FROM unnest(p.polroles) AS one LEFT JOIN pg_roles AS a ON a.oid = one),
                 regexp_replace(pg_get_expr(p.polqual, p.polrelid), '\s+', ' ', 'g'),
                 'checked: ' || pg_get_expr(p.polwithcheck, p.polrelid))
FROM relations AS r JOIN pg_policy AS p ON p.polrelid = r.oid
WHERE r.relname NOT IN ('audit_entries', 'audit_seals')
UNION ALL
SELECT 'grant', concat_ws(' ', t.name, 'to', coalesce(a.rolname::text, 'PUBLIC')),
       string_agg(t.privilege_type, ' ' ORDER BY t.privilege_type)
FROM rights AS t LEFT JOIN pg_roles AS a ON a.oid = t.grantee
WHERE t.grantee = 0 OR a.rolname = 'docgraph_reader'
GROUP BY t.name, a.rolname
UNION ALL
SELECT 'view', relname::text,
       CASE WHEN EXISTS (SELECT 1 FROM pg_options_to_table(reloptions) AS o
                         WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
            THEN concat_ws(' ', 'security_invoker', obj_description(oid, 'pg_class'))
            ELSE regexp_replace(pg_get_viewdef(oid), '\s+', ' ', 'g') END
FROM relations WHERE relkind = 'v'
UNION ALL
SELECT 'function', p.proname::text || '()',
       concat_ws(' ', l.lanname, p.prosecdef, p.provolatile, p.proconfig, p.prosrc)
FROM home AS h JOIN pg_proc AS p ON p.pronamespace = h.oid
     JOIN pg_language AS l ON l.oid = p.prolang
WHERE p.proname IN ('readable_classes', 'requested_snapshots', 'listed_snapshots')
UNION ALL
SELECT 'owner of', r.relname::text, a.rolname::text
FROM relations AS r JOIN pg_roles AS a ON a.oid = r.relowner
WHERE r.relowner <> r.nspowner AND r.relkind IN ('r', 'v')
UNION ALL
SELECT 'owner of', p.proname::text || '()', a.rolname::text
FROM home AS h JOIN pg_proc AS p ON p.pronamespace = h.oid JOIN pg_roles AS a ON a.oid = p.proowner
WHERE p.proowner <> h.nspowner
  AND p.proname IN ('readable_classes', 'requested_snapshots', 'listed_snapshots');

-- name: schema_owner
-- The owner of docgraph's schema, and whether this login has its rights.
SELECT r.rolname::text,
       pg_has_role(current_user, n.nspowner, 'USAGE') AND has_schema_privilege(n.oid, 'USAGE')
       AND has_schema_privilege(n.oid, 'CREATE')
FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
WHERE n.nspname = 'docgraph';

-- name: foreign_creators
-- Other roles that may create objects where this login's names are looked up: schema, role, and by
-- what. Without members of this login's role and the owner of its tables.
WITH places AS (
    SELECT n.oid, n.nspname, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)) AS acl
    FROM pg_namespace AS n
    WHERE n.nspname = 'docgraph'
       OR n.oid IN (SELECT e.extnamespace FROM pg_extension AS e WHERE e.extname = 'vector')
), makers AS (
    SELECT p.nspname, a.grantee, r.rolname,
           CASE WHEN r.rolname = 'pg_database_owner'
                THEN (SELECT d.datdba FROM pg_database AS d WHERE d.datname = current_database())
                ELSE a.grantee END AS meant,
           CASE WHEN r.rolname = 'pg_database_owner' THEN 'database'
                WHEN a.grantee = p.nspowner THEN 'owner' ELSE 'grant' END AS how
    FROM places AS p CROSS JOIN aclexplode(p.acl) AS a
         LEFT JOIN pg_roles AS r ON r.oid = a.grantee
    WHERE a.privilege_type = 'CREATE'
)
SELECT DISTINCT m.nspname::text, coalesce(r.rolname::text, 'PUBLIC'), m.how
FROM makers AS m LEFT JOIN pg_roles AS r ON r.oid = m.meant
WHERE m.grantee = 0
   OR NOT r.rolsuper AND NOT pg_has_role(r.oid, current_user, 'MEMBER')
      AND NOT EXISTS (SELECT 1 FROM pg_namespace AS h
                      WHERE h.nspname = 'docgraph' AND h.nspowner = r.oid)
ORDER BY 1, 2;

-- name: foreign_readers
-- Other logins that may become docgraph_reader and connect here, and whether anybody may connect.
SELECT r.rolname::text,
       EXISTS (SELECT 1 FROM aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) AS a
               WHERE a.grantee = 0 AND a.privilege_type = 'CONNECT')
FROM pg_roles AS r
     JOIN pg_roles AS reader ON reader.rolname = 'docgraph_reader'
     JOIN pg_database AS d ON d.datname = current_database()
WHERE r.rolcanlogin AND NOT r.rolsuper AND pg_has_role(r.oid, reader.oid, 'MEMBER')
  AND NOT pg_has_role(r.oid, d.datdba, 'MEMBER') AND NOT pg_has_role(r.oid, current_user, 'MEMBER')
  AND has_database_privilege(r.oid, d.oid, 'CONNECT')
ORDER BY 1;
