import './handovers.css';
import {
  type Handover,
  type HandoverInput,
  handoverInput,
  listHandovers,
} from '@isotherm/contracts/handovers';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useEffect, useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { zoneName } from '../../../shared/format/zones.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { FixedField } from '../../../shared/ui/form/field-frame.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { useStored } from '../../../shared/ui/stored.ts';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { HandoverContent } from './handover-content.tsx';
import { HandoverRecord, handoverOf } from './handover-record.tsx';
import { HANDOVERS_KEY, previewQuery, useHandoverChanges } from './handovers.queries.ts';

const source = pagesOf(listHandovers);
const HOUR_MS = 3_600_000;
/** Periods to choose from: since the last handover, since the last visit of the page, or some hours. */
const PERIODS = ['handover', 'look', '8', '12', '24'] as const;
const LOOKED_KEY = 'isotherm.handover-looked';

/** What happened since the last handover or visit, to be signed, and past handovers. */
export default function HandoverPage() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const shown = handoverOf(params);
  return (
    <div className="page handover-page">
      <PageHead title={text('menu.alarm-handover')} purpose={text('handovers.purpose')} />
      {shown === null ? (
        <PageTabs
          tabs={[
            { key: 'now', label: text('handovers.now'), content: () => <Present /> },
            { key: 'past', label: text('handovers.past'), content: () => <Past /> },
          ]}
        />
      ) : (
        <HandoverRecord id={shown} onClose={() => change({ handover: null, tab: 'past' }, 'push')} />
      )}
    </div>
  );
}

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));

/**
 * When this browser showed the page before, and null at the first visit. The moment is kept while the page is
 * open.
 */
function useLastLook(): string | null {
  const [looked, look] = useStored<string>(LOOKED_KEY, '', isTime);
  const [before] = useState(looked);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the visit itself is stored, once.
  useEffect(() => look(new Date(serverNow()).toISOString()), []);
  return before || null;
}

function Present() {
  const { text, time, zone } = useViewer();
  const [params, change] = useUrlState();
  const organizations = useOrganizations();
  const maySign = usePermission('alarm-handover:sign');
  const [signs, setSigns] = useState(false);
  const looked = useLastLook();
  const [opened] = useState(serverNow);
  const period = oneOf(PERIODS, params.get('period')) ?? 'handover';
  const organizationId = Number(params.get('organizationId')) || organizations.nodes[0]?.id;
  const from =
    period === 'handover'
      ? null
      : period === 'look'
        ? looked
        : new Date(opened - Number(period) * HOUR_MS).toISOString();
  const { data, error, refetch } = useQuery({
    ...previewQuery(organizationId ?? 0, from),
    enabled: organizationId !== undefined,
  });
  return (
    <>
      <div className="handover-head handover-tools">
        <div className="row handover-choice">
          <TreeSelect
            className="list-tree"
            aria-label={text('users.organization')}
            nodes={organizations.nodes}
            loading={organizations.loading}
            value={organizationId}
            onChange={(id) => change({ organizationId: id ?? null })}
          />
          <KeyFrame take={isTab}>
            <Select
              className="handover-period"
              aria-label={text('handovers.period')}
              value={period}
              options={PERIODS.filter((each) => each !== 'look' || looked !== null).map((value) => ({
                value,
                label:
                  value === 'handover' || value === 'look'
                    ? text(`handovers.period.${value}`)
                    : text('handovers.period.hours', { count: Number(value) }),
              }))}
              onChange={(next) => change({ period: next === 'handover' ? null : next })}
            />
          </KeyFrame>
        </div>
        {maySign && data ? (
          <Button variant="primary" onClick={() => setSigns(true)}>
            <Icon name="check" />
            {text('handovers.sign')}
          </Button>
        ) : null}
      </div>
      {data ? (
        <p className="secondary handover-span">
          {text('handovers.span', {
            from: time(data.from, 'date-time'),
            until: time(data.until, 'date-time'),
            zone: zoneName(zone),
          })}{' '}
          {data.last
            ? text('handovers.last', {
                name: data.last.outgoing.name,
                time: time(data.last.until, 'date-time'),
              })
            : text('handovers.first')}
        </p>
      ) : null}
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? <HandoverContent content={data.content} /> : error ? null : <PageSkeleton />}
      {signs && data && organizationId ? (
        <SignForm
          organizationId={organizationId}
          from={from}
          since={data.from}
          onClose={() => setSigns(false)}
        />
      ) : null}
    </>
  );
}

/** Form that signs the handover of everything up to this moment. */
function SignForm({
  organizationId,
  from,
  since,
  onClose,
}: {
  organizationId: number;
  from: string | null;
  since: string;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const changes = useHandoverChanges();
  const [, change] = useUrlState();
  return (
    <FormDrawer
      title={text('handovers.sign')}
      submitLabel={text('handovers.sign')}
      schema={handoverInput}
      initial={{ organizationId, ...(from === null ? {} : { from }), comment: '' }}
      submit={async (values) => {
        const made = await changes.sign(values as HandoverInput);
        change({ handover: made.id }, 'push');
      }}
      success={text('handovers.signed')}
      onClose={onClose}
    >
      <FormSection>
        <p className="form-wide secondary">{text('handovers.sign.means')}</p>
        <FixedField label={text('handovers.from')} value={time(since, 'date-time')} />
        <TextAreaField name="comment" label={text('handovers.comment')} rows={5} />
      </FormSection>
    </FormDrawer>
  );
}

function columnsFor({ text, time }: Viewer): ListColumn<Handover>[] {
  return [
    {
      key: 'until',
      title: text('handovers.until'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: ({ until }) => <span className="number">{time(until, 'date-time')}</span>,
    },
    {
      key: 'from',
      title: text('handovers.from'),
      render: ({ from }) => <span className="number">{time(from, 'date-time')}</span>,
    },
    {
      key: 'organization',
      title: text('users.organization'),
      maxWidth: 200,
      render: ({ organizationName }) => organizationName,
    },
    {
      key: 'outgoing',
      title: text('handovers.outgoing'),
      maxWidth: 180,
      render: ({ outgoing }) => outgoing.name,
    },
    {
      key: 'incoming',
      title: text('handovers.incoming'),
      maxWidth: 180,
      render: ({ incoming }) =>
        incoming ? incoming.name : <span className="secondary">{text('handovers.not-taken')}</span>,
    },
    {
      key: 'open',
      title: text('handovers.section.open'),
      align: 'end',
      render: ({ counts }) => <span className="number">{counts.open}</span>,
    },
    {
      key: 'raised',
      title: text('handovers.section.raised'),
      align: 'end',
      render: ({ counts }) => <span className="number">{counts.raised}</span>,
    },
    { key: 'comment', title: text('handovers.comment'), maxWidth: 300, render: ({ comment }) => comment },
  ];
}

function Past() {
  const viewer = useViewer();
  const { text } = viewer;
  const [, change] = useUrlState();
  const organizations = useOrganizations();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [organizationFilter(text, organizations)],
    [text, organizations],
  );
  return (
    <ListPage
      embedded
      name="alarm-handover"
      title={text('handovers.past')}
      purpose={text('handovers.purpose')}
      source={source}
      queryKey={HANDOVERS_KEY}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ until }) => viewer.time(until, 'date-time')}
      searchLabel={text('handovers.search')}
      defaultSort={{ sort: 'until', order: 'desc' }}
      filters={filters}
      onOpen={({ id }) => change({ handover: id }, 'push')}
      empty={{ title: text('handovers.empty'), reason: text('handovers.empty-reason') }}
    />
  );
}
