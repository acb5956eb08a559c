import { pushOutcome } from '@isotherm/domain/notifications/web-push';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { createAppGateway } from '../mobile-push/app-gateway.ts';
import { mountPushApps, mountPushServices } from '../mobile-push/push-apps.routes.ts';
import { createPushServicesService } from '../mobile-push/push-services.service.ts';
import { mountPush } from './push.routes.ts';
import { createPushGateway, type PushGateway } from './push-gateway.ts';
import { pushWords } from './push-words.ts';

/** Contact of an installation whose address is not known outside, such as a trial. */
const NOBODY = 'mailto:isotherm@example.com';

export interface Push {
  gateway: Pick<PushGateway, 'reachable' | 'send'>;
  words: typeof pushWords;
  mount(mount: Mount): void;
  stop(): void;
}

/**
 * Alarms as notifications of browsers (web push) and mobile apps: those of accounts, and the gateways to their push
 * services.
 */
export function createPush(parts: {
  pool: pg.Pool;
  /** Pool for messages, which must not wait for people's requests. */
  devicePool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'sealText' | 'openText' | 'seal' | 'open'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
  translate: Translate;
  /** Address of the console; null if it is not known. */
  consoleUrl: string | null;
  /** Sender of e-mails; null if no e-mail is sent. */
  mailFrom: string | null;
}): Push {
  const { devicePool, sealing, outgoing, clock, consoleUrl, mailFrom } = parts;
  const mail = mailFrom?.match(/[^\s<>]+@[^\s<>]+/)?.[0];
  const ownContact = mail ? `mailto:${mail}` : NOBODY;
  const gateway = createPushGateway({
    pool: devicePool,
    sealing,
    outgoing,
    clock,
    contact: consoleUrl?.startsWith('https://') ? consoleUrl : ownContact,
  });
  const apps = createAppGateway({ pool: devicePool, sealing, outgoing, clock });
  return {
    gateway: {
      async reachable(db, accountIds) {
        const browsers = await gateway.reachable(db, accountIds);
        for (const id of await apps.reachable(db, accountIds)) browsers.add(id);
        return browsers;
      },
      async send(accountId, payload) {
        return pushOutcome(
          await Promise.all([gateway.send(accountId, payload), apps.send(accountId, payload)]),
        );
      },
    },
    words: pushWords,
    mount(mount) {
      mountPush(mount, { ...parts, gateway });
      mountPushServices(mount, createPushServicesService({ ...parts, gateway: apps }));
      mountPushApps(mount, { ...parts, gateway: apps });
    },
    stop: apps.stop,
  };
}
