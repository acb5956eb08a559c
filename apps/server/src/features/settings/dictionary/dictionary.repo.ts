import type { Dictionary } from '@isotherm/contracts/dictionary';
import type { Titles } from '@isotherm/contracts/menus';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const SELECT = `select d.id, d.code, d.titles, d.description, d.system,
       coalesce((select jsonb_agg(jsonb_build_object('id', i.id, 'value', i.value, 'titles', i.titles,
                        'position', i.position, 'enabled', i.enabled, 'system', i.system) order by i.position, i.id)
                   from dictionary_item i where i.dictionary_id = d.id), '[]') as items
  from dictionary d`;

export async function listDictionaryRows(db: Db): Promise<Dictionary[]> {
  const { rows } = await db.query<Dictionary>(`${SELECT} order by d.system desc, d.code`);
  return rows;
}

export async function findDictionary(
  db: Db,
  by: { id: number } | { code: string },
): Promise<Dictionary | null> {
  const { rows } = await db.query<Dictionary>(
    'id' in by ? `${SELECT} where d.id = $1` : `${SELECT} where d.code = $1`,
    ['id' in by ? by.id : by.code],
  );
  return rows[0] ?? null;
}

export async function insertDictionary(
  tx: Tx,
  fields: { code: string; titles: Titles; description: string },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'insert into dictionary (code, titles, description) values ($1, $2, $3) returning id',
    [fields.code, JSON.stringify(fields.titles), fields.description],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateDictionary(
  tx: Tx,
  id: number,
  fields: { titles: Titles; description: string },
): Promise<void> {
  await tx.query('update dictionary set titles = $2, description = $3 where id = $1', [
    id,
    JSON.stringify(fields.titles),
    fields.description,
  ]);
}

export interface ItemFields {
  value: string;
  titles: Titles;
  enabled: boolean;
}

/**
 * Sets the items in this order, matched by value. Items that are not listed are deleted; built-in ones are
 * only disabled and moved to the end, since records may use them.
 */
export async function replaceItems(tx: Tx, id: number, items: readonly ItemFields[]): Promise<void> {
  const values = items.map((item) => item.value);
  await tx.query(
    `update dictionary_item set enabled = false, position = $3 where dictionary_id = $1 and system and value <> all($2)`,
    [id, values, items.length],
  );
  await tx.query('delete from dictionary_item where dictionary_id = $1 and not system and value <> all($2)', [
    id,
    values,
  ]);
  await tx.query(
    `insert into dictionary_item (dictionary_id, value, titles, enabled, position)
     select $1, value, titles, enabled, position - 1
       from rows from (unnest($2::text[]), unnest($3::jsonb[]), unnest($4::boolean[])) with ordinality
            as i(value, titles, enabled, position)
     on conflict (dictionary_id, value) do update
        set titles = excluded.titles, enabled = excluded.enabled, position = excluded.position`,
    [id, values, items.map((item) => JSON.stringify(item.titles)), items.map((item) => item.enabled)],
  );
}

export async function deleteDictionaryRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from dictionary where id = $1', [id]);
}

/** Creates a built-in dictionary and its missing items; changes made by an operator are kept. */
export async function ensureDictionary(
  tx: Tx,
  seed: { code: string; titles: Titles; items: readonly { value: string; titles: Titles }[] },
): Promise<void> {
  await tx.query(
    `with made as (
       insert into dictionary (code, titles, system) values ($1, $2, true)
       on conflict (code) do update set system = true returning id
     )
     insert into dictionary_item (dictionary_id, value, titles, position, system)
     select made.id, value, titles, position - 1, true
       from made, rows from (unnest($3::text[]), unnest($4::jsonb[])) with ordinality as i(value, titles, position)
     on conflict (dictionary_id, value) do update set system = true`,
    [
      seed.code,
      JSON.stringify(seed.titles),
      seed.items.map((item) => item.value),
      seed.items.map((item) => JSON.stringify(item.titles)),
    ],
  );
}
