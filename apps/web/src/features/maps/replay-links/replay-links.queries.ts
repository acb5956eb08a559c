import {
  listSharedReplays,
  type SharedReplayView,
  viewReplayCurve,
  viewReplayEvents,
  viewReplayTrack,
  viewSharedReplay,
} from '@isotherm/contracts/shared-replays';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { LinkedReading } from '../../../shared/api/use-linked-view.ts';
import type { TrackSource } from '../maps.queries.ts';

export const REPLAY_LINKS_KEY = ['maps', 'replay-links'] as const;

/** Replays whose public links still work. */
export const replayLinksQuery = () =>
  queryOptions({
    queryKey: REPLAY_LINKS_KEY,
    queryFn: ({ signal }) => call(listSharedReplays, { signal, quiet: true }),
  });

/** A replay does not change; it is read again so that a page that stays open ends with its link. */
export const LINKED_REPLAY: LinkedReading<SharedReplayView> = {
  read: (token, signal) => call(viewSharedReplay, { body: { token }, quiet: true, signal }),
  everyMs: 60_000,
  refusals: ['link.not_found'],
};

/** The tracks of a replay by its public link. */
export const linkedTracks = (token: string): TrackSource => ({
  key: ['link', token],
  isLive: false,
  read: (assetId, { toleranceM, speedLimitKmh }, signal) =>
    call(viewReplayTrack, {
      body: { token, assetId, speedLimitKmh, ...(toleranceM === null ? {} : { toleranceM }) },
      quiet: true,
      signal,
    }),
  readEvents: (assetId, signal) => call(viewReplayEvents, { body: { token, assetId }, quiet: true, signal }),
});

/** Reads a part of the chart of a replay by its public link. */
export const readLinkedCurve = (
  token: string,
  part: { from: string; to: string; points: number },
  signal: AbortSignal,
) => call(viewReplayCurve, { body: { token, ...part }, quiet: true, signal });
