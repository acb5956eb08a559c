import { AppError } from '@isotherm/contracts/errors';
import {
  type exportTracks,
  type getTrack,
  type listMapMarks,
  type listTrackEvents,
  MAX_FOUND_MARKS,
  MAX_MARKS,
  MAX_REGION_MARKS,
  MAX_TRACK_FENCE_EVENTS,
  MAX_TRACK_RANGE_MS,
  MAX_WORST_MARKS,
  type MapMark,
} from '@isotherm/contracts/maps';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import { compareByAttention } from '@isotherm/domain/assets/attention';
import { judgeTrack } from '@isotherm/domain/geo/track';
import { type SavedTrack, TRACK_TYPES, trackFile } from '@isotherm/domain/geo/track-files';
import { inWords } from '@isotherm/i18n/system-names';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { onePiece } from '../../platform/http/one-piece.ts';
import type { AssetsService } from '../assets/index.ts';
import { listFenceEvents } from './fences/events.repo.ts';
import {
  type Bounds,
  countPlaces,
  findAssetName,
  findPlaces,
  listCells,
  listPlaces,
  listTrackAlarms,
  listWorstPlaces,
  type PlaceCounts,
  type PlaceRow,
} from './geo.repo.ts';
import { createPlaceClusters } from './place-clusters.ts';
import { shownTrack } from './shown-track.ts';
import { toPlace } from './to-place.ts';
import { loadTrackEvents } from './track-events.ts';
import { loadFixes } from './track-lines.ts';

const WORLD: Bounds = [-180, -90, 180, 90];
/** Numbers of assets of a large organisation are counted as often at most. */
const COUNTED_EVERY_MS = 30_000;
const MOST_SCOPES = 1_000;

type Marks = ResponseOf<typeof listMapMarks>;
type Track = ResponseOf<typeof getTrack>;
interface Range {
  from: string;
  to: string;
}

export interface GeoService {
  marks(caller: Caller, query: { bounds?: Bounds | undefined; search?: string }): Promise<Marks>;
  track(
    caller: Pick<Caller, 'scope'>,
    assetId: number,
    range: Range & { toleranceM?: number | undefined; speedLimitKmh: number },
  ): Promise<Track>;
  events(
    caller: Pick<Caller, 'scope'>,
    assetId: number,
    range: Range,
  ): Promise<ResponseOf<typeof listTrackEvents>>;
  export(caller: Caller, body: z.output<(typeof exportTracks)['body']>): Promise<Download>;
}

export interface GeoNeeds {
  pool: pg.Pool;
  clock: Clock;
  audit: Pick<Audit, 'recordAlone'>;
  cardsOf: AssetsService['cardsOf'];
  /** Numbers of assets up to which each is sent by itself: in all of the scope, and in a region of a larger one. */
  limits?: { all: number; region: number };
}

export function createGeoService({
  pool,
  clock,
  audit,
  cardsOf,
  limits = { all: MAX_MARKS, region: MAX_REGION_MARKS },
}: GeoNeeds): GeoService {
  const findClusters = createPlaceClusters((scope, bounds, size) => listCells(pool, scope, bounds, size));
  const counted = new LRUCache<string, PlaceCounts>({ max: MOST_SCOPES, ttl: COUNTED_EVERY_MS });

  async function countsOf(scope: string): Promise<PlaceCounts> {
    const known = counted.get(scope);
    if (known) return known;
    const counts = await countPlaces(pool, scope);
    if (counts.positioned > limits.all) counted.set(scope, counts);
    return counts;
  }

  async function marksOf(caller: Caller, places: readonly PlaceRow[]): Promise<MapMark[]> {
    const placeOf = new Map(places.map((row) => [row.id, row]));
    const cards = await cardsOf([...placeOf.keys()], caller.scope);
    return cards
      .map(({ card }): MapMark => {
        const { id, kind, name, place, organizationName, state, main } = card;
        const at = toPlace(placeOf.get(id) as PlaceRow);
        return { id, kind, name, place, organizationName, state, main, at };
      })
      .sort(compareByAttention);
  }

  /** Throws `curve.range`, and `asset.not_found` also for an asset outside the caller's scope. */
  async function find(caller: Pick<Caller, 'scope'>, assetId: number, range: Range) {
    const [from, to] = [new Date(range.from), new Date(range.to)];
    const length = to.getTime() - from.getTime();
    if (!(length > 0 && length <= MAX_TRACK_RANGE_MS))
      throw new AppError('curve.range', { days: MAX_TRACK_RANGE_MS / 86_400_000 });
    const name = await findAssetName(pool, caller.scope, assetId);
    if (name === null) throw new AppError('asset.not_found');
    return { name, from, to };
  }

  /** Throws what `find` throws. */
  async function load(caller: Pick<Caller, 'scope'>, assetId: number, range: Range) {
    const found = await find(caller, assetId, range);
    return { ...found, fixes: await loadFixes(pool, assetId, found.from, found.to) };
  }

  return {
    async marks(caller, { bounds = WORLD, search = '' }) {
      const counts = await countsOf(caller.scope);
      const serverTime = new Date(clock.now()).toISOString();
      const single = async (places: readonly PlaceRow[]): Promise<Marks> => ({
        marks: await marksOf(caller, places),
        clusters: [],
        inView: places.length,
        ...counts,
        serverTime,
      });
      const isLarge = counts.positioned > limits.all;
      const wanted = search.trim();
      if (isLarge && wanted !== '')
        return single(await findPlaces(pool, caller.scope, wanted, MAX_FOUND_MARKS));
      const most = isLarge ? limits.region : limits.all;
      const places =
        isLarge && isWithin(counts, bounds) ? null : await listPlaces(pool, caller.scope, bounds, most + 1);
      if (places && places.length <= most) return single(places);
      const [clusters, worst] = await Promise.all([
        findClusters(caller.scope, bounds),
        listWorstPlaces(pool, caller.scope, bounds, MAX_WORST_MARKS),
      ]);
      const inView = clusters.reduce((total, { count }) => total + count, 0);
      return { marks: await marksOf(caller, worst), clusters, inView, ...counts, serverTime };
    },

    async track(caller, assetId, { toleranceM, speedLimitKmh, ...range }) {
      const { name, from, to, fixes } = await load(caller, assetId, range);
      const [alarms, fenceEvents] = await Promise.all([
        listTrackAlarms(pool, assetId, from, to),
        listFenceEvents(
          pool,
          caller.scope,
          { assetId, from: range.from, to: range.to },
          { order: 'asc', limit: MAX_TRACK_FENCE_EVENTS, offset: 0 },
        ),
      ]);
      return {
        assetId,
        name,
        ...shownTrack(fixes, toleranceM ?? null, { speedKmh: speedLimitKmh }),
        alarms: alarms.map(({ since, ended_at, ...alarm }) => ({
          ...alarm,
          since: since.toISOString(),
          endedAt: ended_at?.toISOString() ?? null,
        })),
        fenceEvents: fenceEvents.rows.map(({ id, kind, at, geofenceName: name }) => ({
          id,
          kind,
          at: at.toISOString(),
          name,
        })),
      };
    },

    async events(caller, assetId, range) {
      const { from, to } = await find(caller, assetId, range);
      const now = clock.now();
      return loadTrackEvents(pool, assetId, { from: from.getTime(), to: Math.min(to.getTime(), now) }, now);
    },

    async export(caller, { assetIds, format, ...range }) {
      const tracks: SavedTrack[] = [];
      const entries: { assetId: number; stored: string }[] = [];
      for (const assetId of new Set(assetIds)) {
        const { name: stored, fixes } = await load(caller, assetId, range);
        const { lines } = judgeTrack(fixes);
        tracks.push({
          name: inWords(stored, caller.language),
          lines: lines.map((line) => line.map((index) => fixes[index] as (typeof fixes)[0])),
        });
        entries.push({ assetId, stored });
      }
      for (const { assetId, stored } of entries)
        await audit.recordAlone(caller, {
          action: 'export',
          objectKind: 'track',
          objectId: String(assetId),
          objectName: stored,
          after: { format, ...range },
          organizationPath: caller.scope,
        });
      const [{ name }] = tracks as [SavedTrack, ...SavedTrack[]];
      const others = tracks.length > 1 ? ` +${tracks.length - 1}` : '';
      return {
        fileName: `${name}${others} ${range.from.slice(0, 10)}.${format}`,
        mediaType: TRACK_TYPES[format],
        body: onePiece(Buffer.from(trackFile(format, tracks))),
      };
    },
  };
}

/** True if the region contains the places of all assets. */
function isWithin({ extent }: PlaceCounts, [west, south, east, north]: Bounds): boolean {
  if (extent === null) return false;
  return extent[0] >= west && extent[1] >= south && extent[2] <= east && extent[3] <= north;
}
