import type { Db } from '../db/pool.ts';

/** Renews all leases of a holder, and claims its own lease from any other holder. */
export async function renewLeases(
  db: Db,
  kind: string,
  own: string,
  holder: string,
  forMs: number,
): Promise<void> {
  await db.query({
    name: 'claim-own-lease',
    text: `insert into lease (kind, name, holder, held_until)
           values ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
           on conflict (kind, name) do update set holder = excluded.holder, held_until = excluded.held_until`,
    values: [kind, own, holder, forMs],
  });
  await db.query({
    name: 'renew-leases',
    text: `update lease set held_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
            where kind = $1 and holder = $2`,
    values: [kind, holder, forMs],
  });
}

/** Takes over expired leases. */
export async function takeExpiredLeases(db: Db, kind: string, holder: string, forMs: number): Promise<void> {
  await db.query({
    name: 'take-expired-leases',
    text: `update lease l set holder = $2, held_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
             from (select name from lease where kind = $1 and held_until < clock_timestamp()
                      for update skip locked) expired
            where l.kind = $1 and l.name = expired.name`,
    values: [kind, holder, forMs],
  });
}

export async function readLeases(db: Db, kind: string, holder: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>({
    name: 'read-leases',
    text: 'select name from lease where kind = $1 and holder = $2',
    values: [kind, holder],
  });
  return rows.map(({ name }) => name);
}

/** Releases the leases, so that other processes can take them immediately. */
export async function releaseLeases(db: Db, kind: string, holder: string): Promise<void> {
  await db.query('update lease set held_until = clock_timestamp() where kind = $1 and holder = $2', [
    kind,
    holder,
  ]);
}
