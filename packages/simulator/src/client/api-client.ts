import { encryptPassword } from '@isotherm/contracts/password-cipher';
import type { Envelope, RouteContract } from '@isotherm/contracts/route';
import { SUCCESS } from '@isotherm/contracts/route';
import {
  fileDigest,
  HEADER,
  requestSignature,
  type SignedParts,
  sessionProof,
} from '@isotherm/contracts/signing';
import { FormData, fetch } from 'undici';
import type { z } from 'zod';

/** Base path of all routes except ingest. */
const API = '/api';

/** Thrown if the server refuses a request. `code` is from the error catalogue. */
export class ApiRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${message} (${code})`);
    this.name = 'ApiRefusal';
    this.code = code;
  }
}

interface Session {
  username: string;
  token: string;
}

/** A logged-in client that signs its requests like the console (decisions 12 and 14). */
export interface ApiClient {
  call<R extends RouteContract>(
    route: R,
    request?: { path?: string; query?: Record<string, string>; body?: z.input<R['body']> },
  ): Promise<z.output<R['response']>>;
  /** Address of the server, without a trailing slash. */
  server: string;
  username: string;
}

interface SentFile {
  name: string;
  bytes: Uint8Array;
}

interface Wire {
  method: string;
  /** Path below `/api`, with its parameters filled in. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  /** Fields of a multipart body, if the request has one. */
  fields?: Record<string, string | SentFile>;
}

async function send<T>(server: string, salt: string, session: Session | null, wire: Wire): Promise<T> {
  const timestamp = Date.now();
  const path = API + wire.path;
  const json = wire.json === undefined ? '' : JSON.stringify(wire.json);
  const parts: SignedParts = {
    query: Object.entries(wire.query ?? {}),
    json,
    fields: Object.entries(wire.fields ?? {}).map(
      ([name, value]) => [name, typeof value === 'string' ? value : fileDigest(value.bytes)] as const,
    ),
  };
  const headers: Record<string, string> = {
    [HEADER.timestamp]: String(timestamp),
    [HEADER.language]: 'en',
    [HEADER.signature]: requestSignature(salt, wire.method, path, parts, timestamp),
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
  let body: string | FormData | null = null;
  if (wire.fields) {
    body = new FormData();
    for (const [name, value] of Object.entries(wire.fields)) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, new Blob([Uint8Array.from(value.bytes)]), value.name);
    }
  } else if (json !== '') {
    headers['content-type'] = 'application/json';
    body = json;
  }
  const search = wire.query ? `?${new URLSearchParams(wire.query)}` : '';
  const response = await fetch(`${server}${path}${search}`, { method: wire.method, headers, body });
  const envelope = (await response.json()) as Envelope<T>;
  if (envelope.status !== SUCCESS) throw new ApiRefusal(envelope.status, envelope.message);
  return envelope.data;
}

/** Logs in with a password that is encrypted with SM2 and a one-time nonce (decision 12). */
export async function logIn(server: string, username: string, password: string): Promise<ApiClient> {
  const base = server.replace(/\/$/, '');
  // The first request cannot know the salt yet; public GET routes need no signature.
  const site = await send<{ salt: string }>(base, '', null, { method: 'GET', path: '/site' });
  const key = await send<{ publicKey: string; nonce: string }>(base, site.salt, null, {
    method: 'GET',
    path: '/auth/publickey',
  });
  const encrypted = encryptPassword(key.publicKey, key.nonce, password);
  const session = await send<{ token: string; username: string }>(base, site.salt, null, {
    method: 'POST',
    path: '/auth/login',
    fields: {
      username,
      password: encrypted,
      serviceloginkey: key.nonce,
      identifier: 'isotherm-simulator',
      v: '1.0.0',
    },
  });
  const signedIn: Session = { username: session.username, token: session.token };
  return {
    server: base,
    username: session.username,
    call: async (route, request = {}) =>
      send(base, site.salt, signedIn, {
        method: route.method,
        path: request.path ?? route.path,
        ...(request.query ? { query: request.query } : {}),
        ...(request.body === undefined
          ? {}
          : route.encoding === 'multipart'
            ? { fields: await fieldsOf(request.body as Record<string, string | number | Blob>) }
            : { json: request.body }),
      }),
  };
}

async function fieldsOf(
  body: Record<string, string | number | Blob>,
): Promise<Record<string, string | SentFile>> {
  const fields: Record<string, string | SentFile> = {};
  for (const [name, value] of Object.entries(body))
    fields[name] =
      value instanceof Blob
        ? {
            name: value instanceof File ? value.name : name,
            bytes: new Uint8Array(await value.arrayBuffer()),
          }
        : String(value);
  return fields;
}
