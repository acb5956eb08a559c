import type { TripExcursion, TripRoute } from '@isotherm/contracts/waybills';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type Place, unwrapLongitudes } from '@isotherm/domain/geo/geo';
import { type PositionAt, positionAt } from '@isotherm/domain/geo/position-at';
import type { Fix } from '@isotherm/domain/geo/track';

type Leg = TripRoute['legs'][number];
export type Excursion = Pick<TripExcursion, 'from' | 'to'> & { alarm: { level: AlarmLevel } | null };

/** A leg with its positions as the functions of the domain take them. */
export interface LegTrack {
  leg: Leg;
  fixes: Fix[];
  /** Indices of positions, by line. */
  lines: number[][];
}

export function legTracks({ legs }: Pick<TripRoute, 'legs'>): LegTrack[] {
  return legs.map((leg) => ({
    leg,
    fixes: leg.at.map((at, index) => ({
      at,
      latitude: leg.latitude[index] as number,
      longitude: leg.longitude[index] as number,
      speedKmh: leg.speedKmh[index] ?? null,
    })),
    lines: leg.lineEnds.map((end, index) => {
      const first = (leg.lineEnds[index - 1] ?? -1) + 1;
      return Array.from({ length: end - first + 1 }, (_, step) => first + step);
    }),
  }));
}

/** Where the goods were at a time; null where the route is not known. */
export function placeAt(tracks: readonly LegTrack[], at: number): PositionAt | null {
  const track = tracks.find(({ leg }) => leg.from <= at && at <= leg.to);
  return track ? positionAt(track.fixes, track, at) : null;
}

/** Where the goods were at a time, else at the nearest position of the leg; null without positions. */
export function placeNear(tracks: readonly LegTrack[], at: number): Place | null {
  const known = placeAt(tracks, at);
  if (known) return known;
  const fixes = tracks.find(({ leg }) => leg.from <= at && at <= leg.to)?.fixes ?? [];
  return fixes.reduce<Fix | null>(
    (best, each) => (best && Math.abs(best.at - at) <= Math.abs(each.at - at) ? best : each),
    null,
  );
}

/** The excursion that lasts at a time. */
export const excursionAt = (excursions: readonly Excursion[], at: number): Excursion | undefined =>
  excursions.find(({ from, to }) => from <= at && at < to);

/**
 * What a stretch of the route is drawn as: 1 to 5, the level of the alarm of an excursion; 0, an excursion without an alarm; -1, no
 * excursion.
 */
function severityAt(excursions: readonly Excursion[], at: number): number {
  const excursion = excursionAt(excursions, at);
  return excursion ? (excursion.alarm?.level ?? 0) : -1;
}

/** The route of the goods; excursions are stretches of their own, from their beginning to their end. */
export function wayFeatures(
  tracks: readonly LegTrack[],
  excursions: readonly Excursion[],
): GeoJSON.Feature[] {
  const edges = excursions.flatMap(({ from, to }) => [from, to]);
  return tracks.flatMap(({ fixes, lines }) =>
    lines.flatMap((line) => {
      const points = withEdges(fixes, line, edges);
      const longitudes = unwrapLongitudes(points.map(({ longitude }) => longitude));
      const coordinates = points.map(({ latitude }, index) => [longitudes[index] as number, latitude]);
      // Of the stretch that ends at each point.
      const severities = points.map(({ at }, index) =>
        severityAt(excursions, ((points[index - 1]?.at ?? at) + at) / 2),
      );
      const features: GeoJSON.Feature[] = [];
      let start = 0;
      for (let index = 2; index <= points.length; index++) {
        if (index < points.length && severities[index] === severities[index - 1]) continue;
        features.push({
          type: 'Feature',
          properties: { severity: severities[index - 1] },
          geometry: { type: 'LineString', coordinates: coordinates.slice(start, index) },
        });
        // The stretches of a line meet, so that it has no holes.
        start = index - 1;
      }
      return features;
    }),
  );
}

/** The positions of a line, with those at these times between them: a simplified line has few of its own. */
function withEdges(
  fixes: readonly Fix[],
  line: readonly number[],
  edges: readonly number[],
): (Place & { at: number })[] {
  const own = line.map((index) => fixes[index] as Fix);
  const known = new Set(own.map(({ at }) => at));
  const added = [...new Set(edges)].flatMap((at) => {
    const place = known.has(at) ? null : positionAt(fixes, { lines: [[...line]] }, at);
    return place ? [{ at, latitude: place.latitude, longitude: place.longitude }] : [];
  });
  return [...own, ...added].sort((a, b) => a.at - b.at);
}

/** The planned route. */
export function plannedFeatures({ planned }: Pick<TripRoute, 'planned'>): GeoJSON.Feature[] {
  if (!planned) return [];
  const longitudes = unwrapLongitudes(planned.places.map(({ longitude }) => longitude));
  return [
    {
      type: 'Feature',
      properties: {},
      geometry: {
        type: 'LineString',
        coordinates: planned.places.map(({ latitude }, index) => [longitudes[index] as number, latitude]),
      },
    },
  ];
}

export const pointFeature = (
  { longitude, latitude }: Place,
  properties: Record<string, unknown>,
): GeoJSON.Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});
