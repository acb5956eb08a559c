import type { Tx } from '../../platform/db/pool.ts';
import { insertAnnouncement, setAudience, setPublished } from './announcements.repo.ts';
import { listRolesWith } from './audience.repo.ts';
import { summaryOf } from './rich-text.ts';

/** Name of the author of announcements that the server writes. */
const SYSTEM = 'system';

export interface SystemNotice {
  organizationId: number;
  title: string;
  /** Plain text, a paragraph a line. */
  text: string;
  /** Whether it is also sent by e-mail to those who can read it. */
  email: boolean;
  /** Readers are the users of the organisation and below it with this permission. */
  permission: string;
}

/**
 * Publishes an announcement of the server, which pops up in the consoles of its readers, in the caller's transaction.
 * `createDelivery` writes the e-mails.
 */
export async function publishNotice(
  tx: Tx,
  { organizationId, title, text, email, permission }: SystemNotice,
  at: Date,
): Promise<void> {
  const by = { changedBy: SYSTEM, changedAt: at };
  const id = await insertAnnouncement(tx, {
    organizationId,
    categoryId: null,
    groupId: null,
    title,
    body: text
      .split('\n')
      .map((line) => `<p>${escaped(line)}</p>`)
      .join(''),
    sendType: 'now',
    dueAt: null,
    popup: true,
    email,
    pinnedUntil: null,
    summary: summaryOf(text),
    searchText: `${title}\n${text}`.toLowerCase(),
    ...by,
  });
  const roleIds = await listRolesWith(tx, permission);
  await setAudience(tx, id, { groupName: '', organizationIds: [organizationId], roleIds });
  await setPublished(tx, id, by);
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
