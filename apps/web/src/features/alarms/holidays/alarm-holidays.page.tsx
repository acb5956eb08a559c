import {
  createHoliday,
  deleteHoliday,
  editHoliday,
  exportHolidays,
  getHoliday,
  getHolidayTemplate,
  type Holiday,
  holidayInput,
  importHolidays,
  listHolidays,
} from '@isotherm/contracts/holidays';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';

const KEY = ['alarms', 'holidays'] as const;
const source = pagesOf(listHolidays);
const useChanges = crudChanges(KEY, { create: createHoliday, edit: editHoliday, remove: deleteHoliday });
const load = (id: number, signal: AbortSignal) => call(getHoliday, { params: { id }, signal });
const FAULT_FIELDS = {
  'organization.not_found': 'organizationId',
  'holiday.taken': 'date',
  'holiday.past': 'date',
};

function columnsFor({ text, time }: Viewer): ListColumn<Holiday>[] {
  return [
    {
      key: 'date',
      title: text('holidays.date'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: ({ date }) => <span className="number">{dayText(date)}</span>,
    },
    {
      key: 'name',
      title: text('holidays.name'),
      sortable: true,
      maxWidth: 320,
      render: ({ name, isPast }) => (
        <>
          {name} {isPast ? <span className="tag">{text('holidays.past')}</span> : null}
        </>
      ),
    },
    {
      key: 'organization',
      title: text('holidays.organization'),
      sortable: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'changedAt',
      title: text('holidays.changed'),
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the holidays that the schedules of alarm policies refer to. */
export default function HolidayList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      name="alarm-holidays"
      title={text('menu.alarm-holidays')}
      purpose={text('holidays.purpose')}
      permission="alarm-holidays:edit"
      param="holiday"
      source={source}
      queryKey={KEY}
      load={load}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('holidays.search')}
      defaultSort={{ sort: 'date', order: 'desc' }}
      exporting={exportHolidays}
      importing={[
        {
          route: importHolidays,
          template: getHolidayTemplate,
          title: text('holidays.import.title'),
          help: text('holidays.import.help'),
        },
      ]}
      words={{
        create: text('holidays.create'),
        edit: text('holidays.edit'),
        remove: text('holidays.delete'),
      }}
      empty={{ title: text('holidays.empty'), reason: text('holidays.empty-reason') }}
      form={(holiday, close) => <HolidayForm holiday={holiday} onClose={close} />}
      removal={{
        title: (name) => text('holidays.delete.title', { name }),
        means: ({ date }) => text('holidays.delete.means', { date: dayText(date) }),
        done: (name) => text('holidays.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}

function HolidayForm({ holiday, onClose }: { holiday: Holiday | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(holiday ? 'holidays.edit' : 'holidays.create')}
      submitLabel={text(holiday ? 'common.action.save' : 'holidays.create')}
      schema={holidayInput}
      initial={
        holiday ? { organizationId: holiday.organizationId, date: holiday.date, name: holiday.name } : {}
      }
      submit={(values) => (holiday ? changes.edit(holiday.id, values) : changes.create(values))}
      success={text('holidays.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <DateField
          name="date"
          label={text('holidays.date')}
          help={text('holidays.date.help')}
          disabled={holiday?.isPast ?? false}
        />
        <TextField name="name" label={text('holidays.name')} disabled={holiday?.isPast ?? false} />
        <OrganizationField
          label={text('holidays.organization')}
          help={text('holidays.organization.help')}
          disabled={holiday?.isPast ?? false}
        />
      </FormSection>
    </FormDrawer>
  );
}
