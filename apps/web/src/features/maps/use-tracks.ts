import { MAX_REPLAY_ASSETS } from '@isotherm/contracts/maps';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { type TrackSource, trackEventsQuery, trackQuery } from './maps.queries.ts';
import { type AssetTrack, assetTrack, type TrackReadings } from './track-data.ts';

export interface Tracks {
  /** Those that are loaded, in the order of the assets. */
  tracks: readonly AssetTrack[];
  /** Door openings and excursions of the first track, once they are loaded. */
  readings: TrackReadings | undefined;
  /** A request for a track that failed without an earlier answer. */
  failed: Failed | undefined;
  /** The same for the readings. */
  readingsFailed: Failed | undefined;
  /** Takes the metres of a pixel: whoever zooms in gets the tracks in more detail, and keeps them when zooming out again. */
  onPixel(pixelM: number): void;
}

/** A failed request. */
export interface Failed {
  error: Error | null;
  refetch(): unknown;
}

/** Loads the tracks of a replay. `source` must be the same object in each render. */
export function useTracks(assetIds: readonly number[], source: TrackSource, speedLimitKmh: number): Tracks {
  const client = useQueryClient();
  const [toleranceM, setTolerance] = useState<number | null>(null);
  const how = { toleranceM, speedLimitKmh };
  const results = useQueries({ queries: assetIds.map((id) => trackQuery(source, id, how, client)) });
  // As many on each render, although assets are added and removed.
  const loaded = Array.from({ length: MAX_REPLAY_ASSETS }, (_, place) => results[place]?.data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of answers is new on each render, its members are not.
  const tracks = useMemo(() => loaded.filter((each) => each !== undefined).map(assetTrack), [...loaded]);
  const [firstId] = assetIds;
  const events = useQuery({ ...trackEventsQuery(source, firstId ?? 0), enabled: firstId !== undefined });
  // Tracks are shown as they come: that of another asset may be the first for a while.
  const areOfMain = tracks[0]?.assetId === firstId;
  return {
    tracks,
    readings: areOfMain ? events.data : undefined,
    failed: results.find(({ error, data }) => error && !data),
    readingsFailed: areOfMain && events.error && !events.data ? events : undefined,
    onPixel(pixelM) {
      const isCoarse = tracks.some((track) => track.toleranceM > pixelM);
      if (isCoarse && pixelM < (toleranceM ?? Number.POSITIVE_INFINITY)) setTolerance(toleranceFor(pixelM));
    },
  };
}

/** A quarter of a pixel to one, in steps of four, so that not each change of the zoom loads the tracks. */
export const toleranceFor = (pixelM: number): number =>
  pixelM < 1 ? 0 : 4 ** Math.floor(Math.log(pixelM) / Math.log(4));
