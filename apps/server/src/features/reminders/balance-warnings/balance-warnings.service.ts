import type {
  BalanceWarning,
  createBalanceWarning,
  editBalanceWarning,
  listBalanceWarnings,
} from '@isotherm/contracts/balance-warnings';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  deleteWarningRow,
  findWarning,
  insertWarning,
  listWarningRows,
  updateWarning,
  type WarningRow,
} from './balance-warnings.repo.ts';

export interface BalanceWarningsService {
  list(
    caller: Caller,
    query: z.output<(typeof listBalanceWarnings)['query']>,
  ): Promise<ResponseOf<typeof listBalanceWarnings>>;
  /** Throws `organization.not_found`, `balance_warning.taken`. */
  create(caller: Caller, form: z.output<(typeof createBalanceWarning)['body']>): Promise<BalanceWarning>;
  /** Throws `balance_warning.not_found`. */
  edit(
    caller: Caller,
    id: number,
    form: z.output<(typeof editBalanceWarning)['body']>,
  ): Promise<BalanceWarning>;
  /** Throws `balance_warning.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Who is warned of low prepaid balances, and below which counts. */
export function createBalanceWarningsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  messages: Pick<Messages, 'canDeliver'>;
}): BalanceWarningsService {
  const { pool, audit, clock, messages } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<WarningRow> {
    const row = await findWarning(db, caller.scope, id);
    if (!row) throw new AppError('balance_warning.not_found');
    return row;
  }
  const records = createKeptRecords<WarningRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    taken: { constraint: 'balance_warning_organization', code: 'balance_warning.taken' },
  });
  const trace = (caller: Caller) => ({
    language: caller.language,
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listWarningRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return {
        items: rows.map(viewOf),
        total,
        canEmail: messages.canDeliver('email'),
        canSms: messages.canDeliver('sms'),
      };
    },
    create: async (caller, { organizationId, ...form }) =>
      viewOf(
        await records.create(caller, async (tx) => {
          if ((await findOrganizationPath(tx, caller.scope, organizationId)) === null)
            throw new AppError('organization.not_found');
          return insertWarning(tx, organizationId, { ...form, ...trace(caller) });
        }),
      ),
    edit: async (caller, id, form) =>
      viewOf(await records.change(caller, id, (tx) => updateWarning(tx, id, { ...form, ...trace(caller) }))),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx) => deleteWarningRow(tx, id)),
  };
}

function viewOf({
  organizationPath: _,
  language: __,
  changedAt,
  warnedAt,
  ...row
}: WarningRow): BalanceWarning {
  return { ...row, changedAt: changedAt.toISOString(), warnedAt: warnedAt?.toISOString() ?? null };
}

const fieldsOf = ({ smsBelow, voiceBelow, emails, mobiles, enabled }: WarningRow) => ({
  smsBelow,
  voiceBelow,
  emails,
  mobiles,
  enabled,
});

function objectOf(row: WarningRow) {
  return {
    objectKind: 'balance-warning',
    objectId: row.id,
    objectName: row.organizationName,
    organizationPath: row.organizationPath,
  };
}
