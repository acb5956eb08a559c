import {
  claimAnnouncementPopups,
  getReceivedAnnouncement,
  listReceivedAnnouncements,
  markAllAnnouncements,
  markAnnouncement,
  type ReceivedAnnouncement,
  readReceivedFile,
} from '@isotherm/contracts/announcements';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import { listAttachmentRows, readAttachment } from '../../platform/attachments/attachments.repo.ts';
import type { Clock } from '../../platform/clock.ts';
import { downloadOf } from '../../platform/documents/file-type.ts';
import { type Caller, type Person, personOf } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import {
  claimPopups,
  countUnread,
  findReceived,
  findReceivedLike,
  listReceived,
  markRead,
  markUnread,
  type ReceivedRow,
} from './inbox.repo.ts';

/** Popups that a console shows one after another. */
const MOST_POPUPS = 5;

/** Returns a function that counts the unread announcements of a caller; zero for an API key. */
export function createUnreadCount(pool: pg.Pool, clock: Clock): (caller: Caller) => Promise<number> {
  return async ({ accountId, scope, permissions }) =>
    accountId === null || !permissions.has('announcement-list:view')
      ? 0
      : countUnread(pool, { accountId, scope }, new Date(clock.now()));
}

/** Returns the newest announcements for a caller that contain a text in lower case; none for an API key. */
export async function searchAnnouncements(
  pool: pg.Pool,
  { accountId, scope }: Caller,
  text: string,
  limit: number,
  now: Date,
): Promise<Pick<ReceivedAnnouncement, 'id' | 'title' | 'organizationName' | 'publishedAt'>[]> {
  if (accountId === null) return [];
  const rows = await findReceivedLike(pool, { accountId, scope }, text, limit, now);
  return rows.map((row) => ({ ...row, publishedAt: row.publishedAt.toISOString() }));
}

/** Mounts the routes of readers: a published announcement is found by those whom it is for, and by nobody else. */
export function mountInbox(
  mount: Mount,
  {
    pool,
    clock,
    tellPeople,
  }: { pool: pg.Pool; clock: Clock; tellPeople(usernames: readonly string[]): void },
): void {
  const now = () => new Date(clock.now());

  async function find(caller: Person, id: number) {
    const row = await findReceived(pool, caller, id, now());
    if (!row) throw new AppError('announcement.not_found');
    return row;
  }

  mount(listReceivedAnnouncements, async ({ caller, query: { page, pageSize, ...filter } }) => {
    const limit = { limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, ...rest } = await listReceived(pool, personOf(caller), filter, limit, now());
    return { items: rows.map(viewOf), ...rest };
  });
  mount(getReceivedAnnouncement, async ({ caller, params: { id } }) => {
    const { files: _, ...row } = viewOf(await find(personOf(caller), id));
    const files = await listAttachmentRows(pool, 'announcement', id);
    return {
      ...row,
      files: files.map(({ id: file, name, mediaType, sizeBytes }) => ({
        id: file,
        name,
        mediaType,
        sizeBytes,
      })),
    };
  });
  mount(readReceivedFile, async ({ caller, params: { id, file } }) => {
    await find(personOf(caller), id);
    const stored = await readAttachment(pool, 'announcement', id, file);
    if (!stored) throw new AppError('file.not_found');
    return downloadOf(`announcement-${id}-${file}`, stored.mediaType, stored.bytes);
  });
  mount(markAnnouncement, async ({ caller, params: { id }, body }) => {
    const person = personOf(caller);
    await find(person, id);
    if (body.read) await markRead(pool, person, id, now());
    else await markUnread(pool, person.accountId, id);
    tellPeople([person.username]);
    return null;
  });
  mount(markAllAnnouncements, async ({ caller }) => {
    const person = personOf(caller);
    await markRead(pool, person, null, now());
    tellPeople([person.username]);
    return null;
  });
  mount(claimAnnouncementPopups, async ({ caller }) => {
    const rows = await claimPopups(pool, personOf(caller), MOST_POPUPS, now());
    return rows.map(({ publishedAt, ...row }) => ({ ...row, publishedAt: publishedAt.toISOString() }));
  });
}

function viewOf<R extends ReceivedRow>({ publishedAt, ...row }: R) {
  return { ...row, publishedAt: publishedAt.toISOString() };
}
