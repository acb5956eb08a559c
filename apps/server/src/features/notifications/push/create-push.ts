import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { mountPush } from './push.routes.ts';
import { createPushGateway, type PushGateway } from './push-gateway.ts';
import { pushWords } from './push-words.ts';

/** Contact of an installation whose address is not known outside, such as a trial. */
const NOBODY = 'mailto:isotherm@example.com';

export interface WebPush {
  gateway: PushGateway;
  words: typeof pushWords;
  mount(mount: Mount): void;
}

/** Alarms as notifications of browsers (web push): the browsers of accounts, and the gateway to their push services. */
export function createWebPush(parts: {
  pool: pg.Pool;
  /** Pool for messages, which must not wait for people's requests. */
  devicePool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  sealing: Pick<Sealing, 'sealText' | 'openText'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
  translate: Translate;
  /** Address of the console; null if it is not known. */
  consoleUrl: string | null;
  /** Sender of e-mails; null if no e-mail is sent. */
  mailFrom: string | null;
}): WebPush {
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
  return {
    gateway,
    words: pushWords,
    mount: (mount) => mountPush(mount, { ...parts, gateway }),
  };
}
