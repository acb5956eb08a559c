import type { PushPayload } from '@isotherm/contracts/web-push';
import { pauseOf } from '@isotherm/domain/notifications/mobile-push';
import { type PushOutcome, pushOutcome, pushResponse } from '@isotherm/domain/notifications/web-push';
import type pg from 'pg';
import webPush from 'web-push';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import {
  accountsWithBrowser,
  deleteKeys,
  findKeys,
  findSubscriptions,
  keepKeys,
  type Subscription,
  saveResponses,
} from './push.repo.ts';

const KEY_PURPOSE = 'push-key';
/** For how long a push service keeps a message for a browser that is offline, in seconds. */
const KEPT_SECONDS = 24 * 3600;

/** Sends notifications to the browsers of accounts, through the push services of the browsers (RFC 8030). */
export interface PushGateway {
  /** Public key with which browsers subscribe, base64url. */
  publicKey(): Promise<string>;
  /** The accounts among these that have a browser. */
  reachable(db: Db, accountIds: readonly number[]): Promise<Set<number>>;
  /** Sends to all browsers of an account, or to one of them. Subscriptions that are gone are deleted. */
  send(accountId: number, payload: PushPayload, browserId?: number): Promise<PushOutcome>;
}

export function createPushGateway({
  pool,
  sealing,
  outgoing,
  clock,
  contact,
}: {
  pool: pg.Pool;
  sealing: Pick<Sealing, 'sealText' | 'openText'>;
  outgoing: Pick<Outgoing, 'ask'>;
  clock: Clock;
  /** Address at which push services reach the operator: `https://…` or `mailto:…`. */
  contact: string;
}): PushGateway {
  let loaded: Promise<{ publicKey: string; privateKey: string }> | null = null;

  async function load(): Promise<{ publicKey: string; privateKey: string }> {
    const stored = await findKeys(pool);
    const opened = stored && sealing.openText(KEY_PURPOSE, stored.privateKey);
    if (stored && opened !== null) return { publicKey: stored.publicKey, privateKey: opened as string };
    // The secret of the installation has changed: the browsers subscribe again with the next key.
    if (stored) await deleteKeys(pool, stored.publicKey);
    const fresh = webPush.generateVAPIDKeys();
    await keepKeys(
      pool,
      { publicKey: fresh.publicKey, privateKey: sealing.sealText(KEY_PURPOSE, fresh.privateKey) },
      new Date(clock.now()),
    );
    // Of several processes that start at once, one has stored its keys.
    return load();
  }

  function keys(): Promise<{ publicKey: string; privateKey: string }> {
    loaded ??= load().catch((error) => {
      loaded = null;
      throw error;
    });
    return loaded;
  }

  async function sendTo(subscription: Subscription, payload: PushPayload): Promise<PushOutcome> {
    let request: webPush.RequestDetails;
    try {
      request = webPush.generateRequestDetails(subscription, JSON.stringify(payload), {
        vapidDetails: { subject: contact, ...(await keys()) },
        TTL: KEPT_SECONDS,
        urgency: 'high',
        contentEncoding: 'aes128gcm',
      });
    } catch {
      // The keys of the browser are no points of the curve.
      return { kind: 'gone' };
    }
    try {
      const answer = await outgoing.ask({
        url: new URL(request.endpoint),
        method: 'POST',
        headers: request.headers as Record<string, string>,
        ...(request.body ? { body: request.body } : {}),
      });
      answer.body.destroy();
      return pushResponse(answer.status, pauseOf(answer.headers['retry-after'], clock.now()));
    } catch (error) {
      return { kind: 'unavailable', error: error instanceof Error ? error.message : 'failed' };
    }
  }

  return {
    publicKey: async () => (await keys()).publicKey,
    reachable: accountsWithBrowser,
    async send(accountId, payload, browserId) {
      const subscriptions = await findSubscriptions(pool, accountId, browserId ?? null);
      const outcomes = await Promise.all(subscriptions.map((each) => sendTo(each, payload)));
      const of = (kind: PushOutcome['kind']) => subscriptions.filter((_, at) => outcomes[at]?.kind === kind);
      await saveResponses(
        pool,
        { sent: of('sent').map(({ id }) => id), gone: of('gone') },
        new Date(clock.now()),
      );
      return pushOutcome(outcomes);
    },
  };
}
