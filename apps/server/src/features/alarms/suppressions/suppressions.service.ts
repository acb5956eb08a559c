import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  listSuppressions,
  Suppression,
  SuppressionChange,
  SuppressionInput,
} from '@isotherm/contracts/suppressions';
import { MAX_SUPPRESSION_MS, suppressionState } from '@isotherm/domain/alarms/suppression';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import {
  endSuppressionRow,
  findSuppression,
  findSuppressionTarget,
  insertSuppression,
  listSuppressionRows,
  lockSuppression,
  type SuppressionRow,
  updateSuppression,
} from './suppressions.repo.ts';
import { judgeHeldAgain } from './windows.repo.ts';

export interface SuppressionsService {
  list(
    caller: Caller,
    query: z.output<(typeof listSuppressions)['query']>,
  ): Promise<ResponseOf<typeof listSuppressions>>;
  /** Throws `suppression.not_found`. */
  get(caller: Caller, id: number): Promise<Suppression>;
  /** Throws `suppression.target|past`, and `permission.denied` for API keys. */
  create(caller: Caller, form: SuppressionInput): Promise<Suppression>;
  /** Throws `suppression.not_found|over|past|too_long`. */
  edit(caller: Caller, id: number, change: SuppressionChange): Promise<Suppression>;
  /** Ends an active window and cancels a planned one. Throws `suppression.not_found|over`. */
  end(caller: Caller, id: number): Promise<Suppression>;
}

/** Creates the service that keeps suppression windows, each change with an audit entry. */
export function createSuppressionsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): SuppressionsService {
  async function find(db: Db, caller: Caller, id: number): Promise<SuppressionRow> {
    const row = await findSuppression(db, caller.scope, id);
    if (!row) throw new AppError('suppression.not_found');
    return row;
  }

  const records = createKeptRecords<SuppressionRow>(pool, audit, {
    find,
    lock: lockSuppression,
    objectOf: ({ id, targetName, organizationPath }) => ({
      objectKind: 'suppression',
      objectId: id,
      objectName: targetName,
      organizationPath,
    }),
    fieldsOf: ({
      targetName,
      organizationName,
      kind,
      from,
      until,
      endedAt,
      reason,
      highestLevel,
      owner,
    }) => ({
      target: targetName,
      organization: organizationName,
      kind,
      startsAt: from.toISOString(),
      endsAt: until.toISOString(),
      endedAt: endedAt?.toISOString() ?? '',
      reason,
      highestLevel,
      owner,
    }),
  });

  /** A past window is history and cannot be changed. */
  function checkNotOver(row: SuppressionRow, now: Date): void {
    if (suppressionState(spanOf(row), now.getTime()) === 'over') throw new AppError('suppression.over');
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const now = new Date(clock.now());
      const { rows, total } = await listSuppressionRows(pool, caller.scope, now, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map((row) => viewOf(row, caller, now)), total };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id), caller, new Date(clock.now())),
    async create(caller, form) {
      const { accountId } = caller;
      // The owner is a person who can be asked; an API key is refused.
      if (accountId === null)
        throw new AppError('permission.denied', { permission: 'alarm-suppressions:edit' });
      const now = new Date(clock.now());
      const row = await records.create(caller, async (tx) => {
        const target = await findSuppressionTarget(tx, caller.scope, form);
        if (!target) throw new AppError('suppression.target');
        const until = new Date(form.until);
        if (until <= now) throw new AppError('suppression.past');
        return insertSuppression(tx, {
          ...form,
          organizationId: target.organizationId,
          targetName: target.name,
          from: new Date(Math.max(Date.parse(form.from), now.getTime())),
          until,
          ownerId: accountId,
          owner: caller.realname,
          changedBy: caller.username,
          now,
        });
      });
      return viewOf(row, caller, now);
    },
    async edit(caller, id, change) {
      const now = new Date(clock.now());
      const row = await records.change(caller, id, async (tx, before) => {
        checkNotOver(before, now);
        const until = Date.parse(change.until);
        if (until <= now.getTime() || until <= before.from.getTime()) throw new AppError('suppression.past');
        if (until - before.from.getTime() > MAX_SUPPRESSION_MS) throw new AppError('suppression.too_long');
        await updateSuppression(tx, id, change, caller.username, now);
        await judgeHeldAgain(tx, id);
      });
      return viewOf(row, caller, now);
    },
    async end(caller, id) {
      const now = new Date(clock.now());
      const row = await records.change(caller, id, async (tx, before) => {
        checkNotOver(before, now);
        await endSuppressionRow(tx, id, caller.username, now);
        await judgeHeldAgain(tx, id);
      });
      return viewOf(row, caller, now);
    },
  };
}

const spanOf = ({ from, until, endedAt }: SuppressionRow) => ({
  from: from.getTime(),
  until: until.getTime(),
  endedAt: endedAt?.getTime() ?? null,
});

function viewOf(row: SuppressionRow, caller: Caller, now: Date): Suppression {
  const { organizationPath, from, until, endedAt, declaredAt, changedAt, ...rest } = row;
  const state = suppressionState(spanOf(row), now.getTime());
  return {
    ...rest,
    from: from.toISOString(),
    until: until.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    declaredAt: declaredAt.toISOString(),
    changedAt: changedAt.toISOString(),
    state,
    isEditable: state !== 'over' && organizationPath.startsWith(caller.scope),
  };
}
