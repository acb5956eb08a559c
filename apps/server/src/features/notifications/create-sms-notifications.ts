import type { Translate } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { mountSmsProviders } from './notifications.routes.ts';
import { mountReceipts, type ReceiptBook } from './receipts/receipt-door.ts';
import { createSmpp, type ReceiptTaker } from './smpp/smpp.ts';
import { readDatabaseTime } from './sms/provider-gates.repo.ts';
import { createSmsGateway, SECRET_PURPOSE, type SmsGateway } from './sms/sms-gateway.ts';
import { createSmsProvidersService } from './sms/sms-providers.service.ts';

export interface SmsNotifications {
  gateway: SmsGateway;
  /** Hands calls to providers. */
  voiceGateway: SmsGateway;
  /** `book` stores the receipts of messages. */
  /** With `callbacks`, also the addresses for receipts. */
  mount(mount: Mount, callbacks: FastifyInstance | null, book: ReceiptBook): void;
  /** Says where receipts over SMPP go. */
  deliverTo(book: ReceiptTaker): void;
  /** Keeps connections over SMPP, for a process that sends. */
  keepConnections(): void;
  jobs: readonly Job[];
  stop(): Promise<void>;
}

/** SMS and calls: the providers that the platform configures, and the gateways that hand messages to them. */
export function createSmsNotifications(parts: {
  pool: pg.Pool;
  /** Pool for messages, which must not wait for people's requests. */
  devicePool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal' | 'open' | 'mac'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** Address of this server; null if it is not known. */
  origin: string | null;
}): SmsNotifications {
  const { sealing } = parts;
  const smpp = createSmpp({ ...parts, pool: parts.devicePool });
  const gatewayParts = { ...parts, smpp, sharedTime: readDatabaseTime };
  return {
    gateway: createSmsGateway(parts.devicePool, gatewayParts),
    voiceGateway: createSmsGateway(parts.devicePool, gatewayParts, 'voice'),
    mount(mount, callbacks, book) {
      mountSmsProviders(mount, createSmsProvidersService({ ...parts, smpp }));
      if (callbacks) mountReceipts(callbacks, { ...parts, book });
    },
    deliverTo: smpp.deliverTo,
    keepConnections: () =>
      smpp.start(
        ({ sealedSecret }) =>
          (sealedSecret && sealing.open(SECRET_PURPOSE, sealedSecret)?.toString('utf8')) ?? null,
      ),
    jobs: [{ name: 'forget-smpp-parts', cron: '55 3 * * *', run: smpp.forgetOld }],
    stop: smpp.stop,
  };
}
