import { exportTrack, getTrack, listMapMarks } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { TrackFormat } from '@isotherm/domain/geo/track-files';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { saveDownload } from '../../shared/api/save-download.ts';

/** Interval at which positions and states are read while the map is visible. */
const MARKS_EVERY_MS = 10_000;

export type Region = readonly [west: number, south: number, east: number, north: number];

/**
 * Assets with a position: all of them, or those of a region if there are too many for one answer. Then the server searches,
 * too, since the browser has only a part.
 */
export function marksQuery(region: Region | null, search = '') {
  return queryOptions({
    queryKey: ['maps', 'marks', region, search],
    queryFn: ({ signal }) =>
      call(listMapMarks, {
        query: {
          ...(region ? { bounds: region.map((degrees) => degrees.toFixed(4)).join(',') } : {}),
          search: search.slice(0, 100),
        },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: MARKS_EVERY_MS,
  });
}

/**
 * The track of an asset, at most `toleranceM` metres from where it was; null: as the server chooses. While a new range is
 * loaded, the track of the range before stays: a live range moves on every few seconds, and the replay must not start over.
 */
export function trackQuery(
  assetId: number,
  range: { from: number; to: number },
  toleranceM: number | null,
  isLive: boolean,
  client: QueryClient,
) {
  return queryOptions({
    queryKey: ['maps', 'track', assetId, range.from, range.to, toleranceM],
    queryFn: ({ signal }) =>
      call(getTrack, {
        params: { id: assetId },
        query: { ...isoRange(range), ...(toleranceM === null ? {} : { toleranceM }) },
        signal,
        quiet: true,
      }),
    placeholderData: newestTrack(client, assetId),
    staleTime: isLive ? 0 : 60_000,
    gcTime: 60_000,
  });
}

/** `keepPreviousData` has no effect in `useQueries`, which makes a new observer for each key. */
function newestTrack(client: QueryClient, assetId: number): ResponseOf<typeof getTrack> | undefined {
  const loaded = client
    .getQueryCache()
    .findAll({ queryKey: ['maps', 'track', assetId] })
    .filter(({ state }) => state.data !== undefined)
    .sort((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt);
  return loaded[0]?.state.data as ResponseOf<typeof getTrack> | undefined;
}

/** Downloads the track as a file. */
export async function saveTrack(
  assetId: number,
  range: { from: number; to: number },
  format: TrackFormat,
): Promise<void> {
  await saveDownload(exportTrack, { params: { id: assetId }, body: { ...isoRange(range), format } });
}

const isoRange = ({ from, to }: { from: number; to: number }) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
