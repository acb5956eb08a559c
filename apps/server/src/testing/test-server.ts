import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvisionItem } from '@isotherm/contracts/devices';
import type { IngestResult } from '@isotherm/contracts/ingest';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { encryptPassword } from '@isotherm/contracts/password-cipher';
import { type Envelope, SUCCESS } from '@isotherm/contracts/route';
import { fileDigest, HEADER, requestSignature, sessionProof } from '@isotherm/contracts/signing';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { compose } from '../compose.ts';
import { readConfig } from '../config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';

export const DEMO_PASSWORD = 'Isotherm-2026';
export const TEST_SECRET = 'a secret of the tests, long enough for anybody';
const SALT = 'test-salt';

export interface Session {
  username: string;
  token: string;
}

export interface Call {
  method?: string;
  /** Path including `/api`, without the query. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  /** Fields of a multipart body. Bytes are sent as a file that has the name of its field. */
  fields?: Record<string, string | { name: string; bytes: Uint8Array }>;
  session?: Session | null;
  /** Headers that override the correct ones, for forged requests. */
  headers?: Record<string, string>;
  timestamp?: number;
}

export interface Answer<T = unknown> extends Envelope<T> {
  httpStatus: number;
  /** Response headers of a file. */
  headers?: Headers;
}

export interface TestServer {
  url: string;
  /** Connection string of its database. */
  databaseUrl: string;
  mqttPort: number;
  tcpPort: number;
  /** Ports with TLS; null without a certificate. */
  tlsPorts: { https: number | null; mqtts: number | null };
  setupUrl: string | null;
  /** Folder of its result files. */
  filesFolder: string;
  pool: pg.Pool;
  call<T = unknown>(call: Call): Promise<Answer<T>>;
  /** Returns address and headers of a call, for tests that read the response as a stream. */
  signed(call: Call): { url: string; headers: Record<string, string> };
  logIn(username: string, password?: string): Promise<Session>;
  /** Tries a login that may fail. */
  tryLogIn(
    username: string,
    password: string,
    more?: Record<string, string>,
  ): Promise<Answer<{ token: string }>>;
  changePassword(session: Session, oldPassword: string, newPassword: string): Promise<Session>;
  encrypt(...passwords: string[]): Promise<{ nonce: string; ciphers: string[] }>;
  provision(session: Session, items: ProvisionItem[]): Promise<void>;
  ingest(
    number: string,
    key: string,
    body: unknown,
  ): Promise<Answer<IngestResult> & { retryAfter: string | null }>;
  stop(): Promise<void>;
}

/**
 * Starts the whole server with its own database and free ports, and the demo organisations and accounts.
 * With `databaseUrl` it is another process on that database.
 */
export async function startTestServer(
  options: { clock?: Clock; environment?: Record<string, string>; databaseUrl?: string } = {},
): Promise<TestServer> {
  const database = options.databaseUrl
    ? { connectionString: options.databaseUrl, drop: async () => undefined }
    : await createTestDatabase();
  const files = await mkdtemp(join(tmpdir(), 'isotherm-files-'));
  const config = readConfig(
    {
      ISOTHERM_FILES_FOLDER: files,
      DATABASE_URL: database.connectionString,
      PORT: '0',
      MQTT_PORT: '0',
      ISOTHERM_TCP_PORT: '0',
      ISOTHERM_SECRET: TEST_SECRET,
      ISOTHERM_SALT: SALT,
      ISOTHERM_DEMO: '1',
      LOG_LEVEL: 'silent',
      ...options.environment,
    },
    [],
  );
  const clock = options.clock ?? systemClock;
  const server = await compose(config, clock, createLog('silent', false), () => undefined);
  const pool = new pg.Pool({ connectionString: database.connectionString, max: 3 });
  pool.on('error', () => undefined);

  function signed(request: Call) {
    const method = request.method ?? 'GET';
    const timestamp = request.timestamp ?? clock.now();
    const json = request.json === undefined ? '' : JSON.stringify(request.json);
    const parts = {
      query: Object.entries(request.query ?? {}),
      json,
      fields: Object.entries(request.fields ?? {}).map(
        ([name, value]) => [name, typeof value === 'string' ? value : fileDigest(value.bytes)] as const,
      ),
    };
    const headers: Record<string, string> = {
      [HEADER.timestamp]: String(timestamp),
      [HEADER.language]: 'en',
      [HEADER.signature]: requestSignature(SALT, method, request.path, parts, timestamp),
    };
    if (request.session) {
      headers[HEADER.username] = request.session.username;
      headers[HEADER.session] = sessionProof(
        request.session.token,
        request.path,
        request.session.username,
        timestamp,
        headers[HEADER.signature] as string,
      );
    }
    let body: string | FormData | undefined;
    if (request.fields) {
      body = new FormData();
      for (const [name, value] of Object.entries(request.fields)) {
        if (typeof value === 'string') body.append(name, value);
        else body.append(name, new Blob([Uint8Array.from(value.bytes)]), value.name);
      }
    } else if (json !== '') {
      headers['content-type'] = 'application/json';
      body = json;
    }
    Object.assign(headers, request.headers);
    const search = request.query ? `?${new URLSearchParams(request.query)}` : '';
    return { url: `${server.url}${request.path}${search}`, method, headers, ...(body ? { body } : {}) };
  }

  async function call<T>(request: Call): Promise<Answer<T>> {
    const { url, ...options } = signed(request);
    const response = await fetch(url, options);
    if (response.headers.has('content-disposition'))
      return {
        httpStatus: response.status,
        status: SUCCESS,
        message: '',
        data: (await response.text()) as T,
        headers: response.headers,
      };
    return { httpStatus: response.status, ...((await response.json()) as Envelope<T>) };
  }

  async function encrypt(...passwords: string[]) {
    const { data } = await call<{ publicKey: string; nonce: string }>({ path: '/api/auth/publickey' });
    return {
      nonce: data.nonce,
      ciphers: passwords.map((password) => encryptPassword(data.publicKey, data.nonce, password)),
    };
  }

  async function tryLogIn(username: string, password: string, more: Record<string, string> = {}) {
    const { nonce, ciphers } = await encrypt(password);
    return call<{ token: string }>({
      method: 'POST',
      path: '/api/auth/login',
      fields: {
        username,
        password: ciphers[0] as string,
        serviceloginkey: nonce,
        identifier: 'test',
        v: '1',
        ...more,
      },
    });
  }

  return {
    url: server.url,
    databaseUrl: database.connectionString,
    mqttPort: server.mqttPort as number,
    tcpPort: server.tcpPort as number,
    tlsPorts: server.tlsPorts,
    setupUrl: server.setupUrl,
    filesFolder: files,
    pool,
    call,
    signed,
    encrypt,
    tryLogIn,
    async logIn(username, password = DEMO_PASSWORD) {
      const answer = await tryLogIn(username, password);
      if (answer.status !== '1') throw new Error(`login of ${username}: ${answer.status}`);
      return { username, token: answer.data.token };
    },
    async changePassword(session, oldPassword, newPassword) {
      const { nonce, ciphers } = await encrypt(oldPassword, newPassword);
      const answer = await call<{ token: string }>({
        method: 'PUT',
        path: '/api/account/password',
        session,
        fields: {
          oldPassword: ciphers[0] as string,
          newPassword: ciphers[1] as string,
          serviceloginkey: nonce,
        },
      });
      if (answer.status !== '1') throw new Error(`password of ${session.username}: ${answer.status}`);
      return { username: session.username, token: answer.data.token };
    },
    async provision(session, items) {
      const answer = await call({ method: 'POST', path: '/api/device/provision', json: { items }, session });
      if (answer.status !== '1') throw new Error(`provisioning: ${answer.status} ${answer.message}`);
    },
    async ingest(number, key, body) {
      const response = await fetch(`${server.url}${INGEST_PATH}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`${number}:${key}`).toString('base64')}`,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const retryAfter = response.headers.get('retry-after');
      return {
        httpStatus: response.status,
        retryAfter,
        ...((await response.json()) as Envelope<IngestResult>),
      };
    },
    async stop() {
      await server.stop();
      await pool.end();
      await database.drop();
      await rm(files, { recursive: true, force: true });
    },
  };
}

export const TEST_KEY = 'k'.repeat(40);

/**
 * Returns a refrigerator with one sensor: temperature (2–8 °C, level 3 without delay by default) and door.
 */
export function fridge(
  number: string,
  over: {
    organizationCode?: string;
    triggerAfterMs?: number;
    recoverAfterMs?: number;
    noDataAfterMs?: number;
  } = {},
): ProvisionItem {
  const triggerAfterMs = over.triggerAfterMs ?? 60_000;
  const recoverAfterMs = over.recoverAfterMs ?? 0;
  return {
    asset: {
      code: `F-${number}`,
      name: `Fridge ${number}`,
      kind: 'refrigerator',
      place: 'Pharmacy',
      organizationCode: over.organizationCode ?? 'DEMO-HOSPITAL',
    },
    device: { number, name: `Logger ${number}`, key: TEST_KEY, acquisitionIntervalMs: 60_000 },
    sensors: [
      {
        index: 1,
        serial: `S-${number}`,
        name: 'Top shelf',
        channels: [
          {
            indicator: 'temperature',
            name: 'Air, top shelf',
            rules: [
              { kind: 'high', level: 3, limit: 8, recoveryMargin: 0.5, triggerAfterMs, recoverAfterMs },
              { kind: 'low', level: 4, limit: 2, recoveryMargin: 0.5, triggerAfterMs, recoverAfterMs },
              ...(over.noDataAfterMs
                ? [{ kind: 'no-data' as const, level: 2, triggerAfterMs: over.noDataAfterMs }]
                : []),
            ],
          },
          { indicator: 'door', name: 'Door' },
        ],
      },
    ],
  };
}
