import {
  createSuppression,
  editSuppression,
  endSuppression,
  getSuppression,
  listSuppressions,
} from '@isotherm/contracts/suppressions';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const SUPPRESSIONS_KEY = ['alarms', 'suppressions'] as const;
/** Number of windows on the page of an asset. */
const OF_ONE = 100;
const REFRESH_MS = 30_000;

export const suppressionQuery = (id: number) =>
  queryOptions({
    queryKey: [...SUPPRESSIONS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getSuppression, { params: { id }, signal, quiet: true }),
  });

/** The newest windows that reach an asset. */
export const assetSuppressionsQuery = (assetId: number) =>
  queryOptions({
    queryKey: [...SUPPRESSIONS_KEY, 'of', assetId],
    queryFn: ({ signal }) =>
      call(listSuppressions, { query: { assetId, pageSize: OF_ONE }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  });

/** Changes of windows. The alarms are reloaded as well, because they show what is held back. */
export const useSuppressionChanges = crudChanges(['alarms'], {
  create: createSuppression,
  edit: editSuppression,
  end: endSuppression,
});
