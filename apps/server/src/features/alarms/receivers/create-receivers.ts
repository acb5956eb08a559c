import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { createReceiverSheets } from './receiver-sheets.ts';
import { mountReceivers } from './receivers.routes.ts';
import { createReceiversService } from './receivers.service.ts';

/** Creates the feature of alarm receivers: people and addresses to which alarms are sent. */
export function createReceivers(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  running: Pick<Imports, 'run'>;
  /** Keyed hash of the PIN of a receiver. */
  pinMacOf: (receiverId: number, pin: string) => string;
}): { mount(mount: Mount): void } {
  const service = createReceiversService(parts.pool, parts.audit, parts.clock, parts.pinMacOf);
  const sheets = createReceiverSheets({ ...parts, receivers: service });
  return { mount: (mount) => mountReceivers(mount, service, sheets) };
}
