import { exportAnnouncementReaders, exportAnnouncements } from '@isotherm/contracts/announcements';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { clockIn } from '../../platform/local-time.ts';
import { exportSheet } from '../../platform/sheets/sheet-export.ts';
import { findZone, listAnnouncementRows } from './announcements.repo.ts';
import { ANNOUNCEMENT_KIND } from './announcements.service.ts';
import { listReaderRows } from './audience.repo.ts';

const MOST_ROWS = 50_000;

/** Mounts the exports of announcements and of their read receipts. Times are in the zone of the caller's organisation. */
export function mountAnnouncementSheets(
  mount: Mount,
  { pool, audit, translate }: { pool: pg.Pool; audit: Pick<Audit, 'recordAlone'>; translate: Translate },
): void {
  async function timeOf(organizationId: number): Promise<(at: Date | null) => string> {
    const clock = clockIn(await findZone(pool, organizationId));
    return (at) => (at ? clock(at) : '');
  }

  mount(exportAnnouncements, async ({ caller, query: { sort, order, ...filter } }) => {
    const text = (id: TextId) => translate(caller.language, id);
    const page = { sort, order, limit: MOST_ROWS + 1, offset: 0 };
    const { rows } = await listAnnouncementRows(pool, caller.scope, filter, page);
    const time = await timeOf(caller.organizationId);
    return exportSheet(audit, caller, {
      fileName: 'announcement-list.xlsx',
      objectKind: 'announcement',
      sheetName: 'Announcements',
      head: [
        text('announcements.subject'),
        text('announcements.state'),
        text('announcements.category'),
        text('announcements.audience'),
        text('announcements.organization'),
        text('announcements.published'),
        text('announcements.readers'),
        text('announcements.text'),
      ],
      widths: [40, 14, 18, 24, 24, 20, 10, 60],
      found: rows,
      most: MOST_ROWS,
      cellsOf: (row) => [
        row.title,
        text(`announcements.state.${row.state}`),
        row.categoryName ?? '',
        row.groupName ?? text('announcements.everybody'),
        row.organizationName,
        time(row.publishedAt),
        String(row.readers),
        row.summary,
      ],
    });
  });
  mount(exportAnnouncementReaders, async ({ caller, params: { id }, query }) => {
    const text = (key: TextId) => translate(caller.language, key);
    await ANNOUNCEMENT_KIND.find(pool, caller, id);
    const { rows } = await listReaderRows(pool, id, query, { limit: MOST_ROWS + 1, offset: 0 });
    const time = await timeOf(caller.organizationId);
    return exportSheet(audit, caller, {
      fileName: `announcement-${id}-readers.xlsx`,
      objectKind: 'announcement',
      sheetName: 'Readers',
      head: [
        text('announcements.reader'),
        text('announcements.username'),
        text('announcements.organization'),
        text('announcements.read-at'),
      ],
      widths: [28, 24, 28, 20],
      found: rows,
      most: MOST_ROWS,
      cellsOf: (row) => [row.realname, row.username, row.organizationName, time(row.readAt)],
    });
  });
}
