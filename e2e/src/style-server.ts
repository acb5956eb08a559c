import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Place } from '@isotherm/domain/geo/geo';

/** How a map service behaves. */
export type StyleMode =
  | 'works'
  /** The style is not there. */
  | 'missing'
  /** The style is no JSON. */
  | 'garbled'
  /** The style names a source that is not there. */
  | 'no-source'
  /** Every second tile is missing, as those of the open sea may be. */
  | 'holes'
  /** There is no tile. */
  | 'no-tiles'
  /** The style names an origin that is not configured. */
  | 'elsewhere';

/** A map service on this machine: the style is at one origin, tiles, names and fonts are at another one. */
export interface StyleServer {
  /** Address of the style, with `{language}`. */
  styleUrl: string;
  tileOrigin: string;
  mode: StyleMode;
  /** Paths that were asked for, of all origins; those of the one that is not configured begin with `elsewhere`. */
  asked: string[];
  stop(): Promise<void>;
}

/** A letter for each language, each from another file of letters, so that it is seen which one is drawn. */
export const LETTER_FILE = { en: '0-255', 'zh-hans': '768-1023', es: '1024-1279', 'zh-hant': '1280-1535' };
const NAMES = { name: '\u0250', 'name:en': 'A', 'name:es': 'Ж', 'name:zh-Hans': 'Ω', 'name:zh-Hant': 'Ա' };

/** A pixel of white. */
const TILE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC',
  'base64',
);

/** Serves a map whose only spot, in red and with a name, is at `spot` in the datum of the map. */
export async function startStyleServer(spot: Place): Promise<StyleServer> {
  const asked: string[] = [];
  const servers: Server[] = [];
  async function listen(name: string, answer: (path: string) => object | Buffer | number): Promise<string> {
    const server = createServer((request, response) => {
      const path = decodeURI(request.url ?? '');
      asked.push(`${name}${path}`);
      const found = answer(path);
      response.setHeader('access-control-allow-origin', '*');
      response.statusCode = typeof found === 'number' ? found : 200;
      if (Buffer.isBuffer(found)) response.end(found);
      else response.end(typeof found === 'number' ? '' : JSON.stringify(found));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const spots = {
    type: 'Feature',
    properties: NAMES,
    geometry: { type: 'Point', coordinates: [spot.longitude, spot.latitude] },
  };
  const tiles = (path: string) => {
    if (path.startsWith('/fonts/')) return Buffer.alloc(0);
    if (path === '/spots.json') return spots;
    const isHole = self.mode === 'holes' && /\/\d*[13579]\/\d+\.png$/.test(path);
    return self.mode === 'no-tiles' || isHole ? 404 : TILE;
  };
  const tileOrigin = await listen('tiles', tiles);
  const elsewhere = await listen('elsewhere', tiles);
  const style = () => {
    const origin = self.mode === 'elsewhere' ? elsewhere : tileOrigin;
    const spotsUrl = self.mode === 'no-source' ? 'http://127.0.0.1:1/none.json' : `${origin}/spots.json`;
    return {
      version: 8,
      glyphs: `${origin}/fonts/{fontstack}/{range}.pbf`,
      sources: {
        tiles: {
          type: 'raster',
          tiles: [`${origin}/tiles/{z}/{x}/{y}.png`],
          tileSize: 512,
          attribution: 'Test Maps',
        },
        // Named like sources of the pages, which must not matter.
        ...(self.mode === 'no-tiles' ? {} : { marks: { type: 'geojson', data: spotsUrl } }),
      },
      layers: [
        { id: 'marks', type: 'raster', source: 'tiles' },
        ...(self.mode === 'no-tiles'
          ? []
          : [
              {
                id: 'fences-fill',
                type: 'circle',
                source: 'marks',
                // Larger than a mark, which is drawn over it.
                paint: { 'circle-radius': 40, 'circle-color': '#ff0000' },
              },
              {
                id: 'labels',
                type: 'symbol',
                source: 'marks',
                layout: { 'text-field': '{name}', 'text-offset': [0, 3], 'text-font': ['Test'] },
              },
            ]),
      ],
    };
  };
  const styleOrigin = await listen('style', () => {
    if (self.mode === 'missing') return 404;
    return self.mode === 'garbled' ? Buffer.from('<html>') : style();
  });
  const self: StyleServer = {
    styleUrl: `${styleOrigin}/{language}/style.json`,
    tileOrigin,
    mode: 'works',
    asked,
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
  return self;
}
