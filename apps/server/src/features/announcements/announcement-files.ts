import { announcementFiles, MOST_ANNOUNCEMENT_FILES } from '@isotherm/contracts/announcements';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import { mountAttachments } from '../../platform/attachments/attachments.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { namedFileType } from '../../platform/documents/file-type.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { ANNOUNCEMENT_KIND, expectAllowed } from './announcements.service.ts';

/** Mounts the attachments of announcements, which change only while it is a draft. */
export function mountAnnouncementFiles(
  mount: Mount,
  parts: { pool: pg.Pool; audit: Pick<Audit, 'record'>; clock: Clock; maxFileBytes: number },
): void {
  const { maxFileBytes, ...platform } = parts;
  mountAttachments(mount, announcementFiles, platform, 'announcement', {
    ...ANNOUNCEMENT_KIND,
    most: MOST_ANNOUNCEMENT_FILES,
    maxBytes: maxFileBytes,
    typeOf(bytes, name) {
      const type = namedFileType(bytes, name);
      if (!type) throw new AppError('announcement.file_type');
      return type;
    },
    expectOpen: (row) => expectAllowed(row, 'edit'),
  });
}
