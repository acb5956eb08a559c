import { exportOrders, listOrders, type RechargeOrder } from '@isotherm/contracts/billing';
import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import { ORDER_STATES } from '@isotherm/domain/billing/order';
import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { BILLING_KEY } from './billing.queries.ts';
import { money } from './money.ts';
import { providerName } from './recharge-view.tsx';

const source = pagesOf(listOrders);
const KEY = [...BILLING_KEY, 'orders'] as const;
const WAITING_REFRESH_MS = 5_000;

function columnsFor({ text, time, language }: Viewer): ListColumn<RechargeOrder>[] {
  return [
    {
      key: 'createdAt',
      title: text('billing.created-at'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: ({ createdAt }) => <span className="number">{time(createdAt, 'date-time')}</span>,
    },
    {
      key: 'units',
      title: text('billing.units'),
      align: 'end',
      render: ({ units }) => <span className="number">{integer(language, units)}</span>,
    },
    {
      key: 'commodity',
      title: text('billing.commodity'),
      render: ({ commodity }) => text(`billing.commodity.${commodity}`),
    },
    {
      key: 'amount',
      title: text('billing.amount'),
      sortable: true,
      firstOrder: 'desc',
      align: 'end',
      render: ({ amountMinor, currency }) => (
        <span className="number">{money(language, amountMinor, currency)}</span>
      ),
    },
    {
      key: 'state',
      title: text('billing.state'),
      maxWidth: 320,
      render: ({ state, fault }) => (
        <>
          <span className="tag">{text(`billing.state.${state}`)}</span>
          {fault ? <div className="small">{text('billing.fault.amount')}</div> : null}
        </>
      ),
    },
    {
      key: 'settledAt',
      title: text('billing.settled-at'),
      offered: true,
      render: ({ settledAt }) =>
        settledAt ? <span className="number">{time(settledAt, 'date-time')}</span> : null,
    },
    {
      key: 'provider',
      title: text('billing.provider'),
      render: ({ provider }) => providerName(provider, text),
    },
    {
      key: 'organization',
      title: text('billing.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    { key: 'createdBy', title: text('billing.created-by'), render: ({ createdBy }) => createdBy },
    {
      key: 'number',
      title: text('billing.order.number'),
      offered: true,
      render: ({ number }) => <span className="secondary">{number}</span>,
    },
  ];
}

/** List of recharge orders; a row opens the order on the page of its balance. */
export default function RechargeRecordsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('billing.state'),
        options: ORDER_STATES.map((value) => ({ value, label: text(`billing.state.${value}`) })),
      },
      {
        keys: ['commodity'],
        label: text('billing.commodity'),
        options: COMMODITIES.map((value) => ({ value, label: text(`billing.commodity.${value}`) })),
      },
    ],
    [text],
  );
  return (
    <ListPage
      name="recharge-records"
      title={text('menu.recharge-records')}
      purpose={text('billing.records.purpose')}
      source={source}
      queryKey={KEY}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ number }) => number}
      searchLabel={text('billing.records.search')}
      defaultSort={{ sort: 'createdAt', order: 'desc' }}
      filters={filters}
      exporting={exportOrders}
      refreshAfter={({ items }) => items.some(({ state }) => state === 'waiting') && WAITING_REFRESH_MS}
      onOpen={({ id, commodity }) => navigate(`/recharge/${commodity}?order=${id}`)}
      empty={{ title: text('billing.records.empty'), reason: text('billing.records.empty-reason') }}
    />
  );
}
