import { refreshToken } from '@isotherm/contracts/identity';
import {
  type BodyOf,
  type download,
  type Envelope,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type RouteContract,
  SUCCESS,
} from '@isotherm/contracts/route';
import { fileDigest, HEADER, requestSignature, sessionProof } from '@isotherm/contracts/signing';
import { ApiError, isSessionOver } from './api-error.ts';
import { learnServerTime, serverNow } from './clock.ts';
import {
  clearSession,
  type EntryStep,
  extendSession,
  readSession,
  type Session,
  writeSession,
} from './session.ts';
import { refreshOnce } from './token-refresh.ts';

/** Request timeout (requirements §7). */
const TIME_OUT_MS = 300_000;
const BASE = '/api';

export interface ClientSettings {
  salt: string;
  language: () => string;
  /** Returns the message for a failure for which the server sent none. */
  describe: (failure: 'network' | 'unreadable' | 'time-out') => string;
  /** Called for every failure that the caller of the request does not show itself. */
  onFailure: (error: ApiError) => void;
  /** Called when the session has ended and was cleared. */
  onSessionOver: () => void;
  /** Called when the account must first change its password or set up its second factor. */
  onEntryDue: (step: EntryStep) => void;
}

const ENTRY_DUE: Record<string, EntryStep> = {
  'session.password_change_due': 'password',
  'session.second_factor_due': 'second-factor',
};

let settings: ClientSettings | null = null;

export function configureClient(next: ClientSettings): void {
  settings = next;
}

type Given<T> = Record<string, never> extends T ? { [K in keyof T]?: T[K] } : T;

export interface CallInput<R extends RouteContract> {
  params?: Given<ParamsOf<R>>;
  query?: Given<QueryOf<R>>;
  body?: BodyOf<R>;
  signal?: AbortSignal;
  /** True if the caller shows the failure itself; no toast appears then. */
  quiet?: boolean;
  /** True to return the file as a stream; see {@link callForStream}. */
  whileItComes?: boolean;
  /**
   * True for a request that continues when the page is closed (fetch `keepalive`). Its body is limited to a
   * few thousand characters.
   */
  outlivesPage?: boolean;
}

/** Calls a route of the API contracts. Resolves with its data, rejects with ApiError. */
export async function call<R extends RouteContract>(
  route: R,
  input: CallInput<R> = {},
): Promise<ResponseOf<R>> {
  try {
    return (await attempt(route, input)) as ResponseOf<R>;
  } catch (error) {
    if (input.signal?.aborted) throw error;
    if (isSessionOver(error) && route.access !== 'public') {
      clearSession();
      current().onSessionOver();
    } else if (error instanceof ApiError && error.code in ENTRY_DUE) {
      current().onEntryDue(ENTRY_DUE[error.code] as EntryStep);
    } else if (error instanceof ApiError && !input.quiet) {
      current().onFailure(error);
    }
    throw error;
  }
}

/** Calls a route that returns a file. */
export async function callForFile<R extends RouteContract & { response: typeof download }>(
  route: R,
  input: CallInput<R> = {},
): Promise<{ fileName: string; blob: Blob }> {
  return (await call(route, input)) as unknown as { fileName: string; blob: Blob };
}

/** Calls a route that returns an endless file. The caller ends it by the abort signal. */
export async function callForStream<R extends RouteContract & { response: typeof download }>(
  route: R,
  input: CallInput<R> & { signal: AbortSignal },
): Promise<ReadableStream<Uint8Array>> {
  return (await call(route, { ...input, whileItComes: true })) as unknown as ReadableStream<Uint8Array>;
}

function current(): ClientSettings {
  if (!settings) throw new Error('the API client is used before it is configured');
  return settings;
}

async function attempt<R extends RouteContract>(route: R, input: CallInput<R>): Promise<unknown> {
  const needsSession = route.access !== 'public';
  // A request that is sent while the page is being closed must not wait for a browser lock, so it does not
  // renew the token.
  const mayRenew = route.path !== refreshToken.path && !input.outlivesPage;
  if (needsSession && mayRenew) await refreshOnce(renewToken);
  const signedWith = needsSession ? readSession() : null;
  try {
    return await send(route, input, signedWith);
  } catch (error) {
    // The request is repeated once if the refusal corrected our clock, or if another request renewed the
    // token in the meantime.
    const clockLearned = error instanceof ApiError && error.code === 'signature.skewed';
    const session = needsSession ? readSession() : null;
    const renewed = isSessionOver(error) && session !== null && session.token !== signedWith?.token;
    if (!clockLearned && !renewed) throw error;
    return send(route, input, session);
  }
}

async function renewToken(): Promise<void> {
  const session = readSession();
  if (!session) return;
  const fresh = await send(refreshToken, {}, session);
  const { token, tokentime } = refreshToken.response.parse(fresh);
  writeSession(session.username, token, tokentime, Date.now());
}

/**
 * Runs before a navigation (requirements §2). Renews a token that has expired or expires soon, and returns
 * whether it did. If the token cannot be renewed, the session ends.
 */
export async function renewIfDue(): Promise<boolean> {
  const before = readSession()?.token;
  try {
    await refreshOnce(renewToken);
  } catch (error) {
    if (!isSessionOver(error)) return false;
    clearSession();
    current().onSessionOver();
    throw error;
  }
  return readSession()?.token !== before;
}

let lastTimestamp = 0;

/**
 * Returns a unique timestamp. It must be unique, because the server refuses a repeated signature as a replay
 * (decision 14).
 */
function nextTimestamp(): number {
  lastTimestamp = Math.max(serverNow(), lastTimestamp + 1);
  return lastTimestamp;
}

interface Prepared {
  path: string;
  query: [string, string][];
  json: string;
  fields: [string, string][];
  form: FormData | null;
}

async function prepare(route: RouteContract, input: CallInput<RouteContract>): Promise<Prepared> {
  const params = (input.params ?? {}) as Record<string, unknown>;
  const path =
    BASE + route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
  const query = textEntries(input.query);
  if (route.method === 'GET' || input.body === undefined) {
    return { path, query, json: '', fields: [], form: null };
  }
  if (route.encoding === 'json') {
    return { path, query, json: JSON.stringify(input.body), fields: [], form: null };
  }
  const form = new FormData();
  const fields: [string, string][] = [];
  for (const [key, value] of Object.entries(input.body as Record<string, unknown>)) {
    if (value === undefined || value === null) continue;
    if (value instanceof Blob) {
      form.append(key, value);
      fields.push([key, fileDigest(new Uint8Array(await value.arrayBuffer()))]);
    } else {
      form.append(key, String(value));
      fields.push([key, String(value)]);
    }
  }
  return { path, query, json: '', fields, form };
}

function textEntries(source: unknown): [string, string][] {
  return Object.entries((source ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => [key, String(value)]);
}

async function send(
  route: RouteContract,
  input: CallInput<RouteContract>,
  session: Session | null,
): Promise<unknown> {
  const { salt, language, describe } = current();
  const { path, query, json, fields, form } = await prepare(route, input);
  const timestamp = nextTimestamp();
  const headers: Record<string, string> = {
    [HEADER.timestamp]: String(timestamp),
    [HEADER.language]: language(),
    [HEADER.signature]: requestSignature(salt, route.method, path, { query, json, fields }, timestamp),
  };
  if (session) {
    headers[HEADER.username] = session.username;
    headers[HEADER.session] = sessionProof(
      session.token,
      path,
      session.username,
      timestamp,
      headers[HEADER.signature] as string,
    );
  }
  if (json !== '') headers['content-type'] = 'application/json';
  const search = new URLSearchParams(query).toString();
  const timeOut = AbortSignal.timeout(TIME_OUT_MS);
  const options: RequestInit = {
    method: route.method,
    headers,
    // The server does not use cookies.
    credentials: 'omit',
    signal: input.signal ? AbortSignal.any([input.signal, timeOut]) : timeOut,
    keepalive: input.outlivesPage ?? false,
  };
  const body = form ?? (json === '' ? null : json);
  if (body !== null) options.body = body;

  let response: Response;
  try {
    response = await fetch(search === '' ? path : `${path}?${search}`, options);
  } catch (error) {
    if (input.signal?.aborted) throw error;
    const failure = timeOut.aborted ? 'time-out' : 'network';
    throw new ApiError(`client.${failure}`, describe(failure), 0);
  }
  // The response is a file instead of a JSON envelope (contracts/route.ts, `download`).
  const named = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
  if (named && input.whileItComes) return response.body;
  if (named) return { fileName: named[1], blob: await response.blob() };
  const envelope = await readEnvelope(response);
  if (!envelope) throw new ApiError('client.unreadable', describe('unreadable'), response.status);
  if (envelope.status !== SUCCESS) {
    if (envelope.status === 'signature.skewed') {
      learnServerTime(Date.parse(response.headers.get('date') ?? ''));
    }
    const retryAfterS = Number(response.headers.get('retry-after')) || null;
    throw new ApiError(envelope.status, envelope.message, response.status, envelope.data, retryAfterS);
  }
  if (session && session.lifetime > 0) extendSession(session.lifetime, Date.now());
  return envelope.data;
}

async function readEnvelope(response: Response): Promise<Envelope<unknown> | null> {
  try {
    const body: unknown = await response.json();
    if (typeof body !== 'object' || body === null || !('status' in body)) return null;
    return body as Envelope<unknown>;
  } catch {
    return null;
  }
}
