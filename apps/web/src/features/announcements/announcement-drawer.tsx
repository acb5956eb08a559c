import {
  type Announcement,
  announcementFiles,
  MOST_ANNOUNCEMENT_FILES,
} from '@isotherm/contracts/announcements';
import { mayDo } from '@isotherm/domain/announcements/announcement';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { Attachments } from '../../shared/attachments/attachments.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { dayText } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Definitions } from '../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { choicesQuery, MANAGED_KEY } from './announcements.queries.ts';
import { Receipts } from './receipts.tsx';
import { RichText } from './rich-text.tsx';

const ENDINGS = ['.pdf', '.jpg', '.jpeg', '.png', '.gif', '.xlsx', '.docx'];
const MEGABYTE = 1024 * 1024;
/** The configured limit is a round number: `200 KB`, `5 MB`. */
const limitText = (bytes: number) => (bytes < MEGABYTE ? `${bytes / 1024} KB` : `${bytes / MEGABYTE} MB`);
const EDIT = 'announcement-manage:edit';

/** Drawer of an announcement for its authors: text, attachments, sending, and who has read it. */
export function AnnouncementDrawer({
  announcement,
  onEdit,
  onPublish,
  onCancel,
  onRecall,
  onClose,
}: {
  announcement: Announcement;
  onEdit: () => void;
  onPublish: () => void;
  onCancel: () => void;
  onRecall: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const { data: choices } = useQuery(choicesQuery);
  const { id, title, state, body, categoryName, groupName, organizationName } = announcement;
  const { sendType, dueAt, popup, email, pinnedUntil, publishedAt, publishedBy, recallReason } = announcement;
  const isDraft = mayDo(state, 'edit');
  const ways = [
    text('announcements.sending.console'),
    ...(popup ? [text('announcements.popup')] : []),
    ...(email ? [text('announcements.email')] : []),
  ];
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={1000}
        closable={{ placement: 'end' }}
        title={title}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          <span className="row">
            {isDraft ? (
              <>
                <PermissionButton permission={EDIT} onClick={onEdit}>
                  {text('announcements.edit')}
                </PermissionButton>
                <PermissionButton permission={EDIT} variant="primary" onClick={onPublish}>
                  {text('announcements.publish')}
                </PermissionButton>
              </>
            ) : null}
            {mayDo(state, 'cancel') ? (
              <PermissionButton permission={EDIT} onClick={onCancel}>
                {text('announcements.cancel')}
              </PermissionButton>
            ) : null}
            {mayDo(state, 'recall') ? (
              <PermissionButton permission={EDIT} onClick={onRecall}>
                {text('announcements.recall')}
              </PermissionButton>
            ) : null}
          </span>
        }
      >
        <div className="announcement-preview">
          <RichText html={body} />
        </div>
        <Attachments
          routes={announcementFiles}
          recordId={id}
          listKey={MANAGED_KEY}
          rules={{
            endings: ENDINGS,
            most: MOST_ANNOUNCEMENT_FILES,
            maxBytes: choices?.maxFileBytes,
            help: choices ? text('announcements.files.help', { size: limitText(choices.maxFileBytes) }) : '',
            isFixed: !isDraft,
          }}
        />
        <Definitions
          facts={[
            { label: text('announcements.state'), value: text(`announcements.state.${state}`) },
            ...(recallReason ? [{ label: text('announcements.recall-reason'), value: recallReason }] : []),
            { label: text('announcements.organization'), value: organizationName },
            { label: text('announcements.audience'), value: groupName ?? text('announcements.everybody') },
            { label: text('announcements.category'), value: categoryName ?? EN_RULE },
            {
              label: text('announcements.published'),
              value: publishedAt
                ? `${time(publishedAt, 'date-time')} · ${publishedBy}`
                : sendType === 'scheduled' && dueAt
                  ? text('announcements.due', { time: time(dueAt, 'date-time') })
                  : EN_RULE,
            },
            { label: text('announcements.sending'), value: ways.join(' · ') },
            { label: text('announcements.pinned'), value: pinnedUntil ? dayText(pinnedUntil) : EN_RULE },
          ]}
        />
        {publishedAt ? <Receipts id={id} /> : null}
      </Drawer>
    </>
  );
}
