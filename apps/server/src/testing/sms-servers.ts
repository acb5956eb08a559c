import { createHash, createHmac } from 'node:crypto';
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
  /** Called after a message was accepted, before the response. */
  before: (() => Promise<void>) | null;
  stop(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
};

async function serve(read: (request: IncomingMessage, body: string) => Answer): Promise<SmsServer> {
  const state: SmsServer = {
    url: '',
    accepted: [],
    calls: 0,
    behaviour: 'accept',
    before: null,
    stop: () => stop(server),
  };
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
    await state.before?.();
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

/** Fields of the actions of Aliyun: the number, and the id in the response. */
const ALIYUN_ACTIONS = {
  SendSms: { number: 'PhoneNumbers', id: 'BizId' },
  SingleCallByTts: { number: 'CalledNumber', id: 'CallId' },
} as const;

/**
 * Dysms `SendSms`, or `SingleCallByTts` of voice calls, as documented: the signature is computed from the parameters that were received, and a nonce is
 * accepted once.
 */
export function startAliyun(
  keyId: string,
  secret: string,
  action: keyof typeof ALIYUN_ACTIONS = 'SendSms',
): Promise<SmsServer> {
  const named = ALIYUN_ACTIONS[action];
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
              : message.Action !== action || message.Version !== '2017-05-25'
                ? refuse(404, 'InvalidAction.NotFound')
                : /^(1\d{10}|\d{6,15})$/.test(message[named.number] ?? '')
                  ? null
                  : refuse(200, 'isv.MOBILE_NUMBER_ILLEGAL');
    nonces.add(nonce);
    return {
      message,
      refusal,
      success: { Code: 'OK', Message: 'OK', [named.id]: `biz-${nonce}`, RequestId: 'r' },
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

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Tencent Cloud `SendSms`, as documented: the signature is computed from the request that was received. */
export function startTencent(secretId: string, secretKey: string): Promise<SmsServer> {
  return serve((request, body) => {
    const { headers } = request;
    const [, credential = '', signed = '', signature = ''] =
      /^TC3-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const [id, day = '', service = '', kind] = credential.split('/');
    const stamp = String(headers['x-tc-timestamp']);
    const lines = signed.split(';').map((name) => {
      const value = String(headers[name]).trim();
      return `${name}:${name === 'x-tc-action' ? value.toLowerCase() : value}\n`;
    });
    const canonical = `${request.method}\n/\n\n${lines.join('')}\n${signed}\n${sha256(body)}`;
    const text = `TC3-HMAC-SHA256\n${stamp}\n${day}/${service}/${kind}\n${sha256(canonical)}`;
    let key: Buffer = Buffer.from(`TC3${secretKey}`);
    for (const part of [day, service, 'tc3_request']) key = createHmac('sha256', key).update(part).digest();
    const expected = createHmac('sha256', key).update(text).digest('hex');
    const refuse = (Code: string) => ({
      status: 200,
      body: { Response: { Error: { Code, Message: Code }, RequestId: 'r' } },
    });
    const isTimely = new Date(Number(stamp) * 1000).toISOString().startsWith(day);
    const sent = JSON.parse(body) as { PhoneNumberSet: string[]; TemplateParamSet: string[] };
    const refusal =
      id !== secretId
        ? refuse('AuthFailure.SecretIdNotFound')
        : signature !== expected || !isTimely
          ? refuse('AuthFailure.SignatureFailure')
          : headers['x-tc-action'] !== 'SendSms' || headers['x-tc-version'] !== '2021-01-11'
            ? refuse('InvalidAction')
            : null;
    const { PhoneNumberSet, TemplateParamSet, ...rest } = sent;
    return {
      message: {
        ...(rest as unknown as Record<string, string>),
        number: PhoneNumberSet.join(),
        params: TemplateParamSet.join('|'),
      },
      refusal,
      success: {
        Response: {
          SendStatusSet: [
            {
              SerialNo: '5000:17',
              PhoneNumber: PhoneNumberSet[0],
              Fee: 1,
              Code: 'Ok',
              Message: 'send success',
            },
          ],
          RequestId: 'r',
        },
      },
    };
  });
}

/** Messages or Calls resource of Twilio. */
export function startTwilio(
  account: string,
  token: string,
  resource: 'Messages' | 'Calls' = 'Messages',
): Promise<SmsServer> {
  return serve((request, body) => {
    const message = Object.fromEntries(new URLSearchParams(body));
    const expected = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
    const refuse = (status: number, code: number) => ({ status, body: { code, message: 'refused', status } });
    const refusal =
      request.headers.authorization !== expected
        ? refuse(401, 20003)
        : request.url !== `/2010-04-01/Accounts/${account}/${resource}.json`
          ? refuse(404, 20404)
          : !/^\+\d{8,15}$/.test(message.To ?? '')
            ? refuse(400, 21211)
            : null;
    return {
      message,
      refusal,
      success: { sid: `${resource === 'Calls' ? 'CA' : 'SM'}${message.To}`, status: 'queued' },
    };
  });
}
