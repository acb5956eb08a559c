import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { expect, test } from 'vitest';
import { distribute, NotDistributable } from './distribute.ts';

test('a database without Citus is refused with instructions, and left unchanged', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    const refused = await distribute(client).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotDistributable);
    expect((refused as Error).message).toMatch(/no Citus extension.*docs\/scale\.md.*Nothing was changed/);
  } finally {
    await client.end();
    await database.drop();
  }
});
