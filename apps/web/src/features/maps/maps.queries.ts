import { exportTracks, getTrack, listMapMarks, listTrackEvents } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { TrackFormat } from '@isotherm/domain/geo/track-files';
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { saveDownload } from '../../shared/api/save-download.ts';
import type { Region } from '../../shared/map/map-places.ts';

/** Interval at which positions and states are read while the map is visible. */
const MARKS_EVERY_MS = 10_000;

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

/** Where the tracks of a replay are read. */
export interface TrackSource {
  /** What identifies the range. */
  key: readonly (string | number)[];
  /** True if the range moves on with time. */
  isLive: boolean;
  /** Reads a track with at most `toleranceM` metres of error; null: as the server chooses. */
  read(
    assetId: number,
    how: { toleranceM: number | null; speedLimitKmh: number },
    signal: AbortSignal,
  ): Promise<ResponseOf<typeof getTrack>>;
  /** Reads the door openings and excursions of an asset. */
  readEvents(assetId: number, signal: AbortSignal): Promise<ResponseOf<typeof listTrackEvents>>;
}

/** The tracks of a range, for users who may see the assets. */
export const tracksOf = (range: { from: number; to: number }, isLive: boolean): TrackSource => ({
  key: [range.from, range.to],
  isLive,
  read: (id, { toleranceM, speedLimitKmh }, signal) =>
    call(getTrack, {
      params: { id },
      query: { ...isoRange(range), speedLimitKmh, ...(toleranceM === null ? {} : { toleranceM }) },
      signal,
      quiet: true,
    }),
  readEvents: (id, signal) =>
    call(listTrackEvents, { params: { id }, query: isoRange(range), signal, quiet: true }),
});

/**
 * The track of an asset. While a new range is loaded, the track of the range before stays: a live range moves on every few
 * seconds, and the replay must not start over.
 */
export function trackQuery(
  { key, isLive, read }: TrackSource,
  assetId: number,
  how: { toleranceM: number | null; speedLimitKmh: number },
  client: QueryClient,
) {
  return queryOptions({
    queryKey: ['maps', 'track', assetId, ...key, how],
    queryFn: ({ signal }) => read(assetId, how, signal),
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

/** Interval at which the events of a live range are read: the server reads all readings of the range for them. */
const EVENTS_EVERY_MS = 2 * 60_000;

/**
 * What the readings of an asset say about the time of its track. While a new range is loaded, the answer for the range before
 * stays, of the same asset only.
 */
export const trackEventsQuery = ({ key, isLive, readEvents }: TrackSource, assetId: number) =>
  queryOptions({
    queryKey: ['maps', 'track-events', assetId, ...(isLive ? key.map(roundedDown) : key)],
    queryFn: ({ signal }) => readEvents(assetId, signal),
    placeholderData: (data: ResponseOf<typeof listTrackEvents> | undefined, query) =>
      query?.queryKey[2] === assetId ? data : undefined,
    staleTime: EVENTS_EVERY_MS,
    gcTime: EVENTS_EVERY_MS,
  });

/** A live range moves on every few seconds; with rounded ends it stays the same for some minutes. */
const roundedDown = (part: string | number) =>
  typeof part === 'number' ? Math.floor(part / EVENTS_EVERY_MS) : part;

/** Downloads the tracks as one file. */
export async function saveTracks(
  assetIds: readonly number[],
  range: { from: number; to: number },
  format: TrackFormat,
): Promise<void> {
  await saveDownload(exportTracks, { body: { assetIds: [...assetIds], ...isoRange(range), format } });
}

const isoRange = ({ from, to }: { from: number; to: number }) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
