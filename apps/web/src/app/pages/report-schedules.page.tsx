import '../../features/reports/reports.css';
import {
  listReportSchedules,
  type ReportSchedule,
  type ReportScheduleInput,
  reportScheduleInput,
  SCHEDULED_KINDS,
  type ScheduledKind,
} from '@isotherm/contracts/report-schedules';
import { MAX_REPORT_ASSETS, REPORT_FORMATS } from '@isotherm/contracts/reports';
import { REPORT_INTERVALS, type ReportInterval } from '@isotherm/domain/reports/report-schedule';
import { RULE_PACK_IDS, RULE_PACKS } from '@isotherm/domain/reports/rule-packs';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import { useMemo, useState } from 'react';
import { AssetPicker } from '../../features/assets/groups/asset-picker.tsx';
import { ScheduleDrawer } from '../../features/reports/schedule-drawer.tsx';
import {
  assetWords,
  pauseWords,
  RUN_STATE_TEXT,
  weekdayName,
  whenWords,
} from '../../features/reports/schedule-words.ts';
import { loadSchedule, SCHEDULES_KEY, useScheduleChanges } from '../../features/reports/schedules.queries.ts';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { SelectField, SwitchField, TagsField } from '../../shared/ui/form/choice-fields.tsx';
import { FieldFrame } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const WEEK = [1, 2, 3, 4, 5, 6, 7];
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'asset.not_found': 'assets',
  'report_schedule.taken': 'name',
};
const pages = pagesOf(listReportSchedules);

function columnsFor(viewer: Viewer): ListColumn<ReportSchedule>[] {
  const { text, time } = viewer;
  return [
    {
      key: 'name',
      title: text('reports.schedule.name'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ name }) => name,
    },
    {
      key: 'assets',
      title: text('reports.schedule.assets'),
      maxWidth: 260,
      render: (schedule) => assetWords(schedule, text) || schedule.organizationName,
    },
    {
      key: 'kind',
      title: text('reports.kind'),
      maxWidth: 200,
      render: ({ kind }) => text(`jobs.kind.${kind}`),
    },
    {
      key: 'interval',
      title: text('reports.schedule.interval'),
      maxWidth: 280,
      render: (schedule) => whenWords(schedule, viewer),
    },
    {
      key: 'recipients',
      title: text('reports.schedule.recipients'),
      maxWidth: 240,
      render: ({ recipients }) => <span className="secondary">{recipients.join(', ')}</span>,
    },
    {
      key: 'dueAt',
      title: text('reports.schedule.next'),
      sortable: true,
      render: ({ dueAt, pauseReason }) =>
        dueAt ? (
          <span className="number">{time(dueAt, 'date-time')}</span>
        ) : (
          <span className={pauseReason ? 'report-outside' : 'secondary'}>
            {text('reports.schedule.paused')}
          </span>
        ),
    },
    {
      key: 'last',
      title: text('reports.schedule.last'),
      maxWidth: 260,
      render: ({ lastRun }) => (lastRun ? <LastRun run={lastRun} /> : EN_RULE),
    },
    {
      key: 'organization',
      title: text('reports.schedule.organization'),
      maxWidth: 200,
      offered: true,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

function LastRun({ run: { at, state, refused } }: { run: NonNullable<ReportSchedule['lastRun']> }) {
  const { text, time } = useViewer();
  const isBad = state === 'failed' || refused > 0;
  return (
    <span className={isBad ? 'report-outside' : 'secondary'}>
      {refused > 0 ? text('reports.run.refused', { count: refused }) : text(RUN_STATE_TEXT[state])}
      {' · '}
      <span className="number">{time(at, 'date-time')}</span>
    </span>
  );
}

/** Reports that are created regularly and sent by e-mail, with their history. */
export default function ReportSchedulesPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useScheduleChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const [canDeliver, setCanDeliver] = useState(true);
  const source = useMemo(
    () => ({
      ...pages,
      async load(...asked: Parameters<typeof pages.load>) {
        const page = await pages.load(...asked);
        setCanDeliver(page.canDeliver);
        return page;
      },
    }),
    [],
  );
  /** Shows a failure as a toast, because there is no form. */
  async function act(work: Promise<unknown>, done: string) {
    try {
      await work;
      toast('success', done);
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }
  const run = ({ id }: ReportSchedule) => void act(changes.run(id), text('reports.schedule.run.done'));
  function turn(schedule: ReportSchedule) {
    const { id, name, enabled } = schedule;
    void act(
      changes.edit(id, { ...inputOf(schedule), enabled: !enabled }),
      text(enabled ? 'reports.schedule.pause.done' : 'reports.schedule.resume.done', { name }),
    );
  }
  return (
    <RecordList
      name="report-schedules"
      title={text('menu.report-schedules')}
      purpose={text('reports.schedule.purpose')}
      permission="report-schedules:edit"
      param="schedule"
      source={source}
      queryKey={SCHEDULES_KEY}
      load={loadSchedule}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('reports.schedule.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      {...(canDeliver
        ? {}
        : {
            above: (
              <p className="secondary" role="status">
                {text('reports.schedule.no-transport')}
              </p>
            ),
          })}
      words={{
        create: text('reports.schedule.create'),
        edit: text('reports.schedule.edit'),
        remove: text('reports.schedule.delete'),
      }}
      empty={{ title: text('reports.schedule.empty'), reason: text('reports.schedule.empty-reason') }}
      moreRowActions={(schedule) => [
        { key: 'run', label: text('reports.schedule.run'), onClick: () => run(schedule) },
        {
          key: 'turn',
          label: text(schedule.enabled ? 'reports.schedule.pause' : 'reports.schedule.resume'),
          onClick: () => turn(schedule),
        },
      ]}
      form={(schedule, close) => <ScheduleForm schedule={schedule} onClose={close} />}
      viewFirst
      view={(schedule, close, edit) => (
        <ScheduleDrawer schedule={schedule} onEdit={edit} onRun={() => run(schedule)} onClose={close} />
      )}
      removal={{
        title: (name) => text('reports.schedule.delete.title', { name }),
        means: () => text('reports.schedule.delete.means'),
        done: (name) => text('reports.schedule.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function ScheduleForm({ schedule, onClose }: { schedule: ReportSchedule | undefined; onClose: () => void }) {
  const { text, language } = useText();
  const changes = useScheduleChanges();
  const paused = schedule?.pauseReason ? pauseWords(schedule, text) : null;
  return (
    <FormDrawer
      title={text(schedule ? 'reports.schedule.edit' : 'reports.schedule.create')}
      submitLabel={text(schedule ? 'common.action.save' : 'reports.schedule.create')}
      schema={reportScheduleInput}
      initial={
        schedule
          ? inputOf(schedule)
          : {
              kind: 'record-report' as const,
              pack: 'gsp' as const,
              assets: [],
              format: 'pdf' as const,
              interval: 'day' as const,
              weekday: 1,
              monthDay: 1,
              at: '07:00',
              language: LANGUAGES.find((each) => each === language) ?? 'en',
              enabled: true,
            }
      }
      submit={(values) => (schedule ? changes.edit(schedule.id, values) : changes.create(values))}
      success={text('reports.schedule.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      {paused ? <p className="report-outside">{paused}</p> : null}
      <FormSection>
        <TextField name="name" label={text('reports.schedule.name')} />
        <OrganizationField label={text('reports.schedule.organization')} />
        <KindFields />
        <AssetsField />
        <SelectField
          name="format"
          label={text('reports.schedule.format')}
          options={REPORT_FORMATS.map((value) => ({ value, label: value.toUpperCase() }))}
        />
        <SelectField
          name="language"
          label={text('reports.schedule.language')}
          options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        />
        <TimingFields />
        <TagsField
          wide
          name="recipients"
          label={text('reports.schedule.recipients')}
          help={text('reports.schedule.recipients.help')}
          placeholder="name@example.com"
        />
        <SwitchField name="enabled" label={text('reports.schedule.enabled')} />
      </FormSection>
      <p className="small secondary">{text('reports.schedule.owner.help')}</p>
    </FormDrawer>
  );
}

function KindFields() {
  const { text } = useText();
  const { value: kind } = useField<ScheduledKind>('kind');
  return (
    <>
      <SelectField
        name="kind"
        label={text('reports.kind')}
        options={SCHEDULED_KINDS.map((value) => ({ value, label: text(`jobs.kind.${value}`) }))}
      />
      {kind === 'compliance-report' ? (
        <SelectField
          name="pack"
          label={text('reports.compliance.pack')}
          options={RULE_PACK_IDS.map((value) => ({ value, label: RULE_PACKS[value].name }))}
        />
      ) : null}
    </>
  );
}

function TimingFields() {
  const { text, language } = useText();
  const { value: interval = 'day' } = useField<ReportInterval>('interval');
  return (
    <>
      <SelectField
        name="interval"
        label={text('reports.schedule.interval')}
        help={text(`reports.schedule.period.${interval}`)}
        options={REPORT_INTERVALS.map((value) => ({
          value,
          label: text(`reports.schedule.interval.${value}`),
        }))}
      />
      {interval === 'week' ? (
        <SelectField
          name="weekday"
          label={text('reports.schedule.weekday')}
          options={WEEK.map((value) => ({ value, label: weekdayName(value, language) }))}
        />
      ) : null}
      {interval === 'month' ? (
        <NumberField
          name="monthDay"
          label={text('reports.schedule.month-day')}
          help={text('reports.schedule.month-day.help')}
          step={1}
        />
      ) : null}
      <TextField name="at" label={text('reports.schedule.at')} help={text('reports.schedule.at.help')} />
    </>
  );
}

/** Field `assets` of a form: a button that opens the tree of assets. */
function AssetsField() {
  const { text } = useText();
  const { value = [], set, fault } = useField<number[]>('assets');
  const { value: kind } = useField<ScheduledKind>('kind');
  const [picking, setPicking] = useState(false);
  // Statistics are about whole organisations.
  if (kind === 'statistics-report') return null;
  return (
    <>
      <FieldFrame
        wide
        required={kind === 'record-report'}
        label={text('reports.schedule.assets')}
        fault={fault}
        {...(kind === 'record-report' ? {} : { help: text('reports.schedule.assets.help') })}
      >
        {({ id, 'aria-describedby': describedBy }) => (
          <div className="report-chosen">
            <Button
              id={id}
              {...(describedBy ? { 'aria-describedby': describedBy } : {})}
              onClick={() => setPicking(true)}
            >
              {value.length === 0
                ? text(kind === 'record-report' ? 'reports.assets' : 'reports.schedule.assets.all')
                : text('reports.assets.chosen', { count: value.length })}
            </Button>
          </div>
        )}
      </FieldFrame>
      {picking ? (
        <AssetPicker
          initial={value}
          most={MAX_REPORT_ASSETS}
          submitLabel={(count) => text('reports.assets.use', { count })}
          onChoose={async (ids) => set([...ids])}
          onClose={() => setPicking(false)}
        />
      ) : null}
    </>
  );
}

const inputOf = (schedule: ReportSchedule): ReportScheduleInput => ({
  organizationId: schedule.organizationId,
  name: schedule.name,
  kind: schedule.kind,
  pack: schedule.pack,
  assets: schedule.assets,
  format: schedule.format,
  interval: schedule.interval,
  weekday: schedule.weekday,
  monthDay: schedule.monthDay,
  at: schedule.at,
  recipients: schedule.recipients,
  language: schedule.language,
  enabled: schedule.enabled,
});
