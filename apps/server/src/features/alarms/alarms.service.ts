import type { Alarm, exportAlarms, listAlarms } from '@isotherm/contracts/alarms';
import { AppError } from '@isotherm/contracts/errors';
import { systemNamesLike } from '@isotherm/i18n/system-names';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import {
  type AlarmFilter,
  type AlarmView,
  countAlarms,
  findAlarmsById,
  listAlarmViews,
  listAlarmViewsOfAsset,
  listAlarmViewsRecordedAfter,
  markHandled,
} from './alarm-view.repo.ts';
import type { News } from './evaluator.ts';

type ListQuery = z.output<(typeof listAlarms)['query']>;
export type AlarmQuery = z.output<(typeof exportAlarms)['query']>;

export interface AlarmsService {
  list(
    caller: Caller,
    query: ListQuery,
  ): Promise<{ items: Alarm[]; total: number; open: number; unhandled: number }>;
  /** The filtered ones in their order, `limit` at most. */
  listAll(caller: Caller, query: AlarmQuery, limit: number): Promise<Alarm[]>;
  get(caller: Caller, id: number): Promise<Alarm>;
  handle(caller: Caller, id: number, comment: string): Promise<Alarm>;
  since(caller: Caller, recordedAfter: string): Promise<Alarm[]>;
  /** For pages that show an asset; the caller checks access to the asset. */
  ofAsset(assetId: number, limit: number): Promise<Alarm[]>;
  byId(ids: readonly number[]): Promise<AlarmView[]>;
}

function filterOf(caller: Caller, query: AlarmQuery): AlarmFilter {
  return {
    scope: caller.scope,
    show: query.show,
    level: query.level ?? null,
    assetId: query.assetId ?? null,
    organizationId: query.organizationId ?? null,
    search: query.search.trim(),
    systemNames: query.search.trim() === '' ? [] : systemNamesLike(query.search.trim(), caller.language),
  };
}

export function createAlarmsService(
  pool: pg.Pool,
  clock: Clock,
  announce: (news: News) => void,
  audit: Pick<Audit, 'record'>,
): AlarmsService {
  async function visible(caller: Caller, id: number): Promise<AlarmView> {
    const [alarm] = await findAlarmsById(pool, [id]);
    // Out of scope looks the same as absent, so that nobody learns what other organisations have.
    if (!alarm?.organizationPath.startsWith(caller.scope)) throw new AppError('alarm.not_found');
    return alarm;
  }

  return {
    async list(caller, query) {
      const filter = filterOf(caller, query);
      const every = {
        ...filter,
        level: null,
        assetId: null,
        organizationId: null,
        search: '',
        systemNames: [],
      };
      const [items, total, open, unhandled] = await Promise.all([
        listAlarmViews(
          pool,
          filter,
          query.sort,
          query.order,
          query.pageSize,
          (query.page - 1) * query.pageSize,
        ),
        countAlarms(pool, filter),
        countAlarms(pool, { ...every, show: 'open' }),
        countAlarms(pool, { ...every, show: 'unhandled' }),
      ]);
      return { items, total, open, unhandled };
    },
    listAll: (caller, query, limit) =>
      listAlarmViews(pool, filterOf(caller, query), query.sort, query.order, limit, 0),
    get: visible,
    /** Throws `alarm.not_found`, `alarm.already_handled` with who did. */
    async handle(caller, id, comment) {
      const before = await visible(caller, id);
      const { accountId } = caller;
      // Only a person can acknowledge; an API key is refused.
      if (accountId === null) throw new AppError('permission.denied', { permission: 'alarm-current:handle' });
      await transaction(pool, async (tx) => {
        const done = await markHandled(tx, id, accountId, new Date(clock.now()), comment);
        if (!done) throw new AppError('alarm.already_handled', { name: before.handling?.by ?? '' });
        await audit.record(tx, caller, {
          action: 'handle-alarm',
          objectKind: 'alarm',
          objectId: id,
          objectName: before.assetName,
          reason: comment,
          organizationPath: before.organizationPath,
        });
      });
      announce({
        alarms: [{ id, topic: 'alarm.changed' }],
        assetIds: before.assetId ? [before.assetId] : [],
      });
      return visible(caller, id);
    },
    since: (caller, recordedAfter) =>
      listAlarmViewsRecordedAfter(pool, caller.scope, new Date(recordedAfter)),
    ofAsset: (assetId, limit) => listAlarmViewsOfAsset(pool, assetId, limit),
    byId: (ids) => findAlarmsById(pool, ids),
  };
}
