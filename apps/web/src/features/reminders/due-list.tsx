import './reminders.css';
import { DUE_SPANS, type DueItem, type DueSpan, listDue } from '@isotherm/contracts/reminders';
import { useMemo } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { dayText } from '../../shared/format/time.ts';
import { type Text, useText } from '../../shared/i18n/use-text.ts';
import { useGo } from '../../shared/tabs/use-go.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../shared/ui/list/organization-filter.tsx';
import { DUE_KEY } from './reminders.queries.ts';
import { useSeenKinds } from './seen-kinds.ts';

const source = pagesOf(listDue);
/** Items due within this many days are emphasised. */
const SOON_DAYS = 7;

/** Returns the address of the page of a due item, by its kind. */
const PLACES: Record<DueItem['kind'], (item: DueItem) => string> = {
  device: ({ name }) => `/device/list/${name}`,
  calibration: ({ subjectId }) => `/device/calibration?calibration=${subjectId}`,
  validation: ({ subjectId }) => `/asset/validation?study=${subjectId}`,
  maintenance: ({ subjectId }) => `/asset/maintenance?record=${subjectId}`,
  document: ({ subjectId }) => `/asset/files?file=${subjectId}`,
  authorization: ({ name }) => `/management/authorizations?search=${encodeURIComponent(name)}`,
};

function daysWord(text: Text, days: number): string {
  return days < 0 ? text('reminders.days-over', { days: -days }) : text('reminders.days-left', { days });
}

function columnsFor(text: Text): ListColumn<DueItem>[] {
  return [
    {
      key: 'dueOn',
      title: text('reminders.due-on'),
      sortable: true,
      pinned: true,
      render: ({ dueOn, daysLeft }) => (
        <span className="reminder-due">
          <span className="number">{dayText(dueOn)}</span>
          <span
            className={`tag ${daysLeft < 0 ? 'reminder-over' : daysLeft <= SOON_DAYS ? 'reminder-soon' : ''}`}
          >
            {daysLeft <= SOON_DAYS ? <Icon name={daysLeft < 0 ? 'close' : 'clock'} small /> : null}
            {daysWord(text, daysLeft)}
          </span>
        </span>
      ),
    },
    {
      key: 'kind',
      title: text('reminders.kind'),
      render: ({ kind }) => text(`reminders.kind.${kind}`),
    },
    { key: 'name', title: text('reminders.name'), maxWidth: 260, render: ({ name }) => name },
    {
      key: 'of',
      title: text('reminders.of'),
      maxWidth: 260,
      render: (item) => <span className="secondary">{item.of || EN_RULE}</span>,
    },
    {
      key: 'organization',
      title: text('reminders.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
}

/** List of everything that falls due. */
export function DueList() {
  const { text } = useText();
  const go = useGo();
  const organizations = useOrganizations();
  const kinds = useSeenKinds();
  const columns = useMemo(() => columnsFor(text), [text]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['kind'],
        label: text('reminders.kind'),
        options: (kinds ?? []).map((kind) => ({ value: kind, label: text(`reminders.kind.${kind}`) })),
      },
      organizationFilter(text, organizations),
    ],
    [text, organizations, kinds],
  );
  const spans = ['quarter', ...Object.keys(DUE_SPANS).filter((span) => span !== 'quarter')] as DueSpan[];
  return (
    <ListPage
      embedded
      name="due"
      title={text('reminders.tab.due')}
      purpose={text('reminders.purpose')}
      source={source}
      queryKey={DUE_KEY}
      columns={columns}
      rowKey={({ kind, subjectId }) => `${kind}-${subjectId}`}
      rowName={({ name }) => name}
      searchLabel={text('reminders.due.search')}
      defaultSort={{ sort: 'dueOn', order: 'asc' }}
      views={spans.map((span) => ({
        key: span,
        label: text(`reminders.span.${span}`),
        query: { span } as Record<string, string>,
      }))}
      filters={filters}
      onOpen={(item) => go(PLACES[item.kind](item))}
      empty={{ title: text('reminders.due.empty'), reason: text('reminders.due.empty-reason') }}
    />
  );
}
