import {
  createPayloadMapping,
  deletePayloadMapping,
  editPayloadMapping,
  getPayloadMapping,
  getUnmappedValues,
  listDeviceModels,
  tryPayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import type { BodyOf } from '@isotherm/contracts/route';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const MAPPINGS_KEY = ['devices', 'mappings'] as const;

/**
 * Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted mapping explains the
 * failure.
 */
export const loadMapping = (id: number, signal: AbortSignal) =>
  call(getPayloadMapping, { params: { id }, signal });

export const deviceModelsQuery = queryOptions({
  queryKey: ['devices', 'models'],
  queryFn: ({ signal }) => call(listDeviceModels, { signal, quiet: true }),
  staleTime: 60_000,
});

export function mappingQuery(id: number) {
  return queryOptions({
    queryKey: [...MAPPINGS_KEY, 'one', id],
    queryFn: ({ signal }) => loadMapping(id, signal),
  });
}

const REFRESH_MS = 10_000;

/**
 * Query for the unmapped names of a device. It is repeated after a mapping changes, because its names are
 * then mapped.
 */
export function unmappedQuery(number: string) {
  return queryOptions({
    queryKey: [...MAPPINGS_KEY, 'unmapped', number],
    queryFn: ({ signal }) => call(getUnmappedValues, { params: { number }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  });
}

/** Query for the readings that a test payload would give; an empty payload is not sent. */
export function triedQuery(body: BodyOf<typeof tryPayloadMapping>) {
  return queryOptions({
    queryKey: ['devices', 'tried-payload', body],
    queryFn: ({ signal }) => call(tryPayloadMapping, { body, signal, quiet: true }),
    enabled: body.payload.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** Mutations of mappings. The caller shows failures. */
export const useMappingChanges = crudChanges(MAPPINGS_KEY, {
  create: createPayloadMapping,
  edit: editPayloadMapping,
  remove: deletePayloadMapping,
});
