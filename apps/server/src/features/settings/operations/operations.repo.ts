import type { Operation } from '@isotherm/contracts/operations';
import type { Db, Tx } from '../../../platform/db/pool.ts';

const SELECT = `select id, menu_id as menuid, code, fullname, name_english as "nameEnglish", name_spanish as "nameSpanish",
       sortcode, description, system from operation`;

/** Lists all operations, or those of one page, in their order. */
export async function listOperationRows(db: Db, menuId: number | null = null): Promise<Operation[]> {
  const { rows } = await db.query<Operation>(
    `${SELECT} where $1::bigint is null or menu_id = $1 order by sortcode, code`,
    [menuId],
  );
  return rows;
}

export async function findOperation(db: Db, id: number): Promise<Operation | null> {
  const { rows } = await db.query<Operation>(`${SELECT} where id = $1`, [id]);
  return rows[0] ?? null;
}

export type OperationFields = Omit<Operation, 'id' | 'system'>;

export async function insertOperation(tx: Tx, fields: OperationFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into operation (menu_id, code, fullname, name_english, name_spanish, sortcode, description)
     values ($1, $2, $3, $4, $5, $6, $7) returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateOperation(tx: Tx, id: number, fields: OperationFields): Promise<void> {
  await tx.query(
    `update operation set menu_id = $1, code = $2, fullname = $3, name_english = $4, name_spanish = $5, sortcode = $6,
            description = $7
      where id = $8`,
    [...valuesOf(fields), id],
  );
}

function valuesOf(fields: OperationFields): unknown[] {
  const { menuid, code, fullname, nameEnglish, nameSpanish, sortcode, description } = fields;
  return [menuid, code, fullname, nameEnglish, nameSpanish, sortcode, description];
}

export async function deleteOperationRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from operation where id = $1', [id]);
}

/** Creates operations below their pages; names and order of existing ones are kept. */
export async function ensureOperations(
  tx: Tx,
  operations: readonly (Omit<OperationFields, 'menuid' | 'description'> & { page: string })[],
): Promise<void> {
  await tx.query(
    `insert into operation (menu_id, code, fullname, name_english, name_spanish, sortcode, system)
     select m.id, i.code, i.fullname, i."nameEnglish", i."nameSpanish", i.sortcode, true
       from jsonb_to_recordset($1::jsonb) as i(page text, code text, fullname text, "nameEnglish" text,
              "nameSpanish" text, sortcode integer)
       join menu m on m.name = i.page
      order by i.sortcode
     on conflict (code) do update set system = true where not operation.system`,
    [JSON.stringify(operations)],
  );
}

/** Deletes system operations that are no longer in the catalogue. */
export async function dropOperationsBeside(tx: Tx, codes: readonly string[]): Promise<void> {
  await tx.query('delete from operation where system and code <> all($1)', [codes]);
}

/**
 * Returns the permissions of a role that is visible from the scope: a role of an organisation in it, below
 * or above, or a system role.
 */
export async function findHeldByRole(db: Db, roleId: number, scope: string): Promise<string[] | null> {
  const { rows } = await db.query<{ held: string[] }>(
    `select array(select p.permission from role_permission p where p.role_id = r.id) as held
       from role r left join organization o on o.id = r.organization_id
      where r.id = $1 and (r.organization_id is null or o.path like $2 || '%' or $2 like o.path || '%')`,
    [roleId, scope],
  );
  return rows[0]?.held ?? null;
}
