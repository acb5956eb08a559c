import { setTimeout } from 'node:timers/promises';
import { shortened, textAt } from '@isotherm/domain/notifications/sms-provider';
import {
  judgeWechat,
  WECHAT_TOKEN_MARGIN_MS,
  type WechatResult,
} from '@isotherm/domain/notifications/wechat';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { jsonOf } from '../../../platform/json.ts';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { findToken, leaseToken, releaseLease, saveToken, type WechatAccountRow } from './wechat.repo.ts';

/** Purpose for which secrets of the official account are encrypted; it is part of the key derivation. */
export const WECHAT_PURPOSE = 'wechat-account';
const TOKEN_PURPOSE = 'wechat-access-token';
const LIMITS = { maxBytes: 64 * 1024, withinMs: 5_000 };
/** Longer than a renewal may take. When the lease expires, another process renews the token. */
const LEASE_MS = 20_000;
/** How long a process waits for the token that another one renews. */
const WAIT_MS = 10_000;
const LOOK_EVERY_MS = 200;

/** Calls of the API of the official account. */
export interface WechatClient {
  /** Posts to a path with the access token; a token that is not valid any more is renewed once. */
  post(account: WechatAccountRow, path: string, body: object): Promise<WechatResult>;
}

/**
 * Creates the client. The access token is kept in the database: WeChat limits how often it is renewed, so one process renews
 * it for all.
 */
export function createWechatClient({
  pool,
  outgoing,
  sealing,
  clock,
}: {
  pool: pg.Pool;
  outgoing: Pick<Outgoing, 'ask'>;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  clock: Clock;
}): WechatClient {
  async function ask(url: URL, body: object): Promise<WechatResult> {
    try {
      const answer = await outgoing.ask({
        url,
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(body),
      });
      return judgeWechat({ status: answer.status, body: jsonOf(await readWhole(answer, LIMITS)) });
    } catch (error) {
      return {
        kind: 'unavailable',
        error: shortened(error instanceof Error ? error.message : 'failed'),
      };
    }
  }

  /** Asks for a token and stores it. The caller holds the lease. */
  async function renew(account: WechatAccountRow, isForced: boolean): Promise<string | WechatResult> {
    const secret = sealing.open(WECHAT_PURPOSE, account.sealedSecret)?.toString('utf8');
    const result: WechatResult = secret
      ? await ask(new URL('/cgi-bin/stable_token', account.url), {
          grant_type: 'client_credential',
          appid: account.appId,
          secret,
          force_refresh: isForced,
        })
      : { kind: 'unavailable', error: 'secret cannot be decrypted' };
    const token = result.kind === 'done' ? textAt(result.body, 'access_token') : null;
    const seconds = result.kind === 'done' ? Number(textAt(result.body, 'expires_in')) : Number.NaN;
    if (token === null || !(seconds > 0)) {
      await releaseLease(pool, account.appId);
      return result.kind === 'done' ? { kind: 'unavailable', error: 'no access token' } : result;
    }
    const expiresAt = new Date(clock.now() + seconds * 1000);
    await saveToken(pool, account.appId, sealing.seal(TOKEN_PURPOSE, Buffer.from(token)), expiresAt);
    return token;
  }

  /** Returns a valid token that is not `refused`, or why there is none. */
  async function tokenOf(account: WechatAccountRow, refused: string | null): Promise<string | WechatResult> {
    const giveUpAt = performance.now() + WAIT_MS;
    while (performance.now() < giveUpAt) {
      const now = clock.now();
      const stored = await findToken(pool, account.appId);
      const token = (stored?.sealed && sealing.open(TOKEN_PURPOSE, stored.sealed)?.toString('utf8')) ?? null;
      const isValid = (stored?.expiresAt?.getTime() ?? 0) - WECHAT_TOKEN_MARGIN_MS > now;
      if (token !== null && isValid && token !== refused) return token;
      const lease = { now: new Date(now), until: new Date(now + LEASE_MS) };
      if (await leaseToken(pool, account.appId, stored?.sealed ?? null, lease))
        return renew(account, refused !== null && token === refused);
      await setTimeout(LOOK_EVERY_MS);
    }
    return { kind: 'unavailable', error: 'access token is being renewed' };
  }

  return {
    async post(account, path, body) {
      let refused: string | null = null;
      for (;;) {
        const token = await tokenOf(account, refused);
        if (typeof token !== 'string') return token;
        const url = new URL(path, account.url);
        url.searchParams.set('access_token', token);
        const result = await ask(url, body);
        if (result.kind !== 'token' || refused !== null) return result;
        refused = token;
      }
    },
  };
}
