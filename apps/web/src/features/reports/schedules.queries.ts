import {
  createReportSchedule,
  deleteReportSchedule,
  editReportSchedule,
  getReportSchedule,
  listReportRuns,
  runReportSchedule,
} from '@isotherm/contracts/report-schedules';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

export const SCHEDULES_KEY = ['reports', 'schedules'] as const;
/** Number of reports that the history shows. */
const SHOWN_RUNS = 30;
const REFRESH_MS = 3_000;

export const loadSchedule = (id: number, signal: AbortSignal) =>
  call(getReportSchedule, { params: { id }, signal });

/** Mutations of scheduled reports. The caller shows failures. */
export const useScheduleChanges = crudChanges(SCHEDULES_KEY, {
  create: createReportSchedule,
  edit: editReportSchedule,
  remove: deleteReportSchedule,
  run: runReportSchedule,
});

/** History of a schedule, which is repeated while a report is created or sent. */
export function runsQuery(id: number) {
  return queryOptions({
    queryKey: [...SCHEDULES_KEY, 'runs', id],
    queryFn: ({ signal }) =>
      call(listReportRuns, { params: { id }, query: { pageSize: SHOWN_RUNS }, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(
        ({ state, deliveries }) =>
          state === 'waiting' || state === 'running' || deliveries.some((each) => each.state === 'pending'),
      )
        ? REFRESH_MS
        : false,
  });
}
