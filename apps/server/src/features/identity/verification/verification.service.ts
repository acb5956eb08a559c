import { randomInt } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import { CODE_LIFE_S, CODE_TRIES, type CodePurpose, RESEND_AFTER_S } from '@isotherm/contracts/verification';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import { equalText } from '../../../platform/http/signature.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { countSent, insertCode, lockAskers, takeTry, useUp } from './verification.repo.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of codes per number: each SMS costs money, and disturbs a person who did not request it. */
const MOST_TO_PHONE = 5;
const MOST_FROM_ADDRESS = 20;

export interface Asked {
  purpose: CodePurpose;
  /** Account name, or the account's id for a request about the account itself. */
  subject: string;
  phone: string;
}

/** A correct code. The transaction that the code authorises must mark it as used. */
export interface RightCode {
  /** Throws `code.expired` if another request has used the code in the meantime. */
  use(tx: Tx): Promise<void>;
}

export interface Verification {
  /**
   * Sends a code. With `silent`, the caller sees no difference but nothing is sent, so that nobody learns
   * which account has which number.
   *
   * @throws {AppError} `code.too_soon`, `request.too_many`, `message.no_transport`
   */
  send(
    asked: Asked,
    about: { address: string; language: Language; organizationId: number | null; silent: boolean },
  ): Promise<{ resendAfter: number }>;
  /**
   * Checks a code, which consumes an attempt. It must be called before the transaction: an attempt counts
   * even if the transaction fails, and a caller that holds a connection must not wait for a second one.
   * Throws `code.expired|wrong`.
   */
  judge(asked: Asked, code: string): Promise<RightCode>;
}

export function createVerification(
  pool: pg.Pool,
  messages: Messages,
  sealing: Sealing,
  clock: Clock,
): Verification {
  const hashOf = (asked: Asked, code: string) =>
    sealing.mac('verification-code', [asked.purpose, asked.subject, asked.phone, code].join('\n'));

  return {
    async send(asked, about) {
      const now = new Date(clock.now());
      const address = sourceOf(about.address);
      const isDeliverable = messages.canDeliver('sms');
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      await transaction(pool, async (tx) => {
        await lockAskers(tx, asked.phone, address);
        const sent = await countSent(tx, { ...asked, address }, new Date(now.getTime() - HOUR_MS));
        const waited = sent.lastAt
          ? (now.getTime() - sent.lastAt.getTime()) / 1000
          : Number.POSITIVE_INFINITY;
        if (waited < RESEND_AFTER_S)
          throw new AppError('code.too_soon', { seconds: Math.ceil(RESEND_AFTER_S - waited) });
        if (sent.toPhone >= MOST_TO_PHONE || sent.fromAddress >= MOST_FROM_ADDRESS)
          throw new AppError('request.too_many');
        const expiresAt = new Date(now.getTime() + CODE_LIFE_S * 1000);
        await insertCode(tx, {
          ...asked,
          // The hash is empty for a code that is not sent, so that no input matches it.
          hash: about.silent || !isDeliverable ? '' : hashOf(asked, code),
          tries: CODE_TRIES,
          createdAt: now,
          expiresAt,
          address,
        });
        if (about.silent || !isDeliverable) return;
        await messages.enqueue(tx, {
          channel: 'sms',
          recipient: asked.phone,
          template: 'verification-code',
          params: { code, minutes: CODE_LIFE_S / 60, purpose: asked.purpose },
          language: about.language,
          organizationId: about.organizationId,
          expiresAt,
        });
      });
      // Every caller gets the same error after the request was counted, so that the error does not reveal
      // whether the number belongs to an account.
      if (!isDeliverable) throw new AppError('message.no_transport', { channel: 'sms' });
      return { resendAfter: RESEND_AFTER_S };
    },
    async judge(asked, code) {
      const row = await takeTry(pool, asked, new Date(clock.now()));
      if (!row) throw new AppError('code.expired');
      if (!equalText(row.hash, hashOf(asked, code)))
        throw new AppError('code.wrong', { left: row.tries_left });
      return {
        async use(tx) {
          if (!(await useUp(tx, row.id, new Date(clock.now())))) throw new AppError('code.expired');
        },
      };
    },
  };
}
