import type { Tx } from '../../../platform/db/pool.ts';

/**
 * Updates the roles when an operator adds, renames or deletes an operation. A new operation is granted to
 * the platform administrator, since nobody can grant a permission that they do not have.
 */
export const permissionHolders = {
  async add(tx: Tx, code: string): Promise<void> {
    await tx.query(
      `insert into role_permission (role_id, permission)
       select id, $1 from role where code = 'platform-administrator' on conflict do nothing`,
      [code],
    );
  },
  async rename(tx: Tx, from: string, to: string): Promise<void> {
    await tx.query('update role_permission set permission = $2 where permission = $1', [from, to]);
    await tx.query(
      `update machine_authorization set permissions = array_replace(permissions, $1, $2) where $1 = any(permissions)`,
      [from, to],
    );
  },
  async remove(tx: Tx, codes: readonly string[]): Promise<void> {
    await tx.query('delete from role_permission where permission = any($1)', [codes]);
    await tx.query(
      `update machine_authorization
          set permissions = array(select p from unnest(permissions) as p where p <> all($1))
        where permissions && $1::text[]`,
      [codes],
    );
  },
};
