import {
  confirmAlarmTest,
  createTestSchedule,
  deleteTestSchedule,
  editTestSchedule,
  getAlarmTest,
  listAlarmTests,
  recordTestConfirmation,
  runAlarmTest,
  runAssetAlarmTest,
} from '@isotherm/contracts/alarm-tests';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export const TESTS_KEY = ['alarms', 'tests'] as const;
export const TEST_SCHEDULES_KEY = ['alarms', 'test-schedules'] as const;
const KEYS = [TESTS_KEY];
/** While messages are sent, the open test is reloaded. */
const SENDING_MS = 2_000;
const REFRESH_MS = 30_000;

export const alarmTestQuery = (id: number) =>
  queryOptions({
    queryKey: [...TESTS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getAlarmTest, { params: { id }, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) =>
      data?.sent.some(({ state }) => state === 'pending' || state === 'sending') ? SENDING_MS : REFRESH_MS,
  });

/** The last test of an asset. */
export const assetTestsQuery = (assetId: number) =>
  queryOptions({
    queryKey: [...TESTS_KEY, 'asset', assetId],
    queryFn: ({ signal }) => call(listAlarmTests, { query: { assetId, pageSize: 1 }, signal, quiet: true }),
  });

export const useTestChanges = crudChanges(TESTS_KEY, {
  run: runAlarmTest,
  runForAsset: runAssetAlarmTest,
  confirm: confirmAlarmTest,
});

/** Returns the function that records a confirmation by phone. */
export function useRecordConfirmation() {
  const after = useRefreshing(KEYS);
  return (id: number, messageId: number, name: string) =>
    after(call(recordTestConfirmation, { params: { id, messageId }, body: { name }, quiet: true }));
}

export const useTestScheduleChanges = crudChanges(TEST_SCHEDULES_KEY, {
  create: createTestSchedule,
  edit: editTestSchedule,
  remove: deleteTestSchedule,
});
