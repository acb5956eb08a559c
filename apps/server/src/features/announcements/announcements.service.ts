import {
  type Announcement,
  type AnnouncementInput,
  cancelAnnouncement,
  createAnnouncement,
  deleteAnnouncement,
  editAnnouncement,
  getAnnouncement,
  getAnnouncementChoices,
  listAnnouncementReaders,
  listAnnouncements,
  publishAnnouncement,
  recallAnnouncement,
} from '@isotherm/contracts/announcements';
import { AppError, invalidField } from '@isotherm/contracts/errors';
import { type AnnouncementAction, mayDo } from '@isotherm/domain/announcements/announcement';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords, type RecordKind } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Messages } from '../../platform/messages/messages.ts';
import { findOrganizationPath } from '../identity/index.ts';
import {
  type AnnouncementFields,
  type AnnouncementRow,
  deleteAnnouncementRow,
  findAnnouncement,
  findAudience,
  insertAnnouncement,
  listAnnouncementRows,
  listTargetPaths,
  lockAnnouncement,
  setAudience,
  setDraft,
  setPublished,
  setRecalled,
  setScheduled,
  updateAnnouncement,
} from './announcements.repo.ts';
import { listReaderRows, type ReaderRow } from './audience.repo.ts';
import { findCategory, listCategoryChoices } from './groups/categories.repo.ts';
import { findGroup, listGroupChoices } from './groups/groups.repo.ts';
import { cleanRichText, plainText, summaryOf } from './rich-text.ts';

/** How announcements are found and logged, also when their attachments change. */
export const ANNOUNCEMENT_KIND: RecordKind<AnnouncementRow> = {
  async find(db, caller, id) {
    const row = await findAnnouncement(db, caller.scope, id);
    if (!row) throw new AppError('announcement.not_found');
    return row;
  },
  lock: lockAnnouncement,
  objectOf: ({ id, title, organizationPath }) => ({
    objectKind: 'announcement',
    objectId: id,
    objectName: title,
    organizationPath,
  }),
  fieldsOf: (row) => ({
    organization: row.organizationName,
    title: row.title,
    category: row.categoryName ?? '',
    group: row.groupName ?? '',
    body: plainText(row.body),
    sendType: row.sendType,
    dueAt: row.dueAt?.toISOString() ?? '',
    popup: row.popup,
    email: row.email,
    pinnedUntil: row.pinnedUntil ?? '',
    state: row.state,
    recallReason: row.recallReason,
  }),
};

/** Throws `announcement.state` if the action is not allowed in the state of the announcement. */
export function expectAllowed({ state }: Pick<AnnouncementRow, 'state'>, action: AnnouncementAction): void {
  if (!mayDo(state, action)) throw new AppError('announcement.state');
}

/** Mounts the routes of authors: each change with an audit entry. */
export function mountAnnouncements(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    audit: Pick<Audit, 'record'>;
    clock: Clock;
    messages: Pick<Messages, 'canDeliver'>;
    maxFileBytes: number;
    /** Tells the consoles of organisations, by path, and of those below them. */
    tellOrganizations(paths: readonly string[]): void;
  },
): void {
  const { pool, audit, clock, messages, maxFileBytes, tellOrganizations } = parts;
  const records = createKeptRecords(pool, audit, ANNOUNCEMENT_KIND);
  const find = ANNOUNCEMENT_KIND.find;
  const now = () => new Date(clock.now());
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: now() });

  async function checked(db: Db, caller: Caller, form: AnnouncementInput): Promise<AnnouncementFields> {
    if ((await findOrganizationPath(db, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    if (form.categoryId !== null && !(await findCategory(db, caller.scope, form.categoryId)))
      throw new AppError('announcement_category.not_found');
    if (form.groupId !== null && !(await findGroup(db, caller.scope, form.groupId)))
      throw new AppError('announcement_group.not_found');
    if (form.sendType === 'scheduled' && form.dueAt === null) throw invalidField('dueAt', 'required');
    const body = cleanRichText(form.body);
    const plain = plainText(body);
    if (plain === '') throw invalidField('body', 'required');
    return {
      ...form,
      body,
      summary: summaryOf(plain),
      searchText: `${form.title}\n${plain}`.toLowerCase(),
      ...trace(caller),
    };
  }

  async function publish(tx: Tx, caller: Caller, row: AnnouncementRow): Promise<void> {
    expectAllowed(row, 'publish');
    if (row.email && !messages.canDeliver('email'))
      throw new AppError('message.no_transport', { channel: 'email' });
    const audience = await findAudience(tx, caller.scope, row.id);
    if (!audience || audience.organizationIds.length === 0) throw new AppError('announcement.nobody');
    await setAudience(tx, row.id, audience);
    if (row.sendType === 'now') return setPublished(tx, row.id, trace(caller));
    if (row.dueAt === null || row.dueAt.getTime() <= clock.now()) throw new AppError('announcement.past');
    return setScheduled(tx, row.id, trace(caller));
  }

  const tellOf = async (id: number) => tellOrganizations(await listTargetPaths(pool, [id]));

  mount(listAnnouncements, async ({ caller, query: { page, pageSize, sort, order, ...filter } }) => {
    const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listAnnouncementRows(pool, caller.scope, filter, limit);
    return { items: rows.map(viewOf), total };
  });
  mount(getAnnouncementChoices, async ({ caller }) => ({
    categories: await listCategoryChoices(pool, caller.scope),
    groups: await listGroupChoices(pool, caller.scope),
    maxFileBytes,
    canMail: messages.canDeliver('email'),
  }));
  mount(getAnnouncement, async ({ caller, params }) => viewOf(await find(pool, caller, params.id)));
  mount(createAnnouncement, async ({ caller, body }) =>
    viewOf(
      await records.create(caller, async (tx) => insertAnnouncement(tx, await checked(tx, caller, body))),
    ),
  );
  mount(editAnnouncement, async ({ caller, params, body }) =>
    viewOf(
      await records.change(caller, params.id, async (tx, row) => {
        expectAllowed(row, 'edit');
        await updateAnnouncement(tx, params.id, await checked(tx, caller, body));
      }),
    ),
  );
  mount(deleteAnnouncement, ({ caller, params, body }) =>
    records.remove(caller, params.id, body.reason, async (tx, row) => {
      expectAllowed(row, 'delete');
      await deleteAnnouncementRow(tx, params.id);
    }),
  );
  mount(publishAnnouncement, async ({ caller, params: { id } }) => {
    const row = await records.change(caller, id, (tx, before) => publish(tx, caller, before));
    if (row.state === 'published') await tellOf(id);
    return viewOf(row);
  });
  mount(cancelAnnouncement, async ({ caller, params: { id } }) =>
    viewOf(
      await records.change(caller, id, async (tx, row) => {
        expectAllowed(row, 'cancel');
        await setDraft(tx, id, trace(caller));
      }),
    ),
  );
  mount(recallAnnouncement, async ({ caller, params: { id }, body }) => {
    const row = await records.change(caller, id, async (tx, before) => {
      expectAllowed(before, 'recall');
      await setRecalled(tx, id, body.reason, trace(caller));
    });
    await tellOf(id);
    return viewOf(row);
  });
  mount(listAnnouncementReaders, async ({ caller, params: { id }, query: { page, pageSize, ...filter } }) => {
    await find(pool, caller, id);
    const limit = { limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, ...counts } = await listReaderRows(pool, id, filter, limit);
    return { items: rows.map(readerOf), ...counts };
  });
}

const isoOf = (at: Date | null) => at?.toISOString() ?? null;

function viewOf({ organizationPath: _, ...row }: AnnouncementRow): Announcement {
  return {
    ...row,
    dueAt: isoOf(row.dueAt),
    publishedAt: isoOf(row.publishedAt),
    recalledAt: isoOf(row.recalledAt),
    changedAt: row.changedAt.toISOString(),
  };
}

const readerOf = ({ readAt, ...row }: ReaderRow) => ({ ...row, readAt: isoOf(readAt) });
