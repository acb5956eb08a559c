import type { ImportForm } from '@isotherm/contracts/batches';
import {
  createGeofence,
  deleteGeofence,
  editGeofence,
  exportGeofences,
  getGeofence,
  importGeofences,
  listFenceOutlines,
} from '@isotherm/contracts/geofences';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { saveDownload } from '../../../shared/api/save-download.ts';

export const FENCES_KEY = ['maps', 'fences'] as const;
/** Interval at which the numbers of assets inside are read. */
const OUTLINES_EVERY_MS = 60_000;

/** Outlines of all geofences; `mayView` is false for users without the permission. */
export const outlinesQuery = (mayView: boolean) =>
  queryOptions({
    queryKey: [...FENCES_KEY, 'outlines'],
    queryFn: ({ signal }) => call(listFenceOutlines, { signal, quiet: true }),
    refetchInterval: OUTLINES_EVERY_MS,
    enabled: mayView,
  });

export const fenceQuery = (id: number | null) =>
  queryOptions({
    queryKey: [...FENCES_KEY, 'one', id],
    queryFn: ({ signal }) => call(getGeofence, { params: { id: id ?? 0 }, signal, quiet: true }),
    enabled: id !== null,
    // A form must start with the stored record, not with a cached one.
    gcTime: 0,
  });

export const useFenceChanges = crudChanges(FENCES_KEY, {
  create: createGeofence,
  edit: editGeofence,
  remove: deleteGeofence,
});

/** Uploads a file with geofences for an organisation. */
export const uploadFences = (form: ImportForm, organizationId: number) =>
  call(importGeofences, { body: { ...form, organizationId }, quiet: true });

/** Downloads the geofences as GeoJSON. */
export const saveFences = (search: string): Promise<void> =>
  saveDownload(exportGeofences, { query: { search } });
