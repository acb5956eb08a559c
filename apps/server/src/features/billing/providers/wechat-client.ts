import { createDecipheriv, createSign, createVerify, type KeyObject, randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { jsonObjectOf } from '../../../platform/json.ts';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import { ProviderError } from '../payments.ts';

const LIMITS = { maxBytes: 256 * 1024, withinMs: 8_000 };
/** How much older than now a signature may be. */
const FRESH_SECONDS = 300;
const TAG_BYTES = 16;

export interface WechatAccount {
  url: string;
  merchantId: string;
  /** Serial number of the merchant's certificate. */
  serial: string;
  privateKey: KeyObject;
  /** Public key of WeChat Pay, and its id or the serial number of its certificate. */
  publicKey: KeyObject;
  publicKeyId: string;
  /** APIv3 key, by which contents of callbacks are encrypted. */
  apiKey: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Client of the WeChat Pay API v3: signed requests, verified answers and callbacks. */
export interface WechatClient {
  /** Sends a request; returns null if it is answered with the error `absent`. Throws `ProviderError`. */
  ask(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    absent?: string,
  ): Promise<Record<string, unknown> | null>;
  /** True if a text was signed by WeChat Pay just now. */
  isGenuine(headers: Headers, body: string): boolean;
  /** Decrypts the content of a callback; null if it was not encrypted with the APIv3 key. */
  decrypt(resource: { ciphertext: string; nonce: string; associated_data?: string }): unknown;
}

export function createWechatClient(
  account: WechatAccount,
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'ask'>; clock: Clock },
): WechatClient {
  function isGenuine(headers: Headers, body: string): boolean {
    const of = (name: string) => String(headers[`wechatpay-${name}`] ?? '');
    const age = Math.abs(clock.now() / 1000 - Number(of('timestamp')));
    if (of('serial') !== account.publicKeyId || !(age <= FRESH_SECONDS)) return false;
    return createVerify('RSA-SHA256')
      .update(`${of('timestamp')}\n${of('nonce')}\n${body}\n`)
      .verify(account.publicKey, of('signature'), 'base64');
  }

  return {
    isGenuine,
    async ask(method, path, body, absent) {
      const url = new URL(path, account.url);
      const content = body ? JSON.stringify(body) : '';
      const timestamp = Math.floor(clock.now() / 1000);
      const nonce = randomBytes(16).toString('hex');
      const signature = createSign('RSA-SHA256')
        .update(`${method}\n${url.pathname}${url.search}\n${timestamp}\n${nonce}\n${content}\n`)
        .sign(account.privateKey, 'base64');
      const answer = await outgoing.ask({
        url,
        method,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': 'Isotherm',
          'wechatpay-serial': account.publicKeyId,
          authorization:
            `WECHATPAY2-SHA256-RSA2048 mchid="${account.merchantId}",nonce_str="${nonce}",` +
            `signature="${signature}",timestamp="${timestamp}",serial_no="${account.serial}"`,
        },
        ...(body ? { body: content } : {}),
      });
      const text = (await readWhole(answer, LIMITS)).toString('utf8');
      const result = jsonObjectOf(text);
      if (answer.status >= 300) {
        const code = String(result.code ?? `HTTP ${answer.status}`);
        // Errors of the gateway are not signed, so one decides nothing but that there is no such order.
        if (absent !== undefined && code === absent) return null;
        throw new ProviderError(code);
      }
      if (!isGenuine(answer.headers, text)) throw new ProviderError('signature of the answer');
      return result;
    },
    decrypt({ ciphertext, nonce, associated_data: extra = '' }) {
      const sealed = Buffer.from(ciphertext, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', Buffer.from(account.apiKey), Buffer.from(nonce));
        decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
        decipher.setAAD(Buffer.from(extra));
        const body = sealed.subarray(0, sealed.length - TAG_BYTES);
        return JSON.parse(Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8'));
      } catch {
        return null;
      }
    },
  };
}
