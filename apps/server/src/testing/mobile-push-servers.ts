import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import http2, { type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A message that a push service has accepted. */
export interface AppMessage {
  token: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** A refusal of all further messages to an app. */
export interface Refusal {
  status: number;
  body?: object;
  headers?: Record<string, string>;
}

const jsonPart = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

/**
 * Firebase Cloud Messaging and the token endpoint of Google (RFC 7523): an access token is issued for an assertion that the
 * service account has signed; `messages:send` takes messages of up to 4 KB with such a token.
 */
export async function startFcm() {
  const apps = new Map<string, Refusal | null>();
  const issued = new Set<string>();
  const state = {
    url: '',
    tokenUrl: '',
    messages: [] as AppMessage[],
    /** Number of tokens that were issued. */
    tokens: 0,
    /** Refuses to issue tokens. */
    tokenRefusal: null as Refusal | null,
    /** Public key of the service account. */
    publicKey: null as KeyObject | null,
    /** Makes all issued tokens invalid. */
    expireTokens: () => issued.clear(),
    /** Registers an app; a refusal is the response to its messages. */
    add(refusal: Refusal | null = null): string {
      const token = randomBytes(60).toString('base64url');
      apps.set(token, refusal);
      return token;
    },
    answer: (token: string, refusal: Refusal | null) => apps.set(token, refusal),
    remove: (token: string) => apps.delete(token),
    stop: () =>
      new Promise<void>((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };

  function issue(form: URLSearchParams): Refusal {
    const refuse = (error: string) => ({ status: 400, body: { error } });
    if (state.tokenRefusal) return state.tokenRefusal;
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      return refuse('unsupported_grant_type');
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const { iss, scope, aud, iat, exp } = jsonPart(claims);
    const isGenuine =
      jsonPart(header).alg === 'RS256' &&
      state.publicKey !== null &&
      verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        state.publicKey,
        Buffer.from(signature, 'base64url'),
      );
    const now = Date.now() / 1000;
    if (!isGenuine || !iss || aud !== state.tokenUrl || iat > now + 60 || exp < now || exp - iat > 3600)
      return refuse('invalid_grant');
    if (scope !== 'https://www.googleapis.com/auth/firebase.messaging') return refuse('invalid_scope');
    const token = `ya29.${randomBytes(500).toString('base64url')}`;
    issued.add(token);
    state.tokens += 1;
    return { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } };
  }

  const fault = (status: number, name: string, errorCode?: string): Refusal => ({
    status,
    body: {
      error: {
        code: status,
        status: name,
        message: name,
        details: errorCode
          ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
          : [],
      },
    },
  });

  function send(path: string, authorization: string, content: string): Refusal {
    if (path !== '/v1/projects/test-project/messages:send') return fault(404, 'NOT_FOUND');
    if (!issued.has(authorization.replace(/^Bearer /, ''))) return fault(401, 'UNAUTHENTICATED');
    const { message, validate_only: isCheck = false } = JSON.parse(content);
    const token = message?.token;
    const data: unknown[] = Object.values(message?.data ?? {});
    const isTooLarge = Buffer.byteLength(JSON.stringify({ ...message.notification, ...message.data })) > 4096;
    if (typeof token !== 'string' || data.some((value) => typeof value !== 'string') || isTooLarge)
      return fault(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT');
    if (!/^[\w-]{80}$/.test(token)) return fault(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT');
    if (!apps.has(token)) return fault(404, 'NOT_FOUND', 'UNREGISTERED');
    const refusal = apps.get(token);
    if (refusal) return refusal;
    if (!isCheck) state.messages.push({ token, headers: {}, body: message });
    return { status: 200, body: { name: `projects/test-project/messages/${state.messages.length}` } };
  }

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const content = Buffer.concat(pieces).toString('utf8');
    const answer =
      request.url === '/token'
        ? issue(new URLSearchParams(content))
        : send(request.url ?? '', request.headers.authorization ?? '', content);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  state.tokenUrl = `${state.url}/token`;
  return state;
}

/**
 * The provider API of APNs: HTTP/2, a token of the team in each request (ES256, at most an hour old), reasons of refusals
 * as JSON, and payloads of up to 4 KB.
 */
export async function startApns(account: { keyId: string; teamId: string; topic: string; key: string }) {
  const publicKey = createPublicKey(account.key);
  const apps = new Map<string, Refusal | 'silent' | null>();
  const sessions = new Set<ServerHttp2Session>();
  const state = {
    url: '',
    messages: [] as AppMessage[],
    /** Number of connections. */
    connections: 0,
    /** Tokens that were sent. */
    tokens: new Set<string>(),
    /** Refuses all tokens that were sent until now. */
    expired: new Set<string>(),
    add(refusal: Refusal | 'silent' | null = null): string {
      const token = randomBytes(32).toString('hex');
      apps.set(token, refusal);
      return token;
    },
    answer: (token: string, refusal: Refusal | 'silent' | null) => apps.set(token, refusal),
    /** Closes all connections without a response. */
    drop: () => {
      for (const session of sessions) session.destroy();
    },
    stop: () =>
      new Promise<void>((done) => {
        state.drop();
        server.close(() => done());
      }),
  };

  function refusalOf(headers: http2.IncomingHttpHeaders, body: Buffer): Refusal | 'silent' | null {
    const refuse = (status: number, reason: string) => ({ status, body: { reason } });
    const [, token = ''] = String(headers[':path']).match(/^\/3\/device\/([0-9a-f]+)$/) ?? [];
    const jwt = String(headers.authorization ?? '').replace(/^bearer /, '');
    if (jwt === '') return refuse(403, 'MissingProviderToken');
    const [header = '', claims = '', signature = ''] = jwt.split('.');
    const isGenuine =
      jsonPart(header).alg === 'ES256' &&
      jsonPart(header).kid === account.keyId &&
      jsonPart(claims).iss === account.teamId &&
      verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
    if (!isGenuine) return refuse(403, 'InvalidProviderToken');
    state.tokens.add(jwt);
    if (state.expired.has(jwt) || Date.now() / 1000 - jsonPart(claims).iat > 3600)
      return refuse(403, 'ExpiredProviderToken');
    if (headers['apns-topic'] !== account.topic) return refuse(400, 'TopicDisallowed');
    if (headers['apns-push-type'] !== 'alert') return refuse(400, 'InvalidPushType');
    if (Buffer.byteLength(String(headers['apns-collapse-id'] ?? '')) > 64)
      return refuse(400, 'BadCollapseId');
    if (body.length > 4096) return refuse(413, 'PayloadTooLarge');
    if (!/^[0-9a-f]{64}$/.test(token) || /^0+$/.test(token)) return refuse(400, 'BadDeviceToken');
    if (!apps.has(token)) return { status: 410, body: { reason: 'Unregistered', timestamp: Date.now() } };
    const refusal = apps.get(token) ?? null;
    if (refusal === null)
      state.messages.push({
        token,
        headers: headers as Record<string, string>,
        body: JSON.parse(body.toString()),
      });
    return refusal;
  }

  const server = http2.createServer();
  server.on('session', (session) => {
    state.connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    const pieces: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      const refusal = refusalOf(headers, Buffer.concat(pieces));
      if (refusal === 'silent') return;
      stream.respond({
        ':status': refusal?.status ?? 200,
        'apns-id': randomBytes(16).toString('hex'),
        ...refusal?.headers,
      });
      stream.end(refusal?.body ? JSON.stringify(refusal.body) : '');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}
