import { getHandover, previewHandover, signHandover, takeHandover } from '@isotherm/contracts/handovers';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const HANDOVERS_KEY = ['alarms', 'handovers'] as const;
const REFRESH_MS = 30_000;

export const handoverQuery = (id: number) =>
  queryOptions({
    queryKey: [...HANDOVERS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getHandover, { params: { id }, signal, quiet: true }),
  });

/** What would be handed over now; `from` is null for the time since the last handover. */
export const previewQuery = (organizationId: number, from: string | null) =>
  queryOptions({
    queryKey: [...HANDOVERS_KEY, 'now', organizationId, from],
    queryFn: ({ signal }) =>
      call(previewHandover, {
        query: { organizationId, ...(from === null ? {} : { from }) },
        signal,
        quiet: true,
      }),
    refetchInterval: REFRESH_MS,
  });

export const useHandoverChanges = crudChanges(HANDOVERS_KEY, { sign: signHandover, take: takeHandover });
