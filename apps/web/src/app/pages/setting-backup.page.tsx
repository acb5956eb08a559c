import '../../features/reports/reports.css';
import {
  type BackupConfiguration,
  type BackupInput,
  backupInput,
  listBackups,
} from '@isotherm/contracts/backups';
import { REPORT_INTERVALS, type ReportInterval } from '@isotherm/domain/reports/report-schedule';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useMemo } from 'react';
import { DevicesField } from '../../features/devices/commands/devices-field.tsx';
import { BackupDrawer } from '../../features/reports/backups/backup-drawer.tsx';
import { BackupService } from '../../features/reports/backups/backup-service.tsx';
import { ArchiveStateText, devicesWords, pausedWords } from '../../features/reports/backups/backup-words.tsx';
import { BACKUPS_KEY, loadBackup, useBackupChanges } from '../../features/reports/backups/backups.queries.ts';
import { InstallationPanel } from '../../features/reports/backups/installation-panel.tsx';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField, TagsField } from '../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'device.not_found': 'devices',
  'backup.device_limit': 'devices',
  'backup.no_devices': 'devices',
  'backup.taken': 'title',
};
const source = pagesOf(listBackups);

function columnsFor(viewer: Viewer): ListColumn<BackupConfiguration>[] {
  const { text, time } = viewer;
  return [
    {
      key: 'title',
      title: text('backups.title'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ title }) => title,
    },
    { key: 'devices', title: text('backups.devices'), render: (backup) => devicesWords(backup, text) },
    {
      key: 'interval',
      title: text('backups.interval'),
      maxWidth: 280,
      render: ({ interval, timeZone }) => text(`backups.when.${interval}`, { zone: timeZone }),
    },
    {
      key: 'recipients',
      title: text('backups.recipients'),
      maxWidth: 240,
      render: ({ recipients }) => <span className="secondary">{recipients.join(', ')}</span>,
    },
    {
      key: 'dueAt',
      title: text('backups.next'),
      sortable: true,
      render: ({ dueAt, pauseReason }) =>
        dueAt ? (
          <span className="number">{time(dueAt, 'date-time')}</span>
        ) : (
          <span className={pauseReason ? 'report-outside' : 'secondary'}>{text('backups.paused')}</span>
        ),
    },
    {
      key: 'last',
      title: text('backups.last'),
      maxWidth: 260,
      render: ({ last }) =>
        last ? (
          <>
            <ArchiveStateText state={last.state} />
            {' · '}
            <span className="number">{time(last.at, 'date-time')}</span>
          </>
        ) : (
          EN_RULE
        ),
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

/** Configurations of data backups, and the premium service that they need. */
export default function SettingBackupPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useBackupChanges();
  const isOperator = usePermission('setting-backup:installation');
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  /** Shows a failure as a toast, because there is no form. */
  async function act(work: Promise<unknown>, done: string) {
    try {
      await work;
      toast('success', done);
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }
  const run = ({ id }: BackupConfiguration) => void act(changes.run(id), text('backups.run.done'));
  function turn(backup: BackupConfiguration) {
    const { id, title: name, enabled } = backup;
    void act(
      changes.edit(id, { ...inputOf(backup), enabled: !enabled }),
      text(enabled ? 'backups.pause.done' : 'backups.resume.done', { name }),
    );
  }
  return (
    <RecordList
      name="setting-backup"
      title={text('menu.setting-backup')}
      purpose={text('backups.purpose')}
      permission="setting-backup:edit"
      param="backup"
      source={source}
      queryKey={BACKUPS_KEY}
      load={loadBackup}
      columns={columns}
      nameOf={({ title }) => title}
      searchLabel={text('backups.search')}
      defaultSort={{ sort: 'title', order: 'asc' }}
      above={
        <>
          <BackupService />
          {isOperator ? <InstallationPanel /> : null}
        </>
      }
      words={{
        create: text('backups.create'),
        edit: text('backups.edit'),
        remove: text('backups.delete'),
      }}
      empty={{ title: text('backups.empty'), reason: text('backups.empty-reason') }}
      moreRowActions={(backup) => [
        { key: 'run', label: text('backups.run'), onClick: () => run(backup) },
        {
          key: 'turn',
          label: text(backup.enabled ? 'backups.pause' : 'backups.resume'),
          onClick: () => turn(backup),
        },
      ]}
      form={(backup, close) => <BackupForm backup={backup} onClose={close} />}
      viewFirst
      view={(backup, close, edit) => (
        <BackupDrawer backup={backup} onEdit={edit} onRun={() => run(backup)} onClose={close} />
      )}
      removal={{
        title: (name) => text('backups.delete.title', { name }),
        means: () => text('backups.delete.means'),
        done: (name) => text('backups.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function BackupForm({ backup, onClose }: { backup: BackupConfiguration | undefined; onClose: () => void }) {
  const { text, language } = useText();
  const changes = useBackupChanges();
  const paused = backup?.pauseReason ? pausedWords(backup, text) : null;
  return (
    <FormDrawer
      title={text(backup ? 'backups.edit' : 'backups.create')}
      submitLabel={text(backup ? 'common.action.save' : 'backups.create')}
      schema={backupInput}
      initial={
        backup
          ? // One that the server has paused continues when it is saved.
            { ...inputOf(backup), enabled: backup.enabled || backup.pauseReason !== null }
          : {
              devices: [],
              interval: 'day' as const,
              language: LANGUAGES.find((each) => each === language) ?? 'en',
              enabled: true,
            }
      }
      submit={(values) => (backup ? changes.edit(backup.id, values) : changes.create(values))}
      success={text('backups.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      {paused ? <p className="report-outside">{paused}</p> : null}
      <FormSection>
        <TextField name="title" label={text('backups.title')} />
        <OrganizationField label={text('backups.organization')} />
        <TextField name="fileName" label={text('backups.file-name')} help={text('backups.file-name.help')} />
        <SelectField
          name="language"
          label={text('backups.language')}
          options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
        <IntervalField />
        <DevicesField name="devices" label={text('backups.devices')} help={text('backups.devices.help')} />
        <TagsField
          wide
          name="recipients"
          label={text('backups.recipients')}
          help={text('backups.recipients.help')}
          placeholder="name@example.com"
        />
        <SwitchField name="enabled" label={text('backups.enabled')} />
      </FormSection>
      <p className="small secondary">{text('backups.owner.help')}</p>
    </FormDrawer>
  );
}

function IntervalField() {
  const { text } = useText();
  const { value: interval = 'day' } = useField<ReportInterval>('interval');
  return (
    <SelectField
      name="interval"
      label={text('backups.interval')}
      help={text(`backups.period.${interval}`)}
      options={REPORT_INTERVALS.map((value) => ({ value, label: text(`backups.interval.${value}`) }))}
    />
  );
}

const inputOf = (backup: BackupConfiguration): BackupInput => ({
  organizationId: backup.organizationId,
  title: backup.title,
  fileName: backup.fileName,
  interval: backup.interval,
  devices: backup.devices,
  recipients: backup.recipients,
  language: backup.language,
  enabled: backup.enabled,
});
