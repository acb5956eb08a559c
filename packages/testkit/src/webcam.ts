import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';

/** Two JPEG images of 64 × 48 pixels, one red and one blue. */
export const FRAMES = [
  '/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAwAEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAUG/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AhAT2iAAAAAAAAAAAAAAAAAAAAAAf/9k=',
  '/9j/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCAAwAEADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCWAvJ4AAAAAAAAAAAAAAAAAAAAAD//2Q==',
].map((text) => Buffer.from(text, 'base64'));

const FRAME_EVERY_MS = 50;
const TEN_GIGABYTES = 10_000_000_000;
const REALM = 'camera';
const NONCE = 'b5a1e7c09f';
export const SDP_ANSWER = 'v=0\r\no=camera 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n';

export interface LocalWebcam {
  /** Base address, `http://127.0.0.1:<port>`. */
  url: string;
  /** Received requests such as `GET /mjpeg` in order, with their `Authorization` header. */
  asked: { request: string; authorization: string }[];
  /** Returns the number of current viewers. */
  viewers(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a test camera on loopback: motion JPEG at `/mjpeg`, HLS at `/hls/live.m3u8` (and `master.m3u8`),
 * WHEP at `/whep`, and faulty behaviour at the other addresses below. Files of `folder` are at `/files/`.
 */
export async function startWebcam(
  options: { login?: { user: string; password: string; scheme: 'basic' | 'digest' }; folder?: string } = {},
): Promise<LocalWebcam> {
  const asked: LocalWebcam['asked'] = [];
  const server = http.createServer((request, response) => {
    const authorization = request.headers.authorization ?? '';
    asked.push({ request: `${request.method} ${request.url}`, authorization });
    if (options.login && !isLoggedIn(options.login, request)) return refuse(options.login.scheme, response);
    answer(request, response, options.folder);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    viewers: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isLoggedIn(
  { user, password, scheme }: { user: string; password: string; scheme: string },
  request: IncomingMessage,
): boolean {
  const authorization = request.headers.authorization ?? '';
  if (scheme === 'basic')
    return authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]+)`).exec(authorization)?.[1];
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const who = md5(`${user}:${REALM}:${password}`);
  const what = md5(`${request.method}:${request.url}`);
  return field('response') === md5(`${who}:${NONCE}:${field('nc')}:${field('cnonce')}:auth:${what}`);
}

function refuse(scheme: string, response: ServerResponse): void {
  const challenge =
    scheme === 'basic' ? `Basic realm="${REALM}"` : `Digest realm="${REALM}", nonce="${NONCE}", qop="auth"`;
  response.writeHead(401, { 'www-authenticate': challenge }).end();
}

const PLAYLIST = { 'content-type': 'application/vnd.apple.mpegurl' };
const ADDRESSES: Record<string, (response: ServerResponse) => void> = {
  '/hls/master.m3u8': (response) =>
    response.writeHead(200, PLAYLIST).end('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlive.m3u8\n'),
  '/hls/live.m3u8': (response) =>
    response
      .writeHead(200, PLAYLIST)
      .end('#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n1.ts?key=inside\n#EXTINF:2,\n/hls/2.ts\n'),
  '/hls/1.ts?key=inside': (response) => response.end('the first segment'),
  '/hls/2.ts': (response) => response.end('the second segment'),
  '/hls/elsewhere.m3u8': (response) =>
    response.writeHead(200, PLAYLIST).end('#EXTM3U\n#EXTINF:2,\nhttp://169.254.169.254/latest/meta-data\n'),
  '/hls/bad.m3u8': (response) =>
    response
      .writeHead(200, PLAYLIST)
      .end('#EXTM3U\n#EXTINF:2,\n/giant.ts\n#EXTINF:2,\n/endless.ts\n#EXTINF:2,\n/away\n'),
  '/endless.m3u8': (response) =>
    send(response.writeHead(200, PLAYLIST), '#EXTM3U\n', () => '#EXTINF:2,\na.ts\n'.repeat(1_000)),
  '/many.m3u8': (response) =>
    response.writeHead(200, PLAYLIST).end(`#EXTM3U\n${'#EXTINF:2,\na.ts\n'.repeat(6_000)}`),
  '/giant.ts': (response) => send(response.writeHead(200, { 'content-length': TEN_GIGABYTES }), '', zeros),
  '/endless.ts': (response) => send(response.writeHead(200), '', zeros),
  '/html': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Camera</h1>'),
  '/broken': (response) => response.writeHead(500).end(),
  '/away': (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/moved': (response) => response.writeHead(302, { location: '/mjpeg' }).end(),
  '/circle': (response) => response.writeHead(302, { location: '/circle' }).end(),
  '/silent': () => undefined,
  '/upgrade': (response) =>
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  '/mjpeg': (response) => sendFrames(response, true, Number.POSITIVE_INFINITY),
  '/mjpeg/bare': (response) => sendFrames(response, false, Number.POSITIVE_INFINITY),
  '/mjpeg/stalled': (response) => sendFrames(response, true, 1),
  '/mjpeg/never': (response) => sendFrames(response, true, 0),
};

function answer(request: IncomingMessage, response: ServerResponse, folder: string | undefined): void {
  const url = request.url ?? '';
  const file = folder && url.startsWith('/files/') ? join(folder, basename(url)) : null;
  if (url.startsWith('/whep')) answerWhep(request, response);
  else if (file && existsSync(file)) createReadStream(file).pipe(response);
  else if (ADDRESSES[url]) ADDRESSES[url](response);
  else response.writeHead(404).end();
}

/** Responds to WHEP requests as a camera does (RFC 9725). */
function answerWhep(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (request.method === 'OPTIONS' || request.method === 'DELETE') response.writeHead(200).end();
  else if (request.method === 'POST' && request.headers['content-type'] === 'application/sdp')
    response
      .writeHead(201, { 'content-type': 'application/sdp', location: '/whep/session/1' })
      .end(SDP_ANSWER);
  else response.writeHead(405).end();
}

const zeros = () => Buffer.alloc(65_536);

/** Sends data until the client disconnects. */
function send(response: ServerResponse, first: string, more: () => string | Buffer): void {
  async function* forever() {
    if (first !== '') yield first;
    for (;;) {
      yield more();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const body = Readable.from(forever());
  response.once('close', () => body.destroy());
  body.pipe(response);
}

function sendFrames(response: ServerResponse, withLength: boolean, most: number): void {
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
  response.flushHeaders();
  let sent = 0;
  const next = () => {
    if (sent >= most) return;
    const frame = FRAMES[sent++ % FRAMES.length] as Buffer;
    response.write(
      `--frame\r\nContent-Type: image/jpeg\r\n${withLength ? `Content-Length: ${frame.length}\r\n` : ''}\r\n`,
    );
    response.write(frame);
    response.write('\r\n');
  };
  next();
  const timer = setInterval(next, FRAME_EVERY_MS);
  response.once('close', () => clearInterval(timer));
}
