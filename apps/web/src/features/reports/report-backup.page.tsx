import './reports.css';
import {
  ARCHIVE_STATES,
  type BackupArchive,
  exportBackupArchives,
  listBackupArchives,
} from '@isotherm/contracts/backups';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { sizeText } from '../../shared/format/size.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { Button, buttonClass } from '../../shared/ui/button.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { ArchiveCheck } from './backups/archive-check.tsx';
import { ArchiveStateText } from './backups/backup-words.tsx';
import { ARCHIVES_EVERY_MS, ARCHIVES_KEY, isUnfinished, saveArchive } from './backups/backups.queries.ts';

const source = pagesOf(listBackupArchives);
/** Enough of a checksum to compare it at a glance. */
const SHOWN_DIGITS = 12;

function columnsFor({ text, time }: Viewer): ListColumn<BackupArchive>[] {
  return [
    { key: 'title', title: text('backups.title'), pinned: true, maxWidth: 240, render: ({ title }) => title },
    {
      key: 'dueAt',
      title: text('backups.due'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ dueAt, startedBy }) => (
        <span className="secondary">
          <span className="number">{time(dueAt, 'date-time')}</span>
          {startedBy ? <span className="report-at">{text('backups.by', { name: startedBy })}</span> : null}
        </span>
      ),
    },
    {
      key: 'period',
      title: text('backups.period'),
      render: ({ from, to }) => (
        <span className="number secondary">
          {time(from, 'date-time')} {EN_RULE}
          <br />
          {time(to, 'date-time')}
        </span>
      ),
    },
    {
      key: 'state',
      title: text('backups.state'),
      maxWidth: 360,
      render: ({ state, progress, error, refused }) => (
        <div className={error || refused.length > 0 ? 'backup-reason' : ''}>
          <ArchiveStateText state={state} progress={progress} />
          {error ? <span className="report-line">{error}</span> : null}
          {refused.length > 0 ? (
            <span className="report-line">{text('backups.refused', { list: refused.join(', ') })}</span>
          ) : null}
        </div>
      ),
    },
    {
      key: 'bytes',
      title: text('reports.register.size'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ bytes }) => <span className="number">{bytes === null ? EN_RULE : sizeText(bytes)}</span>,
    },
    {
      key: 'expiresAt',
      title: text('backups.until'),
      render: ({ expiresAt, state }) => (
        <span className="number secondary">
          {expiresAt && state === 'ready' ? time(expiresAt, 'date-time') : EN_RULE}
        </span>
      ),
    },
    {
      key: 'sha256',
      title: text('reports.register.sha256'),
      render: ({ sha256 }) =>
        sha256 ? <code title={sha256}>{`${sha256.slice(0, SHOWN_DIGITS)}…`}</code> : EN_RULE,
    },
    {
      key: 'organization',
      title: text('backups.organization'),
      maxWidth: 200,
      offered: true,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of the archives of backups: what was made, for download and verification. */
export default function ReportBackupPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const organizations = useOrganizations();
  const mayDownload = usePermission('report-backup:export');
  const mayConfigure = usePermission('setting-backup:view');
  const [isVerifying, setVerifying] = useState(false);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('backups.state'),
        options: ARCHIVE_STATES.map((value) => ({ value, label: text(`backups.state.${value}`) })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations],
  );
  return (
    <>
      <ListPage
        name="report-backup"
        title={text('menu.report-backup')}
        purpose={text('backups.list.purpose')}
        source={source}
        queryKey={ARCHIVES_KEY}
        columns={columns}
        filters={filters}
        rowKey={({ id }) => id}
        rowName={({ title }) => title}
        searchLabel={text('backups.list.search')}
        defaultSort={{ sort: 'dueAt', order: 'desc' }}
        exporting={exportBackupArchives}
        refreshAfter={({ items }) => (items.some(isUnfinished) ? ARCHIVES_EVERY_MS : false)}
        actions={
          <>
            {mayConfigure ? (
              <Link className={buttonClass()} to="/setting/backup">
                {text('backups.configure')}
              </Link>
            ) : null}
            <Button variant="primary" onClick={() => setVerifying(true)}>
              {text('backups.verify')}
            </Button>
          </>
        }
        rowActions={({ id, state }) =>
          state === 'ready' && mayDownload
            ? [{ key: 'download', label: text('backups.download'), onClick: () => void saveArchive(id) }]
            : []
        }
        empty={{ title: text('backups.list.empty'), reason: text('backups.list.empty-reason') }}
      />
      {isVerifying ? <ArchiveCheck onClose={() => setVerifying(false)} /> : null}
    </>
  );
}
