import { type ReadAnnouncement, readReceivedFile } from '@isotherm/contracts/announcements';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { saveDownload } from '../../shared/api/save-download.ts';
import { sizeText } from '../../shared/format/size.ts';
import { dayText } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { readersQuery, receivedQuery, useMarks } from './announcements.queries.ts';
import { RichText } from './rich-text.tsx';

/** The open announcement. It is marked as read when it is shown. */
export function ReceivedPanel({ id }: { id: number }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery(receivedQuery(id));
  const { mark } = useMarks();
  const isUnread = data !== undefined && !data.isRead;
  /** True once it was marked, so that it is not marked again when the user marks it as unread. */
  const isMarked = useRef(false);
  useEffect(() => {
    if (!isUnread || isMarked.current) return;
    isMarked.current = true;
    void mark(id, true);
  }, [id, isUnread, mark]);
  if (error && !data)
    return (
      <section className="panel announcement-open">
        <FailureNotice error={error} retry={() => void refetch()} />
      </section>
    );
  if (!data) return <section className="panel announcement-open skeleton" />;
  const { title, categoryName, pinnedUntil, organizationName, groupName, publishedAt, body, files } = data;
  return (
    <section className="panel announcement-open" aria-label={title}>
      <header className="announcement-head">
        {categoryName || pinnedUntil ? (
          <div className="row">
            {categoryName ? <span className="tag">{categoryName}</span> : null}
            {pinnedUntil ? (
              <span className="tag">
                {text('announcements.pinned-until', { date: dayText(pinnedUntil) })}
              </span>
            ) : null}
          </div>
        ) : null}
        <h2>{title}</h2>
        <p className="secondary">
          {organizationName} · <span className="number">{time(publishedAt, 'date-time')}</span> ·{' '}
          {groupName
            ? text('announcements.to', { audience: groupName })
            : text('announcements.to-all', { organization: organizationName })}
        </p>
      </header>
      <div className="announcement-body">
        <RichText html={body} />
        <Files id={id} files={files} />
      </div>
      <footer className="announcement-foot">
        <Readers id={id} />
        <Button variant="link" className="end" onClick={() => void mark(id, false)} disabled={!data.isRead}>
          {text('announcements.mark-unread')}
        </Button>
      </footer>
    </section>
  );
}

function Files({ id, files }: { id: number; files: ReadAnnouncement['files'] }) {
  const { text } = useViewer();
  if (files.length === 0) return null;
  const save = (file: number, name: string) => saveDownload(readReceivedFile, { params: { id, file } }, name);
  return (
    <ul className="announcement-files" aria-label={text('common.attachments')}>
      {files.map((file) => (
        <li key={file.id}>
          <Button
            className="announcement-file"
            title={text('announcements.files.download', { name: file.name })}
            onClick={() => void save(file.id, file.name)}
          >
            <Icon name="page" />
            <span className="ellipsis">{file.name}</span>
            <span className="small tertiary number">{sizeText(file.sizeBytes)}</span>
            <Icon name="download" />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** How many users have read it, for authors of its organisation. */
function Readers({ id }: { id: number }) {
  const { text } = useViewer();
  const isAuthor = usePermission('announcement-manage:view');
  const { data } = useQuery({ ...readersQuery(id, { pageSize: '1' }), enabled: isAuthor });
  if (!data) return null;
  return (
    <span className="row secondary">
      <Icon name="eye" />
      {text('announcements.read-by', { readers: data.readers, recipients: data.recipients })}
      <Link to={`/announcement/manage?announcement=${id}`}>{text('announcements.show-readers')}</Link>
    </span>
  );
}
