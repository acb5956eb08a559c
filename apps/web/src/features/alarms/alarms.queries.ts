import {
  type Alarm,
  acknowledgeAlarm,
  acknowledgeAlarms,
  assignAlarm,
  commentAlarm,
  endAlarm,
  endAlarms,
  fixAlarm,
  getAlarm,
  getAlarmCourse,
  listAlarmGroups,
  listAlarms,
  listAlarmsSince,
  listAssignees,
  listMoveTargets,
} from '@isotherm/contracts/alarms';
import type { BodyOf, QueryOf, RouteContract } from '@isotherm/contracts/route';
import type { SignatureMeaning } from '@isotherm/domain/access/signature';
import { keepPreviousData, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';
import { inPortions } from '../../shared/api/portions.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { createSigning } from '../../shared/signature/signing.ts';

type AlarmListQuery = QueryOf<typeof listAlarms>;

/** All query keys of alarms begin with this key. */
export const ALARMS_KEY = ['alarms'] as const;
const GROUPS = [...ALARMS_KEY, 'groups'] as const;
const LISTS = [...ALARMS_KEY, 'list'] as const;

function alarmListQuery(query: AlarmListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => call(listAlarms, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/**
 * Number of alarms that need attention (decision 22), with the worst one. Used by the bell, the menu and the
 * monitor.
 */
export const attentionQuery = alarmListQuery({ show: 'all', sort: 'level', order: 'desc', pageSize: 1 });

/** The worst unacknowledged alarm, open or ended. */
export const worstUnacknowledgedQuery = alarmListQuery({
  show: 'unacknowledged',
  sort: 'level',
  order: 'desc',
  pageSize: 1,
});

/** Alarms of the list, grouped by their common cause. */
export function alarmGroupsQuery(query: QueryOf<typeof listAlarmGroups>) {
  return queryOptions({
    queryKey: [...GROUPS, query],
    queryFn: ({ signal }) => call(listAlarmGroups, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

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

/** Puts a new or changed alarm into the cached queries, and reloads its timeline. */
export function putAlarm(queries: QueryClient, alarm: Alarm): void {
  queries.setQueryData(alarmQuery(alarm.id).queryKey, alarm);
  void queries.invalidateQueries({ queryKey: courseQuery(alarm.id).queryKey });
  queries.setQueriesData<{ items: Alarm[]; total: number; open: number; unacknowledged: number }>(
    { queryKey: LISTS },
    (old) => old && { ...old, items: old.items.map((each) => (each.id === alarm.id ? alarm : each)) },
  );
}

export function refreshAlarmLists(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: GROUPS });
  void queries.invalidateQueries({ queryKey: LISTS });
}

/** Body of an action without the signature, which is asked for when the server requires it. */
type Unsigned<R extends RouteContract> = Omit<BodyOf<R>, 'signature'>;

const useBatches = crudChanges(ALARMS_KEY, { acknowledge: acknowledgeAlarms, end: endAlarms });

/** Acknowledges or ends several alarms, in portions; failures are in the result. One signature is for all portions. */
export function useAlarmBatches() {
  const { text } = useText();
  const batches = useBatches();
  return {
    acknowledge: (body: Unsigned<typeof acknowledgeAlarms>) => {
      const signing = createSigning('alarm-acknowledged', text('signatures.cancelled'));
      return inPortions(body, (portion) =>
        signing((signature) => batches.acknowledge({ ...portion, signature })),
      );
    },
    end: (body: Unsigned<typeof endAlarms>) => {
      const signing = createSigning('alarm-ended', text('signatures.cancelled'));
      return inPortions(body, (portion) => signing((signature) => batches.end({ ...portion, signature })));
    },
  };
}

/** Query of the timeline of an alarm. */
export function courseQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS_KEY, 'course', id],
    queryFn: ({ signal }) => call(getAlarmCourse, { params: { id }, signal, quiet: true }),
    // Whether messages were sent and have arrived changes without a change of the alarm.
    refetchInterval: 10_000,
  });
}

/** Healthy assets to which the goods of an alarm's asset can be moved. */
export function moveTargetsQuery(id: number) {
  return queryOptions({
    queryKey: [...ALARMS_KEY, 'move-targets', id],
    queryFn: ({ signal }) => call(listMoveTargets, { params: { id }, signal, quiet: true }),
  });
}

/** Query of the people to whom the alarm can be assigned. */
export function assigneesQuery(id: number, search: string) {
  return queryOptions({
    queryKey: [...ALARMS_KEY, 'assignees', id, search],
    queryFn: ({ signal }) => call(listAssignees, { params: { id }, query: { search }, signal, quiet: true }),
    placeholderData: keepPreviousData,
  });
}

/** Actions of a person on one alarm. Each returns the changed alarm. */
export function useAlarmActions({ id, peakLevel }: Pick<Alarm, 'id' | 'peakLevel'>) {
  const { text } = useText();
  const queries = useQueryClient();
  const params = { id };
  const sign = (meaning: SignatureMeaning) => createSigning(meaning, text('signatures.cancelled'));
  async function after(changed: Promise<Alarm>): Promise<Alarm> {
    try {
      const alarm = await changed;
      putAlarm(queries, alarm);
      return alarm;
    } finally {
      // The alarms are reloaded after an error, too, because someone else may have changed the alarm.
      void queries.invalidateQueries({ queryKey: ALARMS_KEY });
    }
  }
  return {
    acknowledge: (said: Omit<BodyOf<typeof acknowledgeAlarm>, 'level' | 'signature'>) =>
      after(
        sign('alarm-acknowledged')((signature) =>
          call(acknowledgeAlarm, { params, body: { ...said, level: peakLevel, signature }, quiet: true }),
        ),
      ),
    fix: () =>
      after(sign('alarm-fixed')((signature) => call(fixAlarm, { params, body: { signature }, quiet: true }))),
    end: (reason: string) =>
      after(
        sign('alarm-ended')((signature) =>
          call(endAlarm, { params, body: { reason, signature }, quiet: true }),
        ),
      ),
    assign: (accountId: number | null) => after(call(assignAlarm, { params, body: { accountId } })),
    comment: (text: string) => after(call(commentAlarm, { params, body: { text } })),
  };
}
