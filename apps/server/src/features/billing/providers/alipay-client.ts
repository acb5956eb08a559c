import { createSign, createVerify, type KeyObject } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { jsonObjectOf } from '../../../platform/json.ts';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import { ProviderError } from '../payments.ts';

/*
 * Own client instead of `alipay-sdk`: the HTTP client of that library hooks into all sockets of the process, also those
 * that are not its own, and made unrelated requests fail.
 */

const LIMITS = { maxBytes: 256 * 1024, withinMs: 8_000 };
const SUCCEEDED = '10000';
const CHINA_OFFSET_MS = 8 * 3_600_000;

export interface AlipayAccount {
  url: string;
  appId: string;
  privateKey: KeyObject;
  /** Public key of Alipay. */
  publicKey: KeyObject;
  notifyUrl: string;
}

/** Client of the Alipay gateway: requests and answers are signed with RSA2 (RSA with SHA-256). */
export interface AlipayClient {
  /** Calls a method; returns null if it is answered with the error `absent`. Throws `ProviderError`. */
  call(
    method: string,
    content: Record<string, string>,
    absent?: string,
  ): Promise<Record<string, unknown> | null>;
  /** True if Alipay signed the fields of a callback. */
  isGenuine(fields: Readonly<Record<string, string>>): boolean;
}

export function createAlipayClient(
  account: AlipayAccount,
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'ask'>; clock: Clock },
): AlipayClient {
  const isSigned = (text: string, signature: string) =>
    createVerify('RSA-SHA256').update(text).verify(account.publicKey, signature, 'base64');

  return {
    async call(method, content, absent) {
      const fields: Record<string, string> = {
        app_id: account.appId,
        charset: 'utf-8',
        format: 'JSON',
        method,
        notify_url: account.notifyUrl,
        sign_type: 'RSA2',
        timestamp: chinaTime(clock.now()),
        version: '1.0',
      };
      const body = { biz_content: JSON.stringify(content) };
      const signature = createSign('RSA-SHA256')
        .update(textToSign({ ...fields, ...body }))
        .sign(account.privateKey, 'base64');
      const url = new URL(account.url);
      for (const [name, value] of Object.entries({ ...fields, sign: signature }))
        url.searchParams.set(name, value);
      const answer = await outgoing.ask({
        url,
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        },
        body: new URLSearchParams(body).toString(),
      });
      const text = (await readWhole(answer, LIMITS)).toString('utf8');
      const { result, signed, sign } = readAnswer(text, method);
      const fault = String(result.sub_code ?? '') || `code ${result.code}`;
      // An answer without a genuine signature decides nothing; its fault helps whoever configures the account.
      if (!isSigned(signed, sign))
        throw new ProviderError(
          result.code === SUCCEEDED ? 'signature of the answer' : `${fault} (not signed)`,
        );
      if (absent !== undefined && fault === absent) return null;
      if (result.code !== SUCCEEDED) throw new ProviderError(fault);
      return result;
    },
    isGenuine({ sign = '', sign_type: _, ...fields }) {
      return isSigned(textToSign(fields), sign);
    },
  };
}

/** `name=value&…` in the order of the names. Callbacks are signed with their empty values. */
const textToSign = (fields: Readonly<Record<string, string>>) =>
  Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&');

/**
 * Reads `{"alipay_trade_query_response":{…},"sign":"…"}`. `signed` is the result as it was sent: parsing and serialising it
 * again could change its bytes.
 */
function readAnswer(
  text: string,
  method: string,
): { result: Record<string, unknown>; signed: string; sign: string } {
  const answer = jsonObjectOf(text);
  const own = `${method.replaceAll('.', '_')}_response`;
  const name = own in answer ? own : 'error_response';
  const result = answer[name];
  if (typeof result !== 'object' || result === null) throw new ProviderError('no JSON object of the method');
  const start = text.indexOf('{', text.indexOf(`"${name}"`));
  const end = text.lastIndexOf('}', text.lastIndexOf('"sign"'));
  return {
    result: result as Record<string, unknown>,
    signed: text.slice(start, end + 1),
    sign: typeof answer.sign === 'string' ? answer.sign : '',
  };
}

/** Alipay reads times in UTC+8: `2026-11-25 08:00:00`. */
export const chinaTime = (now: number) =>
  new Date(now + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');
