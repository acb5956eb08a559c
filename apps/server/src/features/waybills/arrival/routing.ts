import type { Place } from '@isotherm/domain/geo/geo';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';

const WITHIN_MS = 4_000;
const MAX_BYTES = 200_000;
/** A route is asked for again after this time, although the vehicle has moved a little. */
const KEPT_MS = 3 * 60_000;
const MOST_KEPT = 2_000;
/** After a failure, straight lines are used for this time. */
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
  /** The way, simplified for a map that shows all of it; none unless it was asked for. */
  places: Place[];
}

/** Asks a routing service for the way over places; null if there is none, it fails, or knows no way. */
export interface Routing {
  /** The length of the way and the time that it takes. */
  route(places: readonly Place[]): Promise<Route | null>;
  /** The same, with the way itself. */
  way(places: readonly Place[]): Promise<Route | null>;
}

const LENGTH_ONLY = 'overview=false';
const WITH_WAY = 'overview=simplified&geometries=geojson';

/** Uses a service with the HTTP interface of OSRM (`/route/v1/driving/…`). `url` is from the operator's configuration. */
export function createRouting(
  outgoing: Pick<Outgoing, 'ask'>,
  url: string | null,
  now: () => number,
): Routing {
  const known = new LRUCache<string, Promise<Route | null>>({ max: MOST_KEPT, ttl: KEPT_MS });
  let pausedUntil = 0;

  async function ask(path: string, overview: string): Promise<Route | null> {
    if (now() < pausedUntil) return null;
    try {
      const response = await outgoing.ask({
        url: new URL(`route/v1/driving/${path}?${overview}`, `${(url as string).replace(/\/$/, '')}/`),
        trusted: true,
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      const body = await readWhole(response, { maxBytes: MAX_BYTES, withinMs: WITHIN_MS });
      const read = answer.safeParse(JSON.parse(body.toString('utf8')));
      // No way between the places is an answer with an error status.
      if (!read.success) return null;
      const [route] = read.data.routes;
      if (!route) return null;
      return {
        distanceM: route.distance,
        ms: route.duration * 1_000,
        places: (route.geometry?.coordinates ?? []).map(([longitude, latitude]) => ({ latitude, longitude })),
      };
    } catch {
      pausedUntil = now() + PAUSE_MS;
      return null;
    }
  }

  async function find(places: readonly Place[], overview: string): Promise<Route | null> {
    if (url === null || places.length < 2) return null;
    const path = places
      .map(({ latitude, longitude }) => `${longitude.toFixed(DECIMALS)},${latitude.toFixed(DECIMALS)}`)
      .join(';');
    const key = `${path}?${overview}`;
    const asked = known.get(key) ?? ask(path, overview);
    known.set(key, asked);
    const found = await asked;
    if (found === null) known.delete(key);
    return found;
  }

  return {
    route: (places) => find(places, LENGTH_ONLY),
    way: (places) => find(places, WITH_WAY),
  };
}
