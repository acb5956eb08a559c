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
import { type SavedTrack, TRACK_TYPES, trackFile } from '@isotherm/domain/geo/track-files';
import { inWords } from '@isotherm/i18n/system-names';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
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
import { loadFixes, loadTrackLines } from './track-lines.ts';

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

interface ExportedAsset {
  assetId: number;
  name: string;
  from: Date;
  to: Date;
}

export interface GeoService {
  marks(caller: Caller, query: { bounds?: Bounds | undefined; search?: string }): Promise<Marks>;
  track(
    caller: Pick<Caller, 'scope'>,
    assetId: number,
    range: Range & { toleranceM?: number | undefined; speedLimitKmh: number },
  ): Promise<Track>;
  /** Events of all channels of the asset, or of these only. */
  events(
    caller: Pick<Caller, 'scope'>,
    assetId: number,
    range: Range,
    channelIds?: readonly number[],
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
      const { name, from, to } = await find(caller, assetId, range);
      const fixes = await loadFixes(pool, assetId, from, to);
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
        speedLimitKmh,
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

    async events(caller, assetId, range, channelIds) {
      const { from, to } = await find(caller, assetId, range);
      const now = clock.now();
      const shown = { from: from.getTime(), to: Math.min(to.getTime(), now) };
      return loadTrackEvents(pool, assetId, channelIds ?? null, shown, now);
    },

    async export(caller, { assetIds, format, ...range }) {
      const exported: ExportedAsset[] = [];
      for (const assetId of new Set(assetIds))
        exported.push({ assetId, ...(await find(caller, assetId, range)) });
      for (const { assetId, name } of exported)
        await audit.recordAlone(caller, {
          action: 'export',
          objectKind: 'track',
          objectId: String(assetId),
          objectName: name,
          after: { format, ...range },
          organizationPath: caller.scope,
        });
      const nameOf = ({ name }: ExportedAsset) => inWords(name, caller.language);
      const others = exported.length > 1 ? ` +${exported.length - 1}` : '';
      /** Reads and judges one asset at a time, as the file is sent. */
      async function* tracks(): AsyncGenerator<SavedTrack> {
        for (const asset of exported) {
          const { lines } = await loadTrackLines(pool, asset.assetId, asset.from, asset.to);
          yield { name: nameOf(asset), lines };
        }
      }
      return {
        fileName: `${nameOf(exported[0] as ExportedAsset)}${others} ${range.from.slice(0, 10)}.${format}`,
        mediaType: TRACK_TYPES[format],
        body: encoded(trackFile(format, tracks())),
      };
    },
  };
}

/** True if the region contains the places of all assets. */
function isWithin({ extent }: PlaceCounts, [west, south, east, north]: Bounds): boolean {
  if (extent === null) return false;
  return extent[0] >= west && extent[1] >= south && extent[2] <= east && extent[3] <= north;
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
