import http2, { type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { isIP, type LookupFunction } from 'node:net';
import { type Outgoing, OutgoingError } from './outgoing.ts';

/** Time limit of a connection, and of a request until the end of its response. */
const WITHIN_MS = 8_000;
/** A connection without requests is closed after this time. */
const IDLE_MS = 5 * 60_000;
const MAX_BYTES = 64 * 1024;

export interface Http2Response {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Requests over HTTP/2, by one connection for each origin that is kept open. */
export interface Http2Client {
  /**
   * Sends a POST request. One that a kept connection did not answer is sent again by a new connection, so requests must be
   * repeatable.
   *
   * @throws {OutgoingError}
   */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string): Promise<Http2Response>;
  stop(): void;
}

/** @param ca certificate authority that is trusted instead of the usual ones */
export function createHttp2Client(outgoing: Pick<Outgoing, 'addressOf'>, ca?: string): Http2Client {
  const kept = new Map<string, Promise<ClientHttp2Session>>();

  async function open(url: URL): Promise<ClientHttp2Session> {
    const address = await outgoing.addressOf(url.hostname);
    return new Promise((resolve, reject) => {
      const session = http2.connect(url.origin, { lookup: pinned(address), ...(ca ? { ca } : {}) });
      const forget = () => kept.delete(url.origin);
      const timer = setTimeout(() => session.destroy(new OutgoingError('timed_out')), WITHIN_MS);
      session.once('connect', () => {
        clearTimeout(timer);
        resolve(session);
      });
      // Requests under way are answered; the next one opens a connection.
      session.once('goaway', forget);
      session.once('error', (cause) => {
        forget();
        reject(cause instanceof OutgoingError ? cause : new OutgoingError(faultOf(cause), { cause }));
      });
      session.on('error', () => undefined);
      session.once('close', () => {
        clearTimeout(timer);
        forget();
        reject(new OutgoingError('unreachable'));
      });
      session.setTimeout(IDLE_MS, () => session.close());
    });
  }

  function sessionOf(url: URL): Promise<ClientHttp2Session> {
    const known = kept.get(url.origin);
    if (known) return known;
    const opening = open(url).catch((error) => {
      kept.delete(url.origin);
      throw error;
    });
    kept.set(url.origin, opening);
    return opening;
  }

  function ask(
    session: ClientHttp2Session,
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<Http2Response> {
    return new Promise((resolve, reject) => {
      if (session.closed || session.destroyed) throw new OutgoingError('unreachable');
      const stream = session.request({
        ...headers,
        ':method': 'POST',
        ':path': url.pathname + url.search,
        'content-length': String(Buffer.byteLength(body)),
      });
      // A server that does not answer one request may have lost the connection without a word.
      const timer = setTimeout(() => {
        reject(new OutgoingError('timed_out'));
        session.destroy();
      }, WITHIN_MS);
      let head: IncomingHttpHeaders & { ':status'?: number } = {};
      const pieces: Buffer[] = [];
      let bytes = 0;
      stream.on('response', (received) => {
        head = received;
      });
      stream.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > MAX_BYTES) stream.destroy(new OutgoingError('too_large'));
        else pieces.push(piece);
      });
      stream.on('end', () => {
        const status = head[':status'];
        if (status !== undefined) resolve({ status, headers: head, body: Buffer.concat(pieces) });
      });
      stream.on('error', (cause) => {
        reject(cause instanceof OutgoingError ? cause : new OutgoingError('unreachable', { cause }));
      });
      stream.on('close', () => {
        clearTimeout(timer);
        reject(new OutgoingError('unreachable'));
      });
      stream.end(body);
    });
  }

  return {
    async post(url, headers, body) {
      const wasKept = kept.has(url.origin);
      const session = await sessionOf(url);
      try {
        return await ask(session, url, headers, body);
      } catch (error) {
        if (!wasKept || !(error instanceof OutgoingError) || error.fault !== 'unreachable') throw error;
        if (kept.has(url.origin) && (await kept.get(url.origin)) === session) kept.delete(url.origin);
        return ask(await sessionOf(url), url, headers, body);
      }
    },
    stop() {
      for (const opening of kept.values())
        void opening.then(
          (session) => session.destroy(),
          () => undefined,
        );
      kept.clear();
    },
  };
}

/** The connection uses the address that was checked, so that a later DNS change has no effect. */
const pinned =
  (address: string): LookupFunction =>
  (_hostname, options, callback) => {
    const family = isIP(address);
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };

function faultOf(error: Error): 'certificate' | 'unreachable' {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(code) ? 'certificate' : 'unreachable';
}
