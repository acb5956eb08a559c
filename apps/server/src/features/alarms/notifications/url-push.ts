import { createHmac } from 'node:crypto';
import { jitterOf, nextAttempt } from '@isotherm/domain/alarms/notification';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { PushMessage } from './notification-words.ts';
import { createOutcomes } from './notifications.repo.ts';

export interface Push {
  id: number;
  /** The policy or the plan that names the address. */
  policyId: number | null;
  planId: number | null;
  url: string;
  message: PushMessage;
  /** Time at which the notification was first due, epoch ms. */
  firstDueAt: number;
  /** Number of attempts, including this one. */
  attempts: number;
  /** Until when the attempt may take, epoch ms. */
  leaseUntil: number;
}

/** Answers are not used, but read to their end, so that the connection can be used again; longer or slower ones end it. */
const IGNORED_ANSWER = { maxBytes: 16_384, withinMs: 1_000 };

/** Makes one attempt to send a push and stores its result. */
export type UrlPush = (push: Push) => Promise<void>;

/** Key that signs the pushes of a policy. It is derived from the secret of the installation. */
export const pushKeyOf = (sealing: Pick<Sealing, 'mac'>, policyId: number): string =>
  sealing.mac('alarm-url-push', String(policyId));

/** Key that signs the pushes of an escalation plan. */
export const planPushKeyOf = (sealing: Pick<Sealing, 'mac'>, planId: number): string =>
  sealing.mac('escalation-url-push', String(planId));

/** A signed POST of one message. */
interface SignedPost {
  /** Identifies the notification for the receiving server; the same for each attempt. */
  id: string;
  url: string;
  message: PushMessage;
  key: string;
}

/** Makes one POST; returns null if the server accepted it, otherwise the error. */
export type PostPush = (push: SignedPost) => Promise<string | null>;

export function createPostPush(outgoing: Pick<Outgoing, 'ask'>, clock: Clock): PostPush {
  return async ({ id, url, message, key }) => {
    if (!URL.canParse(url)) return 'not an address';
    const body = JSON.stringify(message);
    const timestamp = String(Math.floor(clock.now() / 1000));
    const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
    try {
      const answer = await outgoing.ask({
        url: new URL(url),
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-isotherm-notification': id,
          'x-isotherm-timestamp': timestamp,
          'x-isotherm-signature': `sha256=${signature}`,
        },
        body,
        reusesConnection: true,
      });
      void readWhole(answer, IGNORED_ANSWER).catch(() => undefined);
      return answer.status >= 200 && answer.status < 300 ? null : `HTTP ${answer.status}`;
    } catch (error) {
      return error instanceof Error ? error.message : 'failed';
    }
  };
}

export function createUrlPush({
  pool,
  outgoing,
  sealing,
  clock,
}: {
  pool: pg.Pool;
  outgoing: Pick<Outgoing, 'ask'>;
  sealing: Pick<Sealing, 'mac'>;
  clock: Clock;
}): UrlPush {
  const post = createPostPush(outgoing, clock);
  const save = createOutcomes(pool);
  return async (push) => {
    const { id, policyId, planId, url, message } = push;
    const key = planId === null ? pushKeyOf(sealing, policyId ?? 0) : planPushKeyOf(sealing, planId);
    const error = await post({ id: String(id), url, message, key });
    const now = clock.now();
    await save(
      error === null
        ? { id, error: '', dueAt: null, deliveredAt: now }
        : {
            id,
            leaseUntil: push.leaseUntil,
            error,
            dueAt: nextAttempt(push.firstDueAt, push.attempts, now, jitterOf(push.id)),
            deliveredAt: null,
          },
    );
  };
}
