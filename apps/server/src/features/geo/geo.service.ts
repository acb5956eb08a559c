import { AppError } from '@isotherm/contracts/errors';
import {
  type exportTrack,
  type getTrack,
  type listMapMarks,
  MAX_MARKS,
  MAX_TRACK_FENCE_EVENTS,
  MAX_TRACK_RANGE_MS,
  type MapMark,
} from '@isotherm/contracts/maps';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import { compareByAttention } from '@isotherm/domain/assets/attention';
import { judgeTrack } from '@isotherm/domain/geo/track';
import { TRACK_TYPES, trackFile } from '@isotherm/domain/geo/track-files';
import { inWords } from '@isotherm/i18n/system-names';
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
  listClusters,
  listPlaces,
  listTrackAlarms,
  type PlaceRow,
} from './geo.repo.ts';
import { toPlace } from './to-place.ts';
import { loadFixes } from './track-lines.ts';

const WORLD: Bounds = [-180, -90, 180, 90];
/** Number of clusters along the longer side of the region. */
const CLUSTERS_ACROSS = 24;

type Marks = ResponseOf<typeof listMapMarks>;
type Track = ResponseOf<typeof getTrack>;
interface Range {
  from: string;
  to: string;
}

export interface GeoService {
  marks(caller: Caller, query: { bounds?: Bounds | undefined }): Promise<Marks>;
  track(caller: Caller, assetId: number, range: Range): Promise<Track>;
  export(caller: Caller, assetId: number, body: z.output<(typeof exportTrack)['body']>): Promise<Download>;
}

export interface GeoNeeds {
  pool: pg.Pool;
  clock: Clock;
  audit: Pick<Audit, 'recordAlone'>;
  cardsOf: AssetsService['cardsOf'];
}

export function createGeoService({ pool, clock, audit, cardsOf }: GeoNeeds): GeoService {
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
  async function load(caller: Caller, assetId: number, range: Range) {
    const [from, to] = [new Date(range.from), new Date(range.to)];
    const length = to.getTime() - from.getTime();
    if (!(length > 0 && length <= MAX_TRACK_RANGE_MS))
      throw new AppError('curve.range', { days: MAX_TRACK_RANGE_MS / 86_400_000 });
    const name = await findAssetName(pool, caller.scope, assetId);
    if (name === null) throw new AppError('asset.not_found');
    return {
      name,
      from,
      to,
      fixes: await loadFixes(pool, assetId, from, to),
    };
  }

  return {
    async marks(caller, { bounds = WORLD }) {
      const counts = await countPlaces(pool, caller.scope, bounds);
      const isCrowded = counts.inView > MAX_MARKS;
      return {
        marks: isCrowded ? [] : await marksOf(caller, await listPlaces(pool, caller.scope, bounds)),
        clusters: isCrowded ? await listClusters(pool, caller.scope, bounds, clusterSize(bounds)) : [],
        ...counts,
        serverTime: new Date(clock.now()).toISOString(),
      };
    },

    async track(caller, assetId, range) {
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
        at: fixes.map(({ at }) => at),
        latitude: fixes.map(({ latitude }) => latitude),
        longitude: fixes.map(({ longitude }) => longitude),
        speedKmh: fixes.map(({ speedKmh }) => speedKmh),
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

    async export(caller, assetId, { format, ...range }) {
      const { name: stored, fixes } = await load(caller, assetId, range);
      const name = inWords(stored, caller.language);
      const lines = judgeTrack(fixes).lines.map((line) =>
        line.map((index) => fixes[index] as (typeof fixes)[0]),
      );
      await audit.recordAlone(caller, {
        action: 'export',
        objectKind: 'track',
        objectId: String(assetId),
        objectName: stored,
        after: { format, ...range },
        organizationPath: caller.scope,
      });
      return {
        fileName: `${name} ${range.from.slice(0, 10)}.${format}`,
        mediaType: TRACK_TYPES[format],
        body: onePiece(Buffer.from(trackFile(format, { name, lines }))),
      };
    },
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A size that stays the same while a map is panned, so that clusters do not change: a power of two of a degree. */
function clusterSize([west, south, east, north]: Bounds): number {
  const width = east >= west ? east - west : east + 360 - west;
  const size = Math.max(width, north - south, 1e-6) / CLUSTERS_ACROSS;
  return 2 ** Math.ceil(Math.log2(size));
}
