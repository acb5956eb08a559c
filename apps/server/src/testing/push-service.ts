import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that a push service has accepted for a browser, as the browser decrypts it. */
export interface PushedMessage {
  payload: unknown;
  claims: { aud: string; exp: number; sub: string };
  ttl: number;
  urgency: string | undefined;
}

/** A browser that has subscribed at the push service. */
export interface PushedBrowser {
  subscription: { endpoint: string; p256dh: string; auth: string; name: string };
  messages: PushedMessage[];
  /** Status of all further responses; null for the real one. */
  answer: number | null;
}

/**
 * A push service and its browsers, as RFC 8030 (delivery), 8188 and 8291 (encryption) and 8292 (VAPID) describe them. It
 * accepts only requests that are signed with the key with which the browser has subscribed, and decrypts them with the
 * private key of the browser.
 */
export async function startPushService() {
  const browsers = new Map<
    string,
    { browser: PushedBrowser; curve: ECDH; auth: Buffer; serverKey: string }
  >();
  let origin = '';

  function accept(path: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): number {
    const known = browsers.get(path);
    if (!known) return 404;
    const { browser, curve, auth, serverKey } = known;
    if (browser.answer !== null) return browser.answer;
    const [, jwt = '', key = ''] =
      String(headers.authorization ?? '').match(/^vapid t=([^,]+), ?k=([\w-]+)$/) ?? [];
    if (key !== serverKey) return 403;
    const claims = claimsOf(jwt, key);
    if (!claims || claims.aud !== origin || claims.exp * 1000 < Date.now()) return 403;
    if (claims.exp * 1000 > Date.now() + 24 * 3600 * 1000 || !/^(mailto:|https:)/.test(claims.sub))
      return 403;
    if (headers['content-encoding'] !== 'aes128gcm' || headers.ttl === undefined) return 400;
    if (body.length > 4096) return 413;
    browser.messages.push({
      payload: JSON.parse(decrypt(body, curve, auth).toString('utf8')),
      claims,
      ttl: Number(headers.ttl),
      urgency: headers.urgency as string | undefined,
    });
    return 201;
  }

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    response.statusCode = accept(request.url ?? '', request.headers, Buffer.concat(pieces));
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    /** Subscribes a new browser, for the server with this public key. */
    subscribe(serverKey: string, name = 'Chrome · Android'): PushedBrowser {
      const curve = createECDH('prime256v1');
      curve.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${randomBytes(12).toString('hex')}`;
      const browser: PushedBrowser = {
        subscription: {
          endpoint: `${origin}${path}`,
          p256dh: curve.getPublicKey().toString('base64url'),
          auth: auth.toString('base64url'),
          name,
        },
        messages: [],
        answer: null,
      };
      browsers.set(path, { browser, curve, auth, serverKey });
      return browser;
    },
    stop: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** Verifies a VAPID token (ES256); returns its claims, or null if the signature is wrong. */
function claimsOf(jwt: string, key: string): PushedMessage['claims'] | null {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const point = Buffer.from(key, 'base64url');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isGenuine ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : null;
}

/** Decrypts a message of one record (RFC 8188 with the keys of RFC 8291). */
function decrypt(body: Buffer, curve: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const senderKey = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const secret = curve.computeSecret(senderKey);
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), curve.getPublicKey(), senderKey]);
  const input = Buffer.from(hkdfSync('sha256', secret, auth, keyInfo, 32));
  const derive = (info: string, bytes: number) => Buffer.from(hkdfSync('sha256', input, salt, info, bytes));
  const key = derive('Content-Encoding: aes128gcm\0', 16);
  const decipher = createDecipheriv('aes-128-gcm', key, derive('Content-Encoding: nonce\0', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  // The last record ends with the delimiter 2 and any number of zeros.
  return plain.subarray(0, plain.lastIndexOf(2));
}
