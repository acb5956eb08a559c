import { setImmediate } from 'node:timers/promises';
import { closestLanguage } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import { createWorkLine } from '../../platform/work-line.ts';
import { listTargetPaths } from './announcements.repo.ts';
import { claimMailing, isAnythingToDo, listMailReaders, noteMailed, publishDue } from './delivery.repo.ts';
import { plainText } from './rich-text.ts';

const LOOK_EVERY_MS = 1_000;
/** Announcements that are published in one statement. */
const PUBLISHED = 50;
/** E-mails that are written in one transaction. */
const MAILED = 200;
const MAILED_WITHIN_MS = 2 * 86_400_000;

export interface Delivery {
  start(): void;
  /** Looks at once. */
  nudge(): void;
  stop(): Promise<void>;
}

/**
 * Publishes scheduled announcements when they are due, and writes e-mails. Both are steps of states in the database: several
 * processes may look at the same time, and one that is killed repeats nothing and leaves nothing out.
 */
export function createDelivery(parts: {
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  messages: Pick<Messages, 'canDeliver' | 'enqueueAll'>;
  /** Tells the consoles of organisations, by path, and of those below them. */
  tellOrganizations(paths: readonly string[]): void;
  consoleUrl: string | null;
}): Delivery {
  const { pool, clock, log, messages, tellOrganizations, consoleUrl } = parts;
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  const line = createWorkLine(look, (error) =>
    log.warn({ error: error.message }, 'announcements were not looked for'),
  );

  async function look(): Promise<void> {
    if (!(await isAnythingToDo(pool, new Date(clock.now())))) return;
    let published: number[];
    do {
      published = await publishDue(pool, new Date(clock.now()), PUBLISHED);
      if (published.length > 0) tellOrganizations(await listTargetPaths(pool, published));
    } while (published.length === PUBLISHED && !isStopping);
    while (!isStopping && (await transaction(pool, mailSome))) await setImmediate();
  }

  /** Writes some e-mails; returns false if there are none to write. */
  async function mailSome(tx: Tx): Promise<boolean> {
    const mailing = await claimMailing(tx);
    if (!mailing) return false;
    // The mail server of the installation may have been removed since.
    const readers = messages.canDeliver('email')
      ? await listMailReaders(tx, mailing.id, mailing.mailedTo, MAILED)
      : [];
    const params = {
      title: mailing.title,
      text: plainText(mailing.body),
      organization: mailing.organizationName,
      link: consoleUrl === null ? '' : `${consoleUrl}/announcement/list?announcement=${mailing.id}`,
      hasLink: consoleUrl === null ? 'no' : 'yes',
    };
    await messages.enqueueAll(
      tx,
      readers.map(({ email, language, organizationId }) => ({
        channel: 'email' as const,
        recipient: email,
        template: 'announcement' as const,
        params,
        language: closestLanguage(language),
        organizationId,
        expiresAt: new Date(clock.now() + MAILED_WITHIN_MS),
      })),
    );
    await noteMailed(tx, mailing.id, readers.length < MAILED ? null : (readers.at(-1)?.id ?? null));
    return true;
  }

  return {
    start() {
      timer = setInterval(line.begin, LOOK_EVERY_MS);
      line.begin();
    },
    nudge: line.begin,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await line.ended();
    },
  };
}
