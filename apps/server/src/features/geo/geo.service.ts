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
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { AssetsService } from '../assets/index.ts';
import { listFenceEvents } from './fences/events.repo.ts';
import {
  countPlaces,
  findAssetName,
  findPlaces,
  listPlaces,
  listPlacesOf,
  listTrackAlarms,
  listWorstPlaces,
  loadPlaceSnapshot,
  type PlaceCounts,
  type PlaceRow,
} from './geo.repo.ts';
import {
  type Bounds,
  clustersIn,
  createPlaceSnapshots,
  idsIn,
  type PlaceSnapshot,
} from './place-snapshots.ts';
import { shownTrack } from './shown-track.ts';
import { toPlace } from './to-place.ts';
import { loadTrackEvents } from './track-events.ts';
import { loadFixes, loadTrackLines } from './track-lines.ts';

const WORLD: Bounds = [-180, -90, 180, 90];

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
  const snapshots = createPlaceSnapshots((scope) => loadPlaceSnapshot(pool, scope));

  /** Numbers of assets of a scope, and their places in memory if there are more than are sent one by one. */
  async function lookAt(scope: string): Promise<{ counts: PlaceCounts; snapshot: PlaceSnapshot | null }> {
    if ((snapshots.lastCount(scope) ?? 0) <= limits.all) {
      const counts = await countPlaces(pool, scope);
      if (counts.positioned <= limits.all) return { counts, snapshot: null };
    }
    const snapshot = await snapshots.of(scope);
    const { ids, unpositioned, extent } = snapshot;
    return { counts: { positioned: ids.length, unpositioned, extent }, snapshot };
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
      const { scope } = caller;
      const { counts, snapshot } = await lookAt(scope);
      const serverTime = new Date(clock.now()).toISOString();
      const single = async (places: readonly PlaceRow[]): Promise<Marks> => {
        const marks = await marksOf(caller, places);
        return { marks, clusters: [], inView: marks.length, ...counts, serverTime };
      };
      if (!snapshot) return single(await listPlaces(pool, scope, bounds, limits.all));
      const wanted = search.trim();
      if (wanted !== '') return single(await findPlaces(pool, scope, wanted, MAX_FOUND_MARKS));
      const ids = idsIn(snapshot, bounds, limits.region);
      if (ids) return single(await listPlacesOf(pool, ids));
      const worst = await listWorstPlaces(pool, scope, bounds, MAX_WORST_MARKS);
      const clusters = clustersIn(snapshot, bounds);
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

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
