import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { createRouting } from './routing.ts';

const PLACES = [
  { latitude: 31, longitude: 121 },
  { latitude: 32, longitude: 122 },
];
const MINUTE_MS = 60_000;

/** A routing service whose geometry is answered with this many positions, or with a failure. */
function service(positions: number | 'failure') {
  const asked: string[] = [];
  const outgoing: Pick<Outgoing, 'ask'> = {
    async ask({ url }) {
      const kind = new URL(url).searchParams.get('overview') === 'false' ? 'length' : 'geometry';
      asked.push(kind);
      if (kind === 'geometry' && positions === 'failure') throw new Error('unreachable');
      const coordinates = Array.from({ length: Number(positions) }, (_, at) => [121 + at / 1e6, 31.123_456]);
      const body = JSON.stringify({
        code: 'Ok',
        routes: [
          {
            distance: 9_000,
            duration: 600,
            ...(kind === 'geometry' ? { geometry: { coordinates } } : {}),
          },
        ],
      });
      return {
        url: new URL(url),
        status: 200,
        headers: {},
        body: Readable.from([Buffer.from(body)]),
      } as never;
    },
  };
  let now = 0;
  const routing = createRouting(outgoing, 'http://osrm.example/', () => now);
  return { asked, routing, wait: (ms: number) => (now += ms) };
}

it('a geometry that cannot be read pauses geometries for a minute, and not the expected arrivals', async () => {
  const { asked, routing, wait } = service('failure');
  expect(await routing.routeWithGeometry(PLACES)).toBeNull();
  expect(await routing.routeWithGeometry(PLACES)).toBeNull();
  expect(await routing.route(PLACES)).toMatchObject({ distanceM: 9_000, ms: 600_000 });
  expect(asked).toEqual(['geometry', 'length']);
  wait(MINUTE_MS);
  expect(await routing.routeWithGeometry(PLACES)).toBeNull();
  expect(asked).toEqual(['geometry', 'length', 'geometry']);
});

it('a geometry may be larger than an answer with the length of a route, up to a bound', async () => {
  const long = await service(15_000).routing.routeWithGeometry(PLACES);
  expect(long?.places).toHaveLength(15_000);
  expect(await service(100_000).routing.routeWithGeometry(PLACES)).toBeNull();
});
