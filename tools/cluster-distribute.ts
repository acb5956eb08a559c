import { distributeDatabase, NotDistributable } from '../apps/server/src/platform/db/distribute.ts';

/**
 * Runs `npm run cluster:distribute`: distributes the readings of the database at DATABASE_URL over the
 * workers of its Citus cluster.
 */
const connectionString = process.env.DATABASE_URL;
if (!connectionString) {
  console.error('Set DATABASE_URL to the coordinator of the Citus cluster, as the owner of the tables.');
  process.exit(1);
}
try {
  const { distributed, workers } = await distributeDatabase(connectionString);
  console.log(
    distributed.length === 0
      ? `Nothing to do: the readings are distributed over ${workers} nodes.`
      : `Distributed over ${workers} nodes: ${distributed.join(', ')}.`,
  );
} catch (error) {
  if (!(error instanceof NotDistributable)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
