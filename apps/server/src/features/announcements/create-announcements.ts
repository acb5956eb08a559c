import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Logger } from '../../platform/log.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import { mountAnnouncementFiles } from './announcement-files.ts';
import { mountAnnouncementSheets } from './announcement-sheets.ts';
import { mountAnnouncements } from './announcements.service.ts';
import { createDelivery } from './delivery.ts';
import { mountAnnouncementGroups } from './groups/groups.service.ts';
import { mountInbox } from './inbox.service.ts';

export interface Announcements {
  mount(mount: Mount): void;
  /** Publishes scheduled announcements and writes e-mails in this process; the returned function stops it. */
  start(): () => Promise<void>;
}

/** Announcements to the users of organisations (docs/announcements.md). */
export function createAnnouncements(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  log: Logger;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  /** Largest size of an attachment. */
  maxFileBytes: number;
  /** Tells the consoles of accounts, by user name, that something has changed for them. */
  tellPeople(usernames: readonly string[]): void;
  /** The same for the consoles of organisations, by path, and of those below them. */
  tellOrganizations(paths: readonly string[]): void;
  /** Address of the console; null if it is not known. */
  consoleUrl: string | null;
}): Announcements {
  const delivery = createDelivery(parts);
  return {
    mount(mount) {
      mountAnnouncements(mount, parts);
      mountAnnouncementSheets(mount, parts);
      mountAnnouncementFiles(mount, parts);
      mountAnnouncementGroups(mount, parts);
      mountInbox(mount, parts);
    },
    start() {
      delivery.start();
      return delivery.stop;
    },
  };
}
