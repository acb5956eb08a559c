import { AppError } from '@isotherm/contracts/errors';
import {
  type createReminder,
  DUE_SPANS,
  type ExpiryReminder,
  type editReminder,
  type listDue,
  type listReminders,
} from '@isotherm/contracts/reminders';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { TermBounds } from '@isotherm/domain/devices/device-state';
import { DUE_KINDS, DUE_VIEWED_BY, type DueKind, daysBetween } from '@isotherm/domain/reminders/reminder';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import { findOrganizationPath } from '../identity/index.ts';
import { listDueRows } from './due.repo.ts';
import {
  deleteReminderRow,
  findReminder,
  insertReminder,
  listReminderRows,
  type ReminderRow,
  updateReminder,
} from './reminders.repo.ts';

export interface RemindersService {
  list(
    caller: Caller,
    query: z.output<(typeof listReminders)['query']>,
  ): Promise<ResponseOf<typeof listReminders>>;
  get(caller: Caller, id: number): Promise<ExpiryReminder>;
  create(caller: Caller, form: z.output<(typeof createReminder)['body']>): Promise<ExpiryReminder>;
  edit(caller: Caller, id: number, form: z.output<(typeof editReminder)['body']>): Promise<ExpiryReminder>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  due(caller: Caller, query: z.output<(typeof listDue)['query']>): Promise<ResponseOf<typeof listDue>>;
}

export interface ReminderParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  renewal: { bounds(): Promise<TermBounds> };
}

export function createRemindersService(parts: ReminderParts): RemindersService {
  const { pool, audit, clock, messages, renewal } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<ReminderRow> {
    const row = await findReminder(db, caller.scope, id);
    if (!row) throw new AppError('reminder.not_found');
    return row;
  }

  const records = createKeptRecords<ReminderRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    taken: { constraint: 'expiry_reminder_organization', code: 'reminder.taken' },
  });
  /** An e-mail can go to any address, so its author must be allowed to see the kinds of items in it. */
  function checkKinds(caller: Caller, kinds: readonly DueKind[]): void {
    for (const permission of kinds.map((kind) => DUE_VIEWED_BY[kind]))
      if (!caller.permissions.has(permission)) throw new AppError('permission.denied', { permission });
  }
  const trace = (caller: Caller) => ({
    language: caller.language,
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listReminderRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total, canDeliver: messages.canDeliver('email') };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    /** Throws `organization.not_found`, `permission.denied`, `reminder.taken`. */
    create: async (caller, { organizationId, ...form }) =>
      viewOf(
        await records.create(caller, async (tx) => {
          checkKinds(caller, form.kinds);
          if ((await findOrganizationPath(tx, caller.scope, organizationId)) === null)
            throw new AppError('organization.not_found');
          return insertReminder(tx, organizationId, { ...form, ...trace(caller) });
        }),
      ),
    /** Throws `permission.denied`, `reminder.not_found`. */
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, (tx) => {
          checkKinds(caller, form.kinds);
          return updateReminder(tx, id, { ...form, ...trace(caller) });
        }),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx) => deleteReminderRow(tx, id)),
    async due(caller, { page, pageSize, search, span, kind, organizationId, order }) {
      const { expiredUntil, lapsedUntil } = await renewal.bounds();
      const today = dayOf(expiredUntil);
      const seen = DUE_KINDS.filter((each) => caller.permissions.has(DUE_VIEWED_BY[each]));
      const { rows, total } = await listDueRows(
        pool,
        {
          scope: caller.scope,
          kinds: kind ? seen.filter((each) => each === kind) : seen,
          lapsedUntil: new Date(lapsedUntil),
          // An item that is due today is not overdue yet.
          until: dayOf(expiredUntil, span === 'overdue' ? -1 : DUE_SPANS[span]),
        },
        { search: search.trim(), organizationId: organizationId ?? null },
        { order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return {
        items: rows.map(({ organizationId: _, ...row }) => ({
          ...row,
          daysLeft: daysBetween(today, row.dueOn),
        })),
        total,
      };
    },
  };
}

const DAY_MS = 86_400_000;
/** Returns the UTC date a number of days after a moment. */
export const dayOf = (at: number, after = 0) => new Date(at + after * DAY_MS).toISOString().slice(0, 10);

function viewOf({ organizationPath: _, changedAt, ...row }: ReminderRow): ExpiryReminder {
  return { ...row, changedAt: changedAt.toISOString() };
}

const fieldsOf = ({ kinds, daysBefore, repeatDays, recipients, enabled }: ReminderRow) => ({
  kinds,
  daysBefore,
  repeatDays,
  recipients,
  enabled,
});

function objectOf(row: ReminderRow) {
  return {
    objectKind: 'expiry-reminder',
    objectId: row.id,
    objectName: row.organizationName,
    organizationPath: row.organizationPath,
  };
}
