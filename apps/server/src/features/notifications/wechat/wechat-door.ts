import { AppError } from '@isotherm/contracts/errors';
import {
  elementOf,
  readWechatEvent,
  WECHAT_CALLBACK_AGE_MS,
  type WechatEvent,
} from '@isotherm/domain/notifications/wechat';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { createGate } from '../../../platform/gate.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { isSame } from '../receipts/gateway-signature.ts';
import { findWechatAccount, type WechatAccountRow } from './wechat.repo.ts';
import { decryptWechat, readAesKey, wechatSignature } from './wechat-cipher.ts';
import { WECHAT_PURPOSE } from './wechat-client.ts';

/** Path of the callbacks of WeChat, which is entered in the settings of the official account. */
export const WECHAT_PATH = '/notification/wechat/callback';
const MAX_BYTES = 16 * 1024;
/** Requests whose origin is verified at once, in total and of one address: each reads the account. */
const UNVERIFIED = { atOnce: 3, waiting: 200, ofOne: { atOnce: 2, waiting: 100 } };

interface Callback {
  Querystring: Record<string, unknown>;
  Body: string;
}

/**
 * Mounts the callbacks of WeChat. They are signed with the token of the official account instead of a session (decision 14).
 * Requests of unknown origin are refused alike; genuine ones are answered with success however often they arrive.
 */
export function mountWechatDoor(
  app: FastifyInstance,
  {
    pool,
    sealing,
    clock,
    log,
    onEvent,
  }: {
    pool: pg.Pool;
    sealing: Pick<Sealing, 'open'>;
    clock: Clock;
    log: Logger;
    onEvent: (account: WechatAccountRow, event: WechatEvent) => Promise<void>;
  },
): void {
  const gate = createGate(UNVERIFIED, () => new AppError('request.too_many'));
  const opened = (sealed: Buffer | null) =>
    (sealed && sealing.open(WECHAT_PURPOSE, sealed)?.toString('utf8')) ?? '';
  const field = (request: FastifyRequest<Callback>, name: string) => String(request.query[name] ?? '');

  /** The account, if the request is signed with its token and is not too old. `encrypted` is signed, too, in the secure mode. */
  async function verified(
    request: FastifyRequest<Callback>,
    encrypted: string | null,
  ): Promise<WechatAccountRow | null> {
    const account = await gate.pass(() => findWechatAccount(pool), sourceOf(request.sender));
    const token = account ? opened(account.sealedToken) : '';
    const timestamp = field(request, 'timestamp');
    const parts = [token, timestamp, field(request, 'nonce'), ...(encrypted === null ? [] : [encrypted])];
    const given = field(request, encrypted === null ? 'signature' : 'msg_signature');
    const age = Math.abs(clock.now() - Number(timestamp) * 1000);
    const isGenuine =
      account !== null &&
      token !== '' &&
      age <= WECHAT_CALLBACK_AGE_MS &&
      isSame(wechatSignature(...parts), given);
    if (isGenuine) return account;
    log.warn({ address: request.sender }, 'a callback of WeChat was refused');
    return null;
  }

  /** The message of a genuine request in plain text; null if it cannot be decrypted. */
  function plainOf(account: WechatAccountRow, body: string, encrypted: string | null): string | null {
    const key = readAesKey(opened(account.sealedAesKey));
    // In the secure mode, a message that is not encrypted is not from WeChat.
    if (encrypted === null) return account.sealedAesKey === null ? body : null;
    return key && decryptWechat(key, account.appId, encrypted);
  }

  app.register(async (scope) => {
    scope.addContentTypeParser(
      ['text/xml', 'application/xml'],
      { parseAs: 'string', bodyLimit: MAX_BYTES },
      (_request, body, done) => done(null, body),
    );

    // WeChat asks for the echo when the address is entered in its settings.
    scope.get<Callback>(WECHAT_PATH, async (request, reply) => {
      const account = await verified(request, null);
      return account
        ? reply.type('text/plain').send(field(request, 'echostr').slice(0, 200))
        : reply.code(403).send();
    });

    scope.post<Callback>(WECHAT_PATH, async (request, reply) => {
      const body = typeof request.body === 'string' ? request.body : '';
      const encrypted = field(request, 'encrypt_type') === 'aes' ? elementOf(body, 'Encrypt') : null;
      const account = await verified(request, encrypted);
      const plain = account && plainOf(account, body, encrypted);
      if (!account || plain === null) return reply.code(403).send();
      const event = readWechatEvent(plain);
      if (event) await onEvent(account, event);
      return reply.type('text/plain').send('success');
    });
  });
}
