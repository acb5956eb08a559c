import { exportOrders, listOrders, type RechargeOrder } from '@isotherm/contracts/billing';
import { ORDER_STATES } from '@isotherm/domain/billing/order';
import { ORDER_GOODS } from '@isotherm/domain/billing/renewal';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { PageTabs } from '../../shared/ui/detail-page.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, Selection } from '../../shared/ui/list/list-types.ts';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { BILLING_KEY, useBillingChanges } from './billing.queries.ts';
import { InvoiceList } from './invoices/invoice-list.tsx';
import { InvoiceRequest } from './invoices/invoice-request.tsx';
import { money } from './money.ts';
import { providerName } from './recharge-view.tsx';
import { StatementForm } from './statement-form.tsx';

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
          {fault ? <div className="small">{text(`billing.fault.${fault}`)}</div> : null}
        </>
      ),
    },
    {
      key: 'invoice',
      title: text('invoices.title'),
      render: ({ invoice }) =>
        invoice === null ? null : <span className="tag">{text(`invoices.state.${invoice}`)}</span>,
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
      render: ({ provider, providerTitle }) => providerName(provider, providerTitle, text),
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

/** Page of orders and their invoices. */
export default function RechargeRecordsPage() {
  const { text } = useViewer();
  return (
    <div className="page">
      <PageHead title={text('menu.recharge-records')} purpose={text('billing.records.purpose')} />
      <PageTabs
        tabs={[
          { key: 'orders', label: text('invoices.orders-tab'), content: () => <OrderList /> },
          { key: 'invoices', label: text('invoices.title'), content: () => <InvoiceList /> },
        ]}
      />
    </div>
  );
}

/**
 * List of orders; a row opens the order on the page where it is paid. Payers request invoices here, and operators ask for
 * refunds.
 */
function OrderList() {
  const viewer = useViewer();
  const { text } = viewer;
  const navigate = useNavigate();
  const [params, change] = useUrlState();
  const changes = useBillingChanges();
  const mayRefund = usePermission('recharge-refunds:edit');
  const mayInvoice = usePermission('recharge-records:invoice');
  const [refunded, setRefunded] = useState<RechargeOrder | null>(null);
  const [invoiced, setInvoiced] = useState<{ ids: number[]; done?: () => void } | null>(null);
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
        options: ORDER_GOODS.map((value) => ({ value, label: text(`billing.commodity.${value}`) })),
      },
    ],
    [text],
  );
  return (
    <>
      <ListPage
        embedded
        name="recharge-records"
        title={text('invoices.orders-tab')}
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
        actions={
          <PermissionButton
            permission="recharge-records:export"
            onClick={() => change({ statement: 1 }, 'push')}
          >
            {text('statements.create')}
          </PermissionButton>
        }
        rowActions={(order) => [
          ...(mayInvoice && order.state === 'success' && order.invoice === null
            ? [
                {
                  key: 'invoice',
                  label: text('invoices.request'),
                  onClick: () => setInvoiced({ ids: [order.id] }),
                },
              ]
            : []),
          ...(mayRefund && order.state === 'success' && order.commodity !== 'renewal'
            ? [
                {
                  key: 'refund',
                  danger: true,
                  label: text('refunds.create'),
                  onClick: () => setRefunded(order),
                },
              ]
            : []),
        ]}
        {...(mayInvoice
          ? {
              bulk: ({ items, clear }: Selection<RechargeOrder>) => (
                <Button onClick={() => setInvoiced({ ids: items.map(({ id }) => id), done: clear })}>
                  {text('invoices.request')}
                </Button>
              ),
            }
          : {})}
        refreshAfter={({ items }) => items.some(({ state }) => state === 'waiting') && WAITING_REFRESH_MS}
        onOpen={({ id, commodity }) =>
          navigate(`${commodity === 'renewal' ? '/device/expired' : `/recharge/${commodity}`}?order=${id}`)
        }
        empty={{ title: text('billing.records.empty'), reason: text('billing.records.empty-reason') }}
      />
      {invoiced ? (
        <InvoiceRequest
          orderIds={invoiced.ids}
          onDone={() => {
            invoiced.done?.();
            setInvoiced(null);
          }}
          onClose={() => setInvoiced(null)}
        />
      ) : null}
      {params.get('statement') ? <StatementForm onClose={() => change({ statement: null })} /> : null}
      {refunded ? (
        <ConfirmWithReason
          weight="reason"
          title={text('refunds.create.title', {
            amount: money(viewer.language, refunded.amountMinor, refunded.currency),
          })}
          confirmLabel={text('refunds.create')}
          grave
          onConfirm={async (reason) => {
            await changes.refund({ orderId: refunded.id, reason });
            toast('success', text('refunds.created'));
          }}
          onClose={() => setRefunded(null)}
        >
          {text('refunds.create.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
