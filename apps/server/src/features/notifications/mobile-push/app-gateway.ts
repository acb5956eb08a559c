import {
  type AppNotification,
  type AppPushResult,
  apnsPayload,
  fcmMessage,
  type PushService,
  showsCredentials,
} from '@isotherm/domain/notifications/mobile-push';
import { type PushOutcome, pushOutcome } from '@isotherm/domain/notifications/web-push';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { createApns } from './apns.ts';
import { createFcm } from './fcm.ts';
import { type AppAddress, accountsWithApp, findApps, saveResponses } from './push-apps.repo.ts';
import { listServices, type PushServiceRow } from './push-services.repo.ts';

/** Purpose for which private keys of push services are encrypted; it is part of the key derivation. */
export const KEY_PURPOSE = 'push-service-key';
/** Registration tokens that no app has, for checking credentials. */
const NO_APP = { fcm: 'isotherm-credentials-check', apns: '0'.repeat(64) } as const;

/** Sends notifications to the apps of accounts, through the push services of their systems. */
export interface AppGateway {
  /** The accounts among these that have an app which can be reached. */
  reachable(db: Db, accountIds: readonly number[]): Promise<Set<number>>;
  /** Sends to all apps of an account, or to those of `only`. Registrations that are gone are deleted. */
  send(
    accountId: number,
    notification: AppNotification,
    only?: { id?: number; service?: PushService },
  ): Promise<PushOutcome>;
  /** Asks a service whether it accepts the credentials, without sending anything. */
  check(service: PushService, notification: AppNotification): Promise<PushOutcome | { kind: 'accepted' }>;
  stop(): void;
}

export function createAppGateway({
  pool,
  sealing,
  outgoing,
  clock,
}: {
  pool: pg.Pool;
  sealing: Pick<Sealing, 'open'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
}): AppGateway {
  const fcm = createFcm(outgoing, clock);
  const apns = createApns(outgoing, clock);

  async function sendTo(
    row: PushServiceRow | undefined,
    token: string,
    notification: AppNotification,
    isCheck = false,
  ): Promise<AppPushResult> {
    if (!row) return { kind: 'unavailable', error: 'push service is not configured' };
    const key = sealing.open(KEY_PURPOSE, row.sealedSecret)?.toString('utf8');
    if (key === undefined) return { kind: 'unavailable', error: 'secret cannot be decrypted' };
    if (row.service === 'apns')
      return apns.send(row, key, { token, tag: notification.tag, payload: apnsPayload(notification) });
    const message = fcmMessage(token, notification);
    return fcm.send(row, key, isCheck ? { ...message, validate_only: true } : message);
  }

  async function store(apps: readonly AppAddress[], results: readonly AppPushResult[]): Promise<void> {
    const now = new Date(clock.now());
    const pairs = apps.map((app, at) => ({ app, result: results[at] as AppPushResult }));
    await saveResponses(
      pool,
      {
        sent: pairs.flatMap(({ app, result }) => (result.kind === 'sent' ? [app.id] : [])),
        failed: pairs.flatMap(({ app, result }) =>
          'error' in result ? [{ id: app.id, error: result.error }] : [],
        ),
        gone: pairs.flatMap(({ app, result }) =>
          result.kind === 'gone'
            ? [{ id: app.id, since: result.since === undefined ? app.registeredAt : new Date(result.since) }]
            : [],
        ),
      },
      now,
    );
  }

  return {
    reachable: accountsWithApp,
    async send(accountId, notification, only = {}) {
      const all = await findApps(pool, accountId, only.id ?? null);
      const apps = all.filter(({ service }) => only.service === undefined || service === only.service);
      if (apps.length === 0) return { kind: 'gone' };
      const rows = await listServices(pool);
      const results = await Promise.all(
        apps.map(({ service, token }) =>
          sendTo(
            rows.find((row) => row.service === service),
            token,
            notification,
          ),
        ),
      );
      await store(apps, results);
      return pushOutcome(results.map(outcomeOf));
    },
    async check(service, notification) {
      const row = (await listServices(pool)).find((each) => each.service === service);
      const result = await sendTo(row, NO_APP[service], notification, true);
      return showsCredentials(service, result) ? { kind: 'accepted' } : outcomeOf(result);
    },
    stop: apns.stop,
  };
}

const outcomeOf = (result: AppPushResult): PushOutcome => {
  if (result.kind === 'gone') return { kind: 'gone' };
  return result.kind === 'token' ? { kind: 'unavailable', error: result.error } : result;
};
