import { z } from 'zod';
import { getTrack, listTrackEvents, MAX_REPLAY_ASSETS, trackSpeedLimit, trackTolerance } from './maps.ts';
import { linkToken } from './public-links.ts';
import { defineRoute, id, MAX_CHANNEL_ID, moment } from './route.ts';
import { getCurve } from './telemetry.ts';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from './waybill-links.ts';

/** Points of a track that are shown each second (requirements §9). */
export const REPLAY_SPEEDS = [10, 60, 300] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];
export const DEFAULT_REPLAY_SPEED: ReplaySpeed = 60;
/** Number of channels in the chart of a replay, as many as a chart can have. */
const MAX_REPLAY_CHANNELS = 20;

const speed = z.union(REPLAY_SPEEDS.map((each) => z.literal(each)));

const replay = z.object({
  id: z.number().int(),
  name: z.string(),
  /** Number of its assets. */
  assets: z.number().int(),
  from: moment,
  to: moment,
  organizationName: z.string(),
  createdAt: moment,
  expiresAt: moment,
  /** When the link was last used; null: never. */
  lastOpenedAt: moment.nullable(),
});
export type SharedReplay = z.output<typeof replay>;

/** Lists the replays of the caller's scope whose public links still work. */
export const listSharedReplays = defineRoute({
  name: 'listSharedReplays',
  method: 'GET',
  path: '/map/replay',
  access: 'map-replay:share',
  summary: 'Replays whose public links still work',
  response: z.array(replay),
});

/** What a user enters to share the replay that is shown. */
export const replayLinkInput = z.strictObject({
  name: z.string().trim().min(1).max(60),
  days: z.union(LINK_DAYS.map((days) => z.literal(days))).default(DEFAULT_LINK_DAYS),
});

/**
 * Creates a public link that shows one replay without login. The token is returned only now. A range that ends later than now
 * ends now. The channels are those of the chart, which belong to the first asset. Throws `asset.not_found`,
 * `channel.not_found`, `curve.range`, `map.many_replays`.
 */
export const shareReplay = defineRoute({
  name: 'shareReplay',
  method: 'POST',
  path: '/map/replay',
  access: 'map-replay:share',
  summary: 'Create a public link of a replay',
  body: replayLinkInput.extend({
    assetIds: z.array(z.number().int().positive()).min(1).max(MAX_REPLAY_ASSETS),
    channelIds: z.array(z.number().int().positive().max(MAX_CHANNEL_ID)).max(MAX_REPLAY_CHANNELS).default([]),
    from: moment,
    to: moment,
    speed: speed.default(DEFAULT_REPLAY_SPEED),
    skipsStops: z.boolean().default(true),
  }),
  response: z.object({ token: z.string(), replays: z.array(replay) }),
});

/** Revokes the public link of a replay. Throws `link.not_found`. */
export const revokeSharedReplay = defineRoute({
  name: 'revokeSharedReplay',
  method: 'DELETE',
  path: '/map/replay/:id',
  access: 'map-replay:share',
  summary: 'Revoke the public link of a replay',
  params: z.object({ id }),
  response: z.array(replay),
});

/** What a replay consists of, by its public link. Throws `link.not_found`, `request.too_many`. */
export const viewSharedReplay = defineRoute({
  name: 'viewSharedReplay',
  method: 'POST',
  path: '/link/replay',
  access: 'public',
  summary: 'The range and the assets of a replay by its public link',
  body: z.strictObject({ token: linkToken }),
  response: z.object({
    name: z.string(),
    from: moment,
    to: moment,
    speed,
    skipsStops: z.boolean(),
    /** The assets that still belong to the organisation. */
    assetIds: z.array(z.number().int()),
    /** Number of assets that do not belong to it any more. */
    missing: z.number().int(),
    /** True if the first asset has a chart. */
    hasChart: z.boolean(),
  }),
});
export type SharedReplayView = z.output<typeof viewSharedReplay.response>;

/** The track of one asset of a replay. Throws `link.not_found`, `asset.not_found`, `request.too_many`. */
export const viewReplayTrack = defineRoute({
  name: 'viewReplayTrack',
  method: 'POST',
  path: '/link/replay/track',
  access: 'public',
  summary: 'The track of an asset of a replay by its public link',
  body: z.strictObject({
    token: linkToken,
    assetId: z.number().int().positive(),
    /** As in `getTrack`. */
    toleranceM: trackTolerance(z.number()),
    speedLimitKmh: trackSpeedLimit(z.number()),
  }),
  response: getTrack.response,
});

/**
 * Door openings and excursions of the channels of the chart, which belong to the first asset; none for other assets. Throws what
 * `viewReplayTrack` throws.
 */
export const viewReplayEvents = defineRoute({
  name: 'viewReplayEvents',
  method: 'POST',
  path: '/link/replay/event',
  access: 'public',
  summary: 'Door openings and excursions of an asset of a replay by its public link',
  body: z.strictObject({ token: linkToken, assetId: z.number().int().positive() }),
  response: listTrackEvents.response,
});

/**
 * The chart of a replay, of a part of its range if one is given. Without the numbers of devices and sensors. Throws
 * `link.not_found`, `channel.not_found` without a chart, `curve.range`, `request.too_many`.
 */
export const viewReplayCurve = defineRoute({
  name: 'viewReplayCurve',
  method: 'POST',
  path: '/link/replay/curve',
  access: 'public',
  summary: 'The chart of a replay by its public link',
  body: z.strictObject({
    token: linkToken,
    from: moment.optional(),
    to: moment.optional(),
    points: z.number().int().min(10).max(4000).default(800),
  }),
  response: getCurve.response,
});
