import { fridge, type Session, type TestServer } from './test-server.ts';

/**
 * Registers devices, each bound to a fridge of its own for 40 days, so that readings of the past belong to the fridges. Returns
 * the fridges by the numbers of their devices, and the organisation of all of them.
 */
export async function boundFridges(
  server: TestServer,
  session: Session,
  numbers: readonly string[],
): Promise<{ assets: Map<string, number>; organizationId: number }> {
  await server.provision(
    session,
    numbers.map((number) => fridge(number)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days'
      where valid_until = 'infinity' and device_id in (select id from device where number = any($1))`,
    [numbers],
  );
  const { rows } = await server.pool.query<{ number: string; asset: number; organization: number }>(
    `select number, asset_id::int as asset, organization_id::int as organization from device where number = any($1)`,
    [numbers],
  );
  return {
    assets: new Map(rows.map(({ number, asset }) => [number, asset])),
    organizationId: rows[0]?.organization as number,
  };
}
