import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local server with the behaviour of an SMS provider. */
export interface SmsServer {
  url: string;
  /** Messages that it has accepted. */
  accepted: Record<string, string>[];
  /** Number of requests. */
  calls: number;
  /** What it does with the next requests. */
  behaviour: 'accept' | 'garbage' | 'hang-up' | 'accept-and-hang-up' | { status: number; body: object };
  stop(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
};

async function serve(read: (request: IncomingMessage, body: string) => Answer): Promise<SmsServer> {
  const state: SmsServer = { url: '', accepted: [], calls: 0, behaviour: 'accept', stop: () => stop(server) };
  const server = createServer(async (request, response) => {
    const answer = read(request, await bodyOf(request));
    state.calls += 1;
    const { behaviour } = state;
    if (behaviour === 'hang-up') return request.socket.destroy();
    if (behaviour === 'garbage') return response.writeHead(200).end('<html>');
    const refusal = typeof behaviour === 'object' ? behaviour : answer.refusal;
    if (refusal)
      return response
        .writeHead(refusal.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(refusal.body));
    state.accepted.push(answer.message);
    if (behaviour === 'accept-and-hang-up') return request.socket.destroy();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer.success));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return state;
}

interface Answer {
  message: Record<string, string>;
  success: object;
  refusal: { status: number; body: object } | null;
}

const stop = (server: Server) =>
  new Promise<void>((closed) => {
    server.closeAllConnections();
    server.close(() => closed());
  });

/**
 * Dysms `SendSms`, as documented: the signature is computed from the parameters that were received, and a nonce is
 * accepted once.
 */
export function startAliyun(keyId: string, secret: string): Promise<SmsServer> {
  const nonces = new Set<string>();
  const rfc3986 = (text: string) =>
    encodeURIComponent(text)
      .replaceAll('!', '%21')
      .replaceAll("'", '%27')
      .replaceAll('(', '%28')
      .replaceAll(')', '%29')
      .replaceAll('*', '%2A');
  return serve((request, body) => {
    const message = Object.fromEntries(new URLSearchParams(body));
    const names = Object.keys(message)
      .filter((name) => name !== 'Signature')
      .sort();
    const canonical = names.map((name) => `${rfc3986(name)}=${rfc3986(message[name] ?? '')}`).join('&');
    const expected = createHmac('sha1', `${secret}&`)
      .update(`${request.method}&%2F&${rfc3986(canonical)}`)
      .digest('base64');
    const refuse = (status: number, Code: string) => ({
      status,
      body: { Code, Message: Code, RequestId: 'r' },
    });
    const { SignatureNonce: nonce = '', Timestamp: stamp = '' } = message;
    const refusal =
      message.AccessKeyId !== keyId
        ? refuse(404, 'InvalidAccessKeyId.NotFound')
        : message.Signature !== expected
          ? refuse(400, 'SignatureDoesNotMatch')
          : nonces.has(nonce)
            ? refuse(400, 'SignatureNonceUsed')
            : !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(stamp)
              ? refuse(400, 'InvalidTimeStamp.Format')
              : message.Action !== 'SendSms' || message.Version !== '2017-05-25'
                ? refuse(404, 'InvalidAction.NotFound')
                : /^(1\d{10}|\d{6,15})$/.test(message.PhoneNumbers ?? '')
                  ? null
                  : refuse(200, 'isv.MOBILE_NUMBER_ILLEGAL');
    nonces.add(nonce);
    return {
      message,
      refusal,
      success: { Code: 'OK', Message: 'OK', BizId: `biz-${nonce}`, RequestId: 'r' },
    };
  });
}

/** A provider that takes JSON with a bearer token. */
export function startHttpProvider(token: string): Promise<SmsServer> {
  return serve((request, body) => {
    const message = JSON.parse(body) as Record<string, string>;
    const refusal =
      request.headers.authorization === `Bearer ${token}` ? null : { status: 401, body: { code: 9 } };
    message.key = String(request.headers['idempotency-key']);
    return { message, refusal, success: { code: 0, data: { id: `http-${message.id}` } } };
  });
}
