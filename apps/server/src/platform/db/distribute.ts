import pg from 'pg';

/** Tables distributed by `channel_id` (decision 4); all rows of a channel are on the same worker node. */
export const DISTRIBUTED_TABLES = ['reading', 'sealed_day'] as const;

/** Thrown if the database cannot be distributed; the message states what is missing. */
export class NotDistributable extends Error {}

export interface Distribution {
  /** Tables that were distributed by this call. */
  distributed: string[];
  workers: number;
}

/**
 * Distributes the tables of readings with their content over the workers of a Citus cluster, and frees the
 * copies on the coordinator. Idempotent: an interrupted run is completed by the next one. Throws
 * `NotDistributable`.
 */
export async function distribute(client: pg.ClientBase): Promise<Distribution> {
  const workers = await countWorkers(client);
  const { rows } = await client.query<{ name: string }>(
    `select logicalrelid::text as name from pg_dist_partition where logicalrelid::text = any($1)`,
    [DISTRIBUTED_TABLES],
  );
  const known = new Set(rows.map((row) => row.name));
  const distributed: string[] = [];
  for (const table of DISTRIBUTED_TABLES) {
    if (!known.has(table)) {
      const [first] = DISTRIBUTED_TABLES;
      await client.query('select create_distributed_table($1::regclass, $2, colocate_with => $3)', [
        table,
        'channel_id',
        table === first ? 'none' : first,
      ]);
      distributed.push(table);
    }
    // The rows that were copied to the workers are still on the coordinator, where they are not used.
    await client.query('select truncate_local_data_after_distributing_table($1::regclass)', [table]);
  }
  return { distributed, workers };
}

/** Like `distribute`, but on a connection of its own. */
export async function distributeDatabase(connectionString: string): Promise<Distribution> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await distribute(client);
  } finally {
    await client.end();
  }
}

async function countWorkers(client: pg.ClientBase): Promise<number> {
  const { rows: extensions } = await client.query(`select 1 from pg_extension where extname = 'citus'`);
  if (extensions.length === 0)
    throw new NotDistributable(
      'This database has no Citus extension. Install Citus, add it to shared_preload_libraries, and run "create extension citus" ' +
        'on the coordinator and on every worker (docs/scale.md). Nothing was changed.',
    );
  const { rows: tables } = await client.query<{ ready: boolean }>(
    `select to_regclass('reading') is not null and to_regclass('sealed_day') is not null as ready`,
  );
  if (!tables[0]?.ready)
    throw new NotDistributable(
      'This database has no tables of Isotherm. Start the server on it once, then run this command again. Nothing was changed.',
    );
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary'`,
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0)
    throw new NotDistributable(
      'The Citus cluster has no active worker. Add workers with citus_add_node (docs/scale.md). Nothing was changed.',
    );
  return count;
}
