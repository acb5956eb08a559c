import { type AlarmPopup, confirmPopups, listPopups, MAX_POPUPS } from '@isotherm/contracts/alarm-popups';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

/** The server tells the console when something waits; the interval catches what was missed. */
const REFRESH_MS = 60_000;

export const popupsQuery = queryOptions({
  queryKey: ['alarm-popups'],
  queryFn: ({ signal }) => call(listPopups, { signal, quiet: true }),
  refetchInterval: REFRESH_MS,
  staleTime: 0,
});

/**
 * Tells the server that popups were shown, so that they count as delivered, and forgets them, so that a closed one does not
 * come back. If the server has returned as many as it does at once, more may wait.
 *
 * @param waiting how many the server has returned
 */
export async function confirmShown(
  queries: QueryClient,
  popups: readonly AlarmPopup[],
  waiting: number,
): Promise<void> {
  await call(confirmPopups, {
    body: {
      ids: popups.filter(({ alarmId }) => alarmId !== null).map(({ id }) => id),
      testMessageIds: popups.filter(({ testId }) => testId !== null).map(({ id }) => id),
    },
    quiet: true,
  });
  const shown = new Set(popups);
  queries.setQueryData(popupsQuery.queryKey, (known) => known?.filter((popup) => !shown.has(popup)));
  if (waiting >= MAX_POPUPS) await queries.invalidateQueries({ queryKey: popupsQuery.queryKey });
}
