import dns from 'node:dns';
import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { createGate } from '../gate.ts';
import { answerTo, type Login } from './login-answer.ts';
import { createIsPermitted } from './permitted-address.ts';

/** Time limit from the request to the end of the response headers. */
const HEAD_WITHIN_MS = 8_000;
const MAX_HOPS = 3;
/**
 * Connections that are kept: idle ones of one server, and how long. Servers usually close theirs after 5 s. Requests begin in
 * bursts, and what is kept less than a burst needs is closed and opened again for each.
 */
const KEPT = { keepAlive: true, maxFreeSockets: 64, timeout: 4_000 };
/**
 * Limits of DNS look-ups: each holds one of four threads, shared with files and compression, until the name
 * server responds.
 */
const LOOKUPS = { atOnce: 2, waiting: 64, ofOne: { atOnce: 1, waiting: 16 } };
/** Names whose server responded slowly have one look-up at a time among themselves, so that they delay no others. */
const SLOW_LOOKUPS = { atOnce: 1, waiting: 16, ofOne: { atOnce: 1, waiting: 4 } };
const SLOW_FROM_MS = 1_500;
const SLOW_FOR_MS = 5 * 60_000;
const MOST_SLOW_NAMES = 10_000;
/** Errors of a kept connection that the server has closed. */
const RESET = /^(ECONNRESET|EPIPE)$/;

export type OutgoingFault =
  | 'address_refused'
  | 'certificate'
  | 'elsewhere'
  | 'timed_out'
  | 'too_large'
  | 'unknown_host'
  | 'unreachable';

/** A failure before or during the response. It contains no address and no secret. */
export class OutgoingError extends Error {
  readonly fault: OutgoingFault;
  /** True if it is certain that no connection was established, so that nothing was sent. */
  readonly isBeforeConnection: boolean;
  constructor(fault: OutgoingFault, options: ErrorOptions & { isBeforeConnection?: boolean } = {}) {
    super(fault, options);
    this.name = 'OutgoingError';
    this.fault = fault;
    this.isBeforeConnection = options.isBeforeConnection ?? false;
  }
}

export interface OutgoingRequest {
  /** Address of the request, without user and password. */
  url: URL;
  method?: 'DELETE' | 'GET' | 'OPTIONS' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  login?: Login | null;
  /** Whether the address is from the operator's configuration, so that any network is allowed. */
  trusted?: boolean;
  /**
   * Whether the connection may be one that an earlier request to this server has left, and may be left for later ones. If the
   * server closes it in this moment, the request is sent again, so that the server must be able to recognise a second one.
   */
  reusesConnection?: boolean;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  /** Final address after redirects. */
  url: URL;
  status: number;
  headers: IncomingHttpHeaders;
  /** The body must be read to its end or destroyed. */
  body: IncomingMessage;
}

/** Requests to servers whose addresses users enter (decision 19). */
export interface Outgoing {
  /**
   * Sends a request. It follows redirects within the same origin, and responds to authentication challenges.
   *
   * @throws {OutgoingError}
   */
  ask(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Returns a permitted address of a host name. Throws `address_refused`, `timed_out`, `unknown_host`. */
  addressOf(hostname: string): Promise<string>;
}

/**
 * Creates the client. `allowed` are private networks that the operator permits; `demoOrigin` is the origin
 * of the demo's cameras, which may be read (`GET`) at exactly this scheme, address and port.
 */
export function createOutgoing(allowed: readonly string[], demoOrigin: string | null = null): Outgoing {
  const isPermitted = createIsPermitted(allowed);
  const refuse = () => new OutgoingError('timed_out', { isBeforeConnection: true });
  const lookups = createGate(LOOKUPS, refuse);
  const slowLookups = createGate(SLOW_LOOKUPS, refuse);
  const agents = { 'http:': new http.Agent(KEPT), 'https:': new https.Agent(KEPT) };
  const slowNames = new LRUCache<string, true>({ max: MOST_SLOW_NAMES, ttl: SLOW_FOR_MS });

  function lookUp(host: string): Promise<dns.LookupAddress[]> {
    // Names of one owner usually end alike.
    const owner = host.toLowerCase().split('.').slice(-2).join('.');
    const gate = slowNames.has(owner) ? slowLookups : lookups;
    return gate.pass(async () => {
      const timer = setTimeout(() => slowNames.set(owner, true), SLOW_FROM_MS);
      return dns.promises.lookup(host, { all: true }).finally(() => clearTimeout(timer));
    }, owner);
  }

  async function addressesOf(hostname: string): Promise<dns.LookupAddress[]> {
    const bare = hostname.replace(/^\[|\]$/g, '');
    const family = isIP(bare);
    const found =
      family === 0
        ? await inTime(lookUp(bare)).catch((cause) => {
            throw cause instanceof OutgoingError
              ? cause
              : new OutgoingError('unknown_host', { cause, isBeforeConnection: true });
          })
        : [{ address: bare, family }];
    const permitted = found.filter(({ address }) => isPermitted(address));
    if (permitted.length === 0) throw new OutgoingError('address_refused', { isBeforeConnection: true });
    return permitted;
  }

  /** The connection uses the address that was checked, so that a later DNS change has no effect. */
  const pinned =
    (addresses: readonly dns.LookupAddress[]): LookupFunction =>
    (_hostname, options, callback) => {
      const [first] = addresses as [dns.LookupAddress];
      if (options.all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };

  async function once(
    request: OutgoingRequest,
    url: URL,
    authorization: string | null,
  ): Promise<OutgoingAnswer> {
    const { method = 'GET', headers = {}, body, trusted = false, signal } = request;
    const isOpen = trusted || (method === 'GET' && url.origin === demoOrigin);
    const lookup = isOpen ? undefined : pinned(await addressesOf(url.hostname));
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    // Connections to addresses that were not checked are never kept: a request that must be checked could get one.
    const agent = request.reusesConnection && !isOpen ? agents[protocol] : false;
    return new Promise((resolve, reject) => {
      const call = (protocol === 'https:' ? https : http).request(url, {
        method,
        agent,
        ...(lookup ? { lookup } : {}),
        ...(signal ? { signal } : {}),
        headers: {
          ...headers,
          ...(authorization ? { authorization } : {}),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      });
      let isBeforeConnection = true;
      let isAnswered = false;
      call.once('socket', (socket) => {
        if (call.reusedSocket) {
          isBeforeConnection = false;
          return;
        }
        socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          isBeforeConnection = false;
        });
      });
      const timer = setTimeout(
        () => call.destroy(new OutgoingError('timed_out', { isBeforeConnection })),
        HEAD_WITHIN_MS,
      );
      call.once('response', (answer) => {
        clearTimeout(timer);
        isAnswered = true;
        // Errors of the response are also thrown where its body is read. If nobody reads the body, they are
        // ignored.
        answer.on('error', () => undefined);
        resolve({ url, status: answer.statusCode ?? 0, headers: answer.headers, body: answer });
      });
      call.on('error', (cause) => {
        if (call.reusedSocket && RESET.test((cause as NodeJS.ErrnoException).code ?? ''))
          resolve(once({ ...request, reusesConnection: false }, url, authorization));
        else
          reject(
            cause instanceof OutgoingError
              ? cause
              : new OutgoingError(faultOf(cause), { cause, isBeforeConnection }),
          );
      });
      // For a response that switches protocols, neither `response` nor `error` is emitted.
      call.once('close', () => {
        clearTimeout(timer);
        if (!isAnswered) reject(new OutgoingError('unreachable'));
      });
      call.end(body);
    });
  }

  return {
    async addressOf(hostname) {
      const [first] = (await addressesOf(hostname)) as [dns.LookupAddress];
      return first.address;
    },
    async ask(request) {
      let { url } = request;
      let authorization: string | null = null;
      for (let hop = 0; hop <= MAX_HOPS; hop++) {
        const answer = await once(request, url, authorization);
        const { status, headers } = answer;
        const challenge = headers['www-authenticate'];
        if (status === 401 && request.login && challenge && authorization === null) {
          authorization = answerTo(challenge, request.login, {
            method: request.method ?? 'GET',
            target: `${url.pathname}${url.search}`,
          });
          if (authorization === null) return answer;
        } else if (status >= 301 && status <= 308 && headers.location !== undefined) {
          const target = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : null;
          if (target?.origin !== url.origin) {
            answer.body.destroy();
            throw new OutgoingError('elsewhere');
          }
          url = target;
          authorization = null;
        } else return answer;
        answer.body.destroy();
      }
      throw new OutgoingError('elsewhere');
    },
  };
}

/** Limits the time of a look-up: the look-up cannot be cancelled, but its caller does not wait longer. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new OutgoingError('timed_out', { isBeforeConnection: true })),
      HEAD_WITHIN_MS,
    );
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Reads the whole body, within its limits of size and time. */
export async function readWhole(
  { headers, body }: OutgoingAnswer,
  limits: { maxBytes: number; withinMs: number },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of readBounded({ headers, body }, limits)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Yields the body in chunks; throws as soon as a limit of size or time is exceeded. */
export async function* readBounded(
  { headers, body }: Pick<OutgoingAnswer, 'headers' | 'body'>,
  { maxBytes, withinMs }: { maxBytes: number; withinMs: number },
): AsyncGenerator<Buffer> {
  const timer = setTimeout(() => body.destroy(new OutgoingError('timed_out')), withinMs);
  try {
    refuseLarger(headers, maxBytes);
    let bytes = 0;
    for await (const piece of body) {
      bytes += (piece as Buffer).length;
      if (bytes > maxBytes) throw new OutgoingError('too_large');
      yield piece as Buffer;
    }
  } catch (cause) {
    throw cause instanceof OutgoingError ? cause : new OutgoingError('unreachable', { cause });
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}

/** Throws `too_large` if the headers announce a larger body. */
export function refuseLarger(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new OutgoingError('too_large');
}

function faultOf(error: Error): OutgoingFault {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return 'certificate';
  return code === 'ETIMEDOUT' ? 'timed_out' : 'unreachable';
}
