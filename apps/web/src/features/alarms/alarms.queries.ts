import {
  type Alarm,
  getAlarm,
  handleAlarm,
  handleAlarms,
  listAlarms,
  listAlarmsSince,
} from '@isotherm/contracts/alarms';
import type { QueryOf } from '@isotherm/contracts/route';
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

type AlarmListQuery = QueryOf<typeof listAlarms>;

/** The queries of the list page begin with this key, as those below. */
export const ALARMS_KEY = ['alarms'] as const;
const LISTS = [...ALARMS_KEY, 'list'] as const;

function alarmListQuery(query: AlarmListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => call(listAlarms, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Number of alarms that need attention (decision 22), with the worst; used by bell, menu and monitor. */
export const attentionQuery = alarmListQuery({ show: 'all', sort: 'level', order: 'desc', pageSize: 1 });

/** The worst unacknowledged alarm, open or ended. */
export const worstUnacknowledgedQuery = alarmListQuery({
  show: 'unhandled',
  sort: 'level',
  order: 'desc',
  pageSize: 1,
});

/** Initial content of the alarm window. */
export const standingAlarmsQuery = alarmListQuery({
  show: 'open',
  sort: 'since',
  order: 'desc',
  pageSize: 20,
});

export function alarmQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getAlarm, { params: { id }, signal, quiet: true }),
  });
}

export function fetchAlarmsSince(moment: number): Promise<Alarm[]> {
  const recordedAfter = new Date(moment).toISOString();
  return call(listAlarmsSince, { query: { recordedAfter }, quiet: true });
}

/** Puts a new or changed alarm into the caches, and reloads lists. */
export function putAlarm(queries: QueryClient, alarm: Alarm): void {
  queries.setQueryData(alarmQuery(alarm.id).queryKey, alarm);
  queries.setQueriesData<{ items: Alarm[]; total: number; open: number; unhandled: number }>(
    { queryKey: LISTS },
    (old) => old && { ...old, items: old.items.map((each) => (each.id === alarm.id ? alarm : each)) },
  );
}

export function refreshAlarmLists(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: LISTS });
}

const useBatches = crudChanges(ALARMS_KEY, { handle: handleAlarms });

/** Acknowledges several alarms; failures are in the result. */
export function useHandleAlarms() {
  return useBatches().handle;
}

export function useHandleAlarm() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ id, comment }: { id: number; comment: string }) =>
      call(handleAlarm, { params: { id }, body: { comment }, quiet: true }),
    onSuccess: (alarm) => {
      putAlarm(queries, alarm);
      refreshAlarmLists(queries);
    },
  });
}
