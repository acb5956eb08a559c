import type {
  Alarm,
  AlarmGroupView,
  exportAlarms,
  listAlarmGroups,
  listAlarms,
} from '@isotherm/contracts/alarms';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { ACKNOWLEDGEMENT_FIELDS, requiredFields } from '@isotherm/domain/alarms/acknowledgement';
import { type AlarmGroup, groupByCause, LISTED_IN_MESSAGE } from '@isotherm/domain/alarms/storm';
import { systemNamesLike } from '@isotherm/i18n/system-names';
import type pg from 'pg';
import type { z } from 'zod';
import type { Caller } from '../../platform/http/caller.ts';
import {
  type AlarmFilter,
  type AlarmView,
  type CausedAlarmRow,
  countAlarms,
  findAlarmsById,
  listAlarmViews,
  listAlarmViewsOfAsset,
  listAlarmViewsRecordedAfter,
  listCausedAlarms,
} from './alarm-view.repo.ts';

type ListQuery = z.output<(typeof listAlarms)['query']>;
export type AlarmQuery = z.output<(typeof exportAlarms)['query']>;

/** Largest number of alarms that are grouped at once. */
const MOST_GROUPED = 10_000;
const MOST_GROUPS = 50;

export interface AlarmsService {
  list(
    caller: Caller,
    query: ListQuery,
  ): Promise<{ items: Alarm[]; total: number; open: number; unacknowledged: number }>;
  /** The alarms of the list, grouped by their common cause. */
  groups(caller: Caller, query: AlarmQuery): Promise<ResponseOf<typeof listAlarmGroups>>;
  /** All alarms that match the filter, in list order, `limit` at most. */
  listAll(caller: Caller, query: AlarmQuery, limit: number): Promise<Alarm[]>;
  /** Throws `alarm.not_found`. */
  get(caller: Caller, id: number): Promise<AlarmView>;
  since(caller: Caller, recordedAfter: string): Promise<Alarm[]>;
  /** For pages that show an asset. The caller of this method checks the access to the asset. */
  ofAsset(assetId: number, limit: number): Promise<Alarm[]>;
  byId(ids: readonly number[]): Promise<AlarmView[]>;
}

function filterOf(caller: Caller, query: AlarmQuery): AlarmFilter {
  return {
    scope: caller.scope,
    show: query.show,
    fixed: query.fixed === undefined ? null : query.fixed === 'true',
    // No alarm is ever assigned to an API key.
    assignedTo: query.mine === undefined ? null : (caller.accountId ?? 0),
    level: query.level ?? null,
    assetId: query.assetId ?? null,
    organizationId: query.organizationId ?? null,
    search: query.search.trim(),
    systemNames: query.search.trim() === '' ? [] : systemNamesLike(query.search.trim(), caller.language),
  };
}

function groupView(
  { cause, sourceId, siteId, highestLevel, firstAt, alarms }: AlarmGroup<CausedAlarmRow>,
  viewOf: ReadonlyMap<number, Alarm>,
): AlarmGroupView {
  const [first] = alarms as [CausedAlarmRow, ...CausedAlarmRow[]];
  const required = new Set(alarms.flatMap((each) => requiredFields(each.ruleOfPolicy, each.peakLevel)));
  const source = cause === 'device' || sourceId === first.deviceId ? first.device : (first.gateway ?? '');
  return {
    cause,
    source: cause === 'power' || cause === 'site' ? '' : source,
    site: first.site,
    siteId,
    highestLevel,
    firstAt: new Date(firstAt).toISOString(),
    ids: alarms.map(({ id }) => id),
    unacknowledged: alarms.filter(({ isAcknowledged }) => !isAcknowledged).map(({ id }) => id),
    required: ACKNOWLEDGEMENT_FIELDS.filter((field) => required.has(field)),
    worst: alarms.slice(0, LISTED_IN_MESSAGE).flatMap(({ id }) => viewOf.get(id) ?? []),
  };
}

export function createAlarmsService(pool: pg.Pool): AlarmsService {
  async function visible(caller: Caller, id: number): Promise<AlarmView> {
    const [alarm] = await findAlarmsById(pool, [id]);
    // An alarm out of scope gives the same error as an absent one, so that nobody learns what other
    // organisations have.
    if (!alarm?.organizationPath.startsWith(caller.scope)) throw new AppError('alarm.not_found');
    return alarm;
  }

  return {
    async list(caller, query) {
      const filter = filterOf(caller, query);
      const every = {
        ...filter,
        fixed: null,
        assignedTo: null,
        level: null,
        assetId: null,
        organizationId: null,
        search: '',
        systemNames: [],
      };
      const [items, total, open, unacknowledged] = await Promise.all([
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
        countAlarms(pool, { ...every, show: 'unacknowledged' }),
      ]);
      return { items, total, open, unacknowledged };
    },
    async groups(caller, query) {
      const found = await listCausedAlarms(pool, filterOf(caller, query), MOST_GROUPED + 1);
      const limited = found.length > MOST_GROUPED;
      const all = groupByCause(limited ? found.slice(0, MOST_GROUPED) : found);
      const shown = [
        ...all.filter(({ alarms }) => alarms.length > 1),
        ...all.filter(({ alarms }) => alarms.length === 1),
      ].slice(0, MOST_GROUPS);
      const worst = await findAlarmsById(
        pool,
        shown.flatMap(({ alarms }) => alarms.slice(0, LISTED_IN_MESSAGE).map(({ id }) => id)),
      );
      const viewOf = new Map(worst.map((view) => [view.id, view]));
      return { groups: shown.map((group) => groupView(group, viewOf)), limited };
    },
    listAll: (caller, query, limit) =>
      listAlarmViews(pool, filterOf(caller, query), query.sort, query.order, limit, 0),
    get: visible,
    since: (caller, recordedAfter) =>
      listAlarmViewsRecordedAfter(pool, caller.scope, new Date(recordedAfter)),
    ofAsset: (assetId, limit) => listAlarmViewsOfAsset(pool, assetId, limit),
    byId: (ids) => findAlarmsById(pool, ids),
  };
}
