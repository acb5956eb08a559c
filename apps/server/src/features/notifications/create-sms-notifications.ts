import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { mountSmsProviders } from './notifications.routes.ts';
import { createSmsGateway, type SmsGateway } from './sms/sms-gateway.ts';
import { createSmsProvidersService } from './sms/sms-providers.service.ts';

export interface SmsNotifications {
  gateway: SmsGateway;
  mount(mount: Mount): void;
}

/** SMS: the providers that the platform configures, and the gateway that hands messages to them. */
export function createSmsNotifications(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'seal' | 'open'>;
  outgoing: Pick<Outgoing, 'ask'>;
  clock: Clock;
  translate: Translate;
}): SmsNotifications {
  return {
    gateway: createSmsGateway(parts.pool, parts),
    mount: (mount) => mountSmsProviders(mount, createSmsProvidersService(parts)),
  };
}
