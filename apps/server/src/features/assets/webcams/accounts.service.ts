import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  createWebcamAccount,
  editWebcamAccount,
  listWebcamAccounts,
  WebcamAccount,
} from '@isotherm/contracts/webcams';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  type AccountRow,
  deleteAccountRow,
  findAccount,
  insertAccount,
  listAccountRows,
  lockAccount,
  updateAccount,
} from './accounts.repo.ts';

/** Purpose for which passwords are encrypted; it is part of the key derivation. */
export const PASSWORD_PURPOSE = 'webcam-password';

export interface AccountsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWebcamAccounts)['query']>,
  ): Promise<ResponseOf<typeof listWebcamAccounts>>;
  create(caller: Caller, form: z.output<(typeof createWebcamAccount)['body']>): Promise<WebcamAccount>;
  edit(
    caller: Caller,
    id: number,
    form: z.output<(typeof editWebcamAccount)['body']>,
  ): Promise<WebcamAccount>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/**
 * Creates the service for camera accounts. A password is stored encrypted, and sent only to the address of
 * its account.
 */
export function createAccountsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  sealing: Pick<Sealing, 'seal'>,
): AccountsService {
  async function find(db: Db, caller: Caller, id: number): Promise<AccountRow> {
    const row = await findAccount(db, caller.scope, id);
    if (!row) throw new AppError('webcam.account_missing');
    return row;
  }
  const records = createKeptRecords<AccountRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    lock: lockAccount,
    taken: { constraint: 'webcam_account_name', code: 'webcam.account_taken' },
  });
  const kept = (caller: Caller, { password, ...fields }: z.output<(typeof editWebcamAccount)['body']>) => ({
    ...fields,
    sealedPassword: password === '' ? null : sealing.seal(PASSWORD_PURPOSE, Buffer.from(password)),
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listAccountRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    /** Throws `organization.not_found`, `webcam.account_taken`. */
    async create(caller, { organizationId, ...form }) {
      const row = await records.create(caller, async (tx) => {
        if ((await findOrganizationPath(tx, caller.scope, organizationId)) === null)
          throw new AppError('organization.not_found');
        return insertAccount(tx, organizationId, kept(caller, form));
      });
      return viewOf(row);
    },
    /** Throws `webcam.account_missing|account_taken|account_in_use|password_needed`. */
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) => {
          if (new URL(form.url).origin !== new URL(before.url).origin) {
            // Cameras were validated against the account's address when they were assigned to it, so it must
            // not change.
            if (before.webcams > 0) throw new AppError('webcam.account_in_use', { count: before.webcams });
            if (before.hasPassword && form.password === '') throw new AppError('webcam.password_needed');
          }
          await updateAccount(tx, id, kept(caller, form));
        }),
      ),
    /** Throws `webcam.account_missing|account_in_use`. */
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, { webcams }) => {
        if (webcams > 0) throw new AppError('webcam.account_in_use', { count: webcams });
        await deleteAccountRow(tx, id);
      }),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: AccountRow): WebcamAccount {
  return { ...row, changedAt: changedAt.toISOString() };
}

const fieldsOf = ({ name, url, username, hasPassword }: AccountRow) => ({ name, url, username, hasPassword });

function objectOf(row: AccountRow) {
  return {
    objectKind: 'webcam-account',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organizationPath,
  };
}
