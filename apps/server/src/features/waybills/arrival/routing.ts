import type { Place } from '@isotherm/domain/geo/geo';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';

const WITHIN_MS = 4_000;
/** Largest answer with the length of a route, and with its geometry. */
const MAX_LENGTH_BYTES = 200_000;
const MAX_GEOMETRY_BYTES = 1_000_000;
/** A route is asked for again after this time, although the vehicle has moved a little. */
const KEPT_MS = 3 * 60_000;
const MOST_KEPT = 2_000;
const MOST_GEOMETRIES_KEPT = 50;
/** After a failure, nothing is asked for this time. */
const PAUSE_MS = 60_000;
/** Places are rounded to about 100 m, so that a vehicle that stands has the same route. */
const DECIMALS = 3;

const answer = z.object({
  code: z.literal('Ok'),
  routes: z
    .array(
      z.object({
        distance: z.number().min(0),
        duration: z.number().min(0),
        geometry: z
          .object({
            coordinates: z.array(
              z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]).rest(z.number()),
            ),
          })
          .optional(),
      }),
    )
    .min(1),
});

export interface Route {
  distanceM: number;
  ms: number;
}

/** A route with its geometry, simplified for a map that shows all of it. */
export interface RouteGeometry extends Route {
  places: Place[];
}

/** Asks a routing service for the route over places; null if there is none, it fails, or knows no route. */
export interface Routing {
  /** The length of the route and the time that it takes. */
  route(places: readonly Place[]): Promise<Route | null>;
  /** The same, with the geometry. */
  routeWithGeometry(places: readonly Place[]): Promise<RouteGeometry | null>;
}

/** Uses a service with the HTTP interface of OSRM (`/route/v1/driving/…`). `url` is from the operator's configuration. */
export function createRouting(
  outgoing: Pick<Outgoing, 'ask'>,
  url: string | null,
  now: () => number,
): Routing {
  /**
   * Asks one kind of question. Each kind has a pause of its own, so that a geometry that is too large or too slow for a map
   * does not pause the expected arrivals.
   */
  function asking(overview: string, { maxBytes, most }: { maxBytes: number; most: number }) {
    const known = new LRUCache<string, Promise<RouteGeometry | null>>({ max: most, ttl: KEPT_MS });
    let pausedUntil = 0;

    async function ask(path: string): Promise<RouteGeometry | null> {
      if (now() < pausedUntil) return null;
      try {
        const response = await outgoing.ask({
          url: new URL(`route/v1/driving/${path}?${overview}`, `${(url as string).replace(/\/$/, '')}/`),
          trusted: true,
          signal: AbortSignal.timeout(WITHIN_MS),
        });
        const body = await readWhole(response, { maxBytes, withinMs: WITHIN_MS });
        const read = answer.safeParse(JSON.parse(body.toString('utf8')));
        // No route between the places is an answer with an error status.
        if (!read.success) return null;
        const [route] = read.data.routes;
        if (!route) return null;
        const { distance, duration, geometry } = route;
        const places = (geometry?.coordinates ?? []).map(([longitude, latitude]) => ({
          latitude,
          longitude,
        }));
        return { distanceM: distance, ms: duration * 1_000, places };
      } catch {
        pausedUntil = now() + PAUSE_MS;
        return null;
      }
    }

    return async (places: readonly Place[]): Promise<RouteGeometry | null> => {
      if (url === null || places.length < 2) return null;
      const path = places
        .map(({ latitude, longitude }) => `${longitude.toFixed(DECIMALS)},${latitude.toFixed(DECIMALS)}`)
        .join(';');
      const asked = known.get(path) ?? ask(path);
      known.set(path, asked);
      const found = await asked;
      if (found === null) known.delete(path);
      return found;
    };
  }

  return {
    route: asking('overview=false', { maxBytes: MAX_LENGTH_BYTES, most: MOST_KEPT }),
    routeWithGeometry: asking('overview=simplified&geometries=geojson', {
      maxBytes: MAX_GEOMETRY_BYTES,
      most: MOST_GEOMETRIES_KEPT,
    }),
  };
}
