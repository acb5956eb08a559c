import {
  getTestSchedule,
  listTestSchedules,
  type TestScheduleInput,
  type TestScheduleView,
  testScheduleInput,
} from '@isotherm/contracts/alarm-tests';
import { currentZone } from '@isotherm/contracts/time-zones';
import { TEST_INTERVALS } from '@isotherm/domain/alarms/alarm-test';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { StepFields } from './test-list.tsx';
import { TEST_SCHEDULES_KEY, useTestScheduleChanges } from './tests.queries.ts';

const source = pagesOf(listTestSchedules);
const load = (id: number, signal: AbortSignal) => call(getTestSchedule, { params: { id }, signal });
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'policy.not_found': 'policyId',
  'alarm_test.nobody': 'level',
  'test_schedule.taken': 'name',
};

function columnsFor({ text, time }: Viewer): ListColumn<TestScheduleView>[] {
  return [
    {
      key: 'name',
      title: text('alarm-tests.schedule.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'policy',
      title: text('alarm-tests.policy'),
      maxWidth: 240,
      render: ({ policyName }) => policyName,
    },
    {
      key: 'level',
      title: text('alarm-tests.level'),
      align: 'end',
      render: ({ level }) => <span className="number">{level}</span>,
    },
    {
      key: 'every',
      title: text('alarm-tests.schedule'),
      render: ({ every, interval, at, timeZone }) =>
        `${text(`alarm-tests.every.${interval}`, { count: every })} · ${at} ${timeZone}`,
    },
    {
      key: 'dueAt',
      title: text('alarm-tests.schedule.due'),
      sortable: true,
      render: ({ dueAt }) =>
        dueAt ? (
          <span className="number">{time(dueAt, 'date-time')}</span>
        ) : (
          text('alarm-tests.schedule.paused')
        ),
    },
    {
      key: 'organization',
      title: text('alarm-tests.organization'),
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of the schedules of alarm tests. */
export function TestScheduleList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useTestScheduleChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      embedded
      name="alarm-test-schedules"
      title={text('alarm-tests.tab.schedules')}
      purpose={text('alarm-tests.schedule.purpose')}
      permission="alarm-tests:edit"
      param="schedule"
      source={source}
      queryKey={TEST_SCHEDULES_KEY}
      load={load}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('alarm-tests.schedule.search')}
      defaultSort={{ sort: 'dueAt', order: 'asc' }}
      words={{
        create: text('alarm-tests.schedule.create'),
        edit: text('alarm-tests.schedule.edit'),
        remove: text('alarm-tests.schedule.delete'),
      }}
      empty={{
        title: text('alarm-tests.schedule.empty'),
        reason: text('alarm-tests.schedule.empty-reason'),
      }}
      form={(schedule, close) => <ScheduleForm schedule={schedule} onClose={close} />}
      removal={{
        title: (name) => text('alarm-tests.schedule.delete.title', { name }),
        means: () => text('alarm-tests.schedule.delete.means'),
        done: (name) => text('alarm-tests.schedule.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function ScheduleForm({
  schedule,
  onClose,
}: {
  schedule: TestScheduleView | undefined;
  onClose: () => void;
}) {
  const { text, zone } = useViewer();
  const changes = useTestScheduleChanges();
  return (
    <FormDrawer
      title={text(schedule ? 'alarm-tests.schedule.edit' : 'alarm-tests.schedule.create')}
      submitLabel={text(schedule ? 'common.action.save' : 'alarm-tests.schedule.create')}
      schema={testScheduleInput}
      initial={
        schedule
          ? initialOf(schedule)
          : {
              level: 1,
              every: 1,
              interval: 'months' as const,
              at: '10:00',
              timeZone: currentZone(zone),
              enabled: true,
            }
      }
      submit={(values) => {
        const form = { ...values, policyId: Number(values.policyId) } as TestScheduleInput;
        return schedule ? changes.edit(schedule.id, form) : changes.create(form);
      }}
      success={text('alarm-tests.schedule.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('alarm-tests.schedule.name')} />
        <OrganizationField label={text('alarm-tests.organization')} />
        <StepFields
          {...(schedule ? { chosen: { value: schedule.policyId, label: schedule.policyName } } : {})}
        />
        <SwitchField name="enabled" label={text('alarm-tests.schedule.enabled')} />
        <NumberField name="every" label={text('alarm-tests.every')} step={1} />
        <SelectField
          name="interval"
          label={text('alarm-tests.interval')}
          options={TEST_INTERVALS.map((value) => ({ value, label: text(`alarm-tests.interval.${value}`) }))}
        />
        <DateField
          name="startsOn"
          label={text('alarm-tests.starts-on')}
          help={text('alarm-tests.starts-on.help')}
        />
        <TextField name="at" label={text('alarm-tests.at')} help={text('alarm-tests.at.help')} />
        <ZoneField name="timeZone" label={text('alarm-tests.time-zone')} />
      </FormSection>
    </FormDrawer>
  );
}

const initialOf = (schedule: TestScheduleView): TestScheduleInput => ({
  organizationId: schedule.organizationId,
  name: schedule.name,
  policyId: schedule.policyId,
  level: schedule.level,
  every: schedule.every,
  interval: schedule.interval,
  startsOn: schedule.startsOn,
  at: schedule.at,
  timeZone: schedule.timeZone,
  enabled: schedule.enabled,
});
