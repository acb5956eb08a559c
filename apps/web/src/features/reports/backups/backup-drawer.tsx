import type { BackupArchive, BackupConfiguration } from '@isotherm/contracts/backups';
import { LANGUAGE_NAMES } from '@isotherm/i18n/languages';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { sizeText } from '../../../shared/format/size.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Definitions } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { ArchiveStateText, devicesWords, pausedWords } from './backup-words.tsx';
import { archivesQuery, saveArchive } from './backups.queries.ts';

/** Drawer of a configuration: what is backed up for whom, and its archives. */
export function BackupDrawer({
  backup,
  onEdit,
  onRun,
  onClose,
}: {
  backup: BackupConfiguration;
  onEdit: () => void;
  onRun: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const { title, fileName, interval, timeZone, dueAt, recipients, language, owner, organizationName } =
    backup;
  const paused = pausedWords(backup, text);
  const mayList = usePermission('report-backup:view');
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={900}
        closable={{ placement: 'end' }}
        title={title}
        rootClassName="form-drawer"
        onClose={onClose}
        extra={
          <span className="row">
            <PermissionButton permission="setting-backup:edit" onClick={onRun}>
              {text('backups.run')}
            </PermissionButton>
            <PermissionButton permission="setting-backup:edit" onClick={onEdit}>
              {text('backups.edit')}
            </PermissionButton>
          </span>
        }
      >
        {paused ? (
          <p className={backup.pauseReason ? 'report-outside' : 'secondary'} role="status">
            {paused}
          </p>
        ) : null}
        <Definitions
          facts={[
            {
              label: text('backups.devices'),
              value: backup.devices.join(', ') || devicesWords(backup, text),
            },
            { label: text('backups.interval'), value: text(`backups.when.${interval}`, { zone: timeZone }) },
            { label: text('backups.next'), value: dueAt ? time(dueAt, 'date-time') : EN_RULE },
            { label: text('backups.file-name'), value: fileName },
            { label: text('backups.recipients'), value: recipients.join(', ') },
            { label: text('backups.language'), value: LANGUAGE_NAMES[language] },
            { label: text('backups.owner'), value: owner || EN_RULE },
            { label: text('backups.organization'), value: organizationName },
          ]}
        />
        {mayList ? <Archives id={backup.id} /> : null}
      </Drawer>
    </>
  );
}

function Archives({ id }: { id: number }) {
  const { text } = useViewer();
  const { data, error, refetch } = useQuery(archivesQuery(id));
  const heading = <h3 className="report-heading">{text('menu.report-backup')}</h3>;
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  if (data.items.length === 0)
    return (
      <>
        {heading}
        <p className="secondary">{text('backups.list.empty')}</p>
      </>
    );
  return (
    <>
      {heading}
      <TableFrame label={text('menu.report-backup')}>
        <thead>
          <tr>
            <th>{text('backups.due')}</th>
            <th>{text('backups.period')}</th>
            <th>{text('backups.state')}</th>
            <th>{text('backups.file')}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((archive) => (
            <ArchiveRow key={archive.id} archive={archive} />
          ))}
        </tbody>
      </TableFrame>
    </>
  );
}

function ArchiveRow({ archive }: { archive: BackupArchive }) {
  const { text, time } = useViewer();
  const mayDownload = usePermission('report-backup:export');
  const { id, dueAt, startedBy, from, to, state, progress, error, fileName, bytes, refused } = archive;
  return (
    <tr>
      <td>
        <span className="number">{time(dueAt, 'date-time')}</span>
        {startedBy ? <span className="report-at">{text('backups.by', { name: startedBy })}</span> : null}
      </td>
      <td className="number">
        {time(from, 'date-time')} {EN_RULE} {time(to, 'date-time')}
      </td>
      <td>
        <div>
          <ArchiveStateText state={state} progress={progress} />
          {error ? <span className="report-line">{error}</span> : null}
          {refused.length > 0 ? (
            <span className="report-line">{text('backups.refused', { list: refused.join(', ') })}</span>
          ) : null}
        </div>
      </td>
      <td>
        {fileName && bytes !== null ? (
          <div>
            <span>
              {fileName} · {sizeText(bytes)}
            </span>{' '}
            {state === 'ready' && mayDownload ? (
              <Button variant="link" onClick={() => void saveArchive(id)}>
                {text('backups.download')}
              </Button>
            ) : null}
          </div>
        ) : (
          EN_RULE
        )}
      </td>
    </tr>
  );
}
