-- name: put_on_the_readers_role
-- From here to the end of the transaction this is not the login any more, and sees nothing.
-- Plans are made once for each question's shape, and tables are joined in the order in which they
-- stand: these are all lookups by number, and to plan one costs more than to run it.
SELECT set_config('role', 'docgraph_reader', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('join_collapse_limit', '1', true),
       set_config('jit', 'off', true),
       set_config('docgraph.classes', '', true),
       set_config('docgraph.scope', '', true),
       set_config('docgraph.tenant', '', true);

-- name: bind_rights
SELECT set_config('docgraph.classes', %(classes)s, true),
       set_config('docgraph.scope', %(scope)s, true);

-- name: bind_tenant
-- For the tables that servers share; where none is bound, they show nothing.
SELECT set_config('docgraph.tenant', %(tenant)s, true);
