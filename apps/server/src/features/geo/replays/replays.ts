import { AppError } from '@isotherm/contracts/errors';
import { MAX_TRACK_RANGE_MS } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  listSharedReplays,
  revokeSharedReplay,
  type SharedReplay,
  shareReplay,
  viewReplayCurve,
  viewReplayEvents,
  viewReplayTrack,
  viewSharedReplay,
} from '@isotherm/contracts/shared-replays';
import type { getCurve } from '@isotherm/contracts/telemetry';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FindLink, PublicLinks } from '../../../platform/public-links/public-links.ts';
import type { GeoService } from '../geo.service.ts';
import {
  deleteClosedReplays,
  findReplay,
  insertReplay,
  keepAssets,
  keepChannels,
  listOpenReplays,
  lockReplays,
  type OpenReplayRow,
  PURPOSE,
  type ReplayRow,
} from './replays.repo.ts';

const DAY_MS = 86_400_000;
/** More links of an organisation than this are not needed; old ones can be revoked. */
const MOST_REPLAYS = 50;
/** Calls by one link in a quarter of an hour: several readers, who zoom in map and chart. */
const MOST_CALLS = 2_000;
/** Calls for the events by one link in a quarter of an hour: each reads the readings of up to 31 days, and a page needs one. */
const MOST_EVENT_CALLS = 200;

export interface ReplayParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  /** The chart of channels of a scope. */
  curveOf(
    caller: { scope: string },
    query: { channels: number[]; from: string; to: string; points: number; told: 'corrected' },
  ): Promise<ResponseOf<typeof getCurve>>;
  links: Pick<PublicLinks, 'create' | 'use' | 'revoke'>;
  findLink: FindLink;
  /** Counts calls of a subject against a limit. */
  limit: (subject: string, most: number) => Promise<void>;
}

/** Mounts the sharing of replays, and what whoever has the public link sees without login. */
export function mountReplays(
  mount: Mount,
  service: Pick<GeoService, 'track' | 'events'>,
  parts: ReplayParts,
): void {
  const { pool, audit, clock, curveOf, links, findLink, limit } = parts;

  const list = async (db: Db, scope: string): Promise<SharedReplay[]> =>
    (await listOpenReplays(db, scope, new Date(clock.now()))).map(
      ({ id, name, assetIds, from, to, organizationName, createdAt, expiresAt, lastOpenedAt }) => ({
        id,
        name,
        assets: assetIds.length,
        from: from.toISOString(),
        to: to.toISOString(),
        organizationName,
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        lastOpenedAt: lastOpenedAt?.toISOString() ?? null,
      }),
    );

  const entryOf = ({ id, name, organizationPath, assetIds, from, to, expiresAt }: OpenReplayRow) => ({
    objectKind: 'shared-replay',
    objectId: id,
    objectName: name,
    organizationPath,
    fields: {
      assets: assetIds,
      from: from.toISOString(),
      to: to.toISOString(),
      expiresAt: expiresAt.toISOString(),
    },
  });

  /** The replay of a link that works, with those of its assets that still belong to the organisation. */
  async function open(token: string, address: string): Promise<{ replay: ReplayRow; assetIds: number[] }> {
    const link = await findLink(PURPOSE, token, address);
    if (!link) throw new AppError('link.not_found');
    await limit(`replay:${link.subjectId}`, MOST_CALLS);
    const replay = await findReplay(pool, link.subjectId);
    if (!replay) throw new AppError('link.not_found');
    return { replay, assetIds: await keepAssets(pool, replay.organizationPath, replay.assetIds) };
  }

  /** Channels of the chart: those of the first asset, while it belongs to the organisation. */
  const channelsOf = async (replay: ReplayRow, assetIds: readonly number[]): Promise<number[]> => {
    const [first] = replay.assetIds;
    return first === undefined || !assetIds.includes(first)
      ? []
      : keepChannels(pool, first, replay.channelIds);
  };

  mount(listSharedReplays, ({ caller }) => list(pool, caller.scope));

  mount(shareReplay, ({ caller, body: { days, ...body } }) =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const { organizationId, scope } = caller;
      const assetIds = [...new Set(body.assetIds)];
      const channelIds = [...new Set(body.channelIds)];
      if ((await keepAssets(tx, scope, assetIds)).length < assetIds.length)
        throw new AppError('asset.not_found');
      if ((await keepChannels(tx, assetIds[0] as number, channelIds)).length < channelIds.length)
        throw new AppError('channel.not_found');
      const from = new Date(body.from);
      // A range that ends later would show what happens after the link was made.
      const to = new Date(Math.min(Date.parse(body.to), now));
      if (!(to > from && to.getTime() - from.getTime() <= MAX_TRACK_RANGE_MS))
        throw new AppError('curve.range', { days: MAX_TRACK_RANGE_MS / DAY_MS });
      await lockReplays(tx, organizationId);
      await deleteClosedReplays(tx, organizationId);
      if ((await listOpenReplays(tx, scope, new Date(now))).length >= MOST_REPLAYS)
        throw new AppError('map.many_replays', { most: MOST_REPLAYS });
      const { name, speed, skipsStops } = body;
      const replay = { name, assetIds, channelIds, from, to, speed, skipsStops };
      const id = await insertReplay(tx, organizationId, replay, new Date(now));
      const token = await links.create(
        tx,
        { purpose: PURPOSE, subjectId: id, person: null, lifeMs: days * DAY_MS, mostUses: null, sentBy: '' },
        now,
      );
      const made = (await listOpenReplays(tx, scope, new Date(now))).find((each) => each.id === id);
      const { fields, ...entry } = entryOf(made as OpenReplayRow);
      await audit.record(tx, caller, { action: 'create', ...entry, after: fields });
      return { token, replays: await list(tx, scope) };
    }),
  );

  mount(revokeSharedReplay, ({ caller, params: { id } }) =>
    transaction(pool, async (tx) => {
      const shared = await listOpenReplays(tx, caller.scope, new Date(clock.now()));
      const replay = shared.find((each) => each.id === id);
      const link = replay && { id: replay.linkId, by: caller.accountId };
      if (!link || !(await links.revoke(tx, PURPOSE, id, link, clock.now())))
        throw new AppError('link.not_found');
      const { fields, ...entry } = entryOf(replay);
      await audit.record(tx, caller, { action: 'delete', ...entry, before: fields });
      return list(tx, caller.scope);
    }),
  );

  mount(viewSharedReplay, async ({ body: { token }, address }) => {
    const { replay, assetIds } = await open(token, address);
    await transaction(pool, (tx) => links.use(tx, PURPOSE, token, clock.now()));
    const { name, from, to, speed, skipsStops } = replay;
    return {
      name,
      from: from.toISOString(),
      to: to.toISOString(),
      speed,
      skipsStops,
      assetIds,
      missing: replay.assetIds.length - assetIds.length,
      hasChart: (await channelsOf(replay, assetIds)).length > 0,
    };
  });

  mount(viewReplayTrack, async ({ body: { token, assetId, toleranceM, speedLimitKmh }, address }) => {
    const { replay, assetIds } = await open(token, address);
    if (!assetIds.includes(assetId)) throw new AppError('asset.not_found');
    const [from, to] = [replay.from.toISOString(), replay.to.toISOString()];
    const scope = replay.organizationPath;
    const track = await service.track({ scope }, assetId, { from, to, toleranceM, speedLimitKmh });
    return { ...track, alarms: track.alarms.map((alarm) => withinRange(alarm, replay)) };
  });

  mount(viewReplayEvents, async ({ body: { token, assetId }, address }) => {
    const { replay, assetIds } = await open(token, address);
    await limit(`replay-events:${replay.id}`, MOST_EVENT_CALLS);
    if (!assetIds.includes(assetId)) throw new AppError('asset.not_found');
    const [from, to] = [replay.from.toISOString(), replay.to.toISOString()];
    // A link shows the channels of its chart and no others; only the first asset has a chart.
    const channelIds = assetId === replay.assetIds[0] ? await channelsOf(replay, assetIds) : [];
    return service.events({ scope: replay.organizationPath }, assetId, { from, to }, channelIds);
  });

  mount(viewReplayCurve, async ({ body: { token, points, ...part }, address }) => {
    const { replay, assetIds } = await open(token, address);
    const channels = await channelsOf(replay, assetIds);
    if (channels.length === 0) throw new AppError('channel.not_found');
    const within = (moment: string | undefined, otherwise: Date) =>
      moment === undefined
        ? otherwise
        : new Date(Math.min(Math.max(Date.parse(moment), replay.from.getTime()), replay.to.getTime()));
    const curve = await curveOf(
      { scope: replay.organizationPath },
      {
        channels,
        from: within(part.from, replay.from).toISOString(),
        to: within(part.to, replay.to).toISOString(),
        points,
        told: 'corrected',
      },
    );
    return {
      ...curve,
      series: curve.series.map((each) => ({ ...each, sources: [] })),
      alarms: curve.alarms.map((alarm) => withinRange(alarm, replay)),
    };
  });
}

/** An alarm as it was at the end of the range: what happened later is not part of the replay. */
function withinRange<Alarm extends { endedAt: string | null }>(alarm: Alarm, { to }: ReplayRow): Alarm {
  const hasEnded = alarm.endedAt !== null && Date.parse(alarm.endedAt) <= to.getTime();
  return hasEnded ? alarm : { ...alarm, endedAt: null };
}
