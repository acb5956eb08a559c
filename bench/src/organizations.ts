import type pg from 'pg';

/** Creates organisations below the demo's with twelve children each and codes `BENCH-<n>`, starting at 1. */
export async function fillOrganizations(pool: pg.Pool, count: number): Promise<void> {
  const root = `select id, path from organization where code = 'DEMO'`;
  await pool.query(
    `with recursive root as (${root}),
          numbered as (select n, nextval(pg_get_serial_sequence('organization', 'id')) as id
                         from generate_series(1, $1::int) as n),
          -- Twelve children each: 20,000 stand four levels deep.
          placed as (select c.id, c.n, coalesce(p.id, root.id) as parent_id
                       from numbered c cross join root left join numbered p on p.n = c.n / 12),
          tree as (select p.id, p.parent_id, p.n, r.path || p.id || '/' as path from placed p join root r on r.id = p.parent_id
                   union all
                   select p.id, p.parent_id, p.n, t.path || p.id || '/' from placed p join tree t on t.id = p.parent_id)
     insert into organization (id, parent_id, code, name, level, path) overriding system value
     select id, parent_id, 'BENCH-' || n, 'Health centre ' || n, 'unit', path from tree`,
    [count],
  );
}
