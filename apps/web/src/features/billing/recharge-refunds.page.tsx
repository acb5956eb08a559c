import { listRefunds, type RechargeRefund } from '@isotherm/contracts/refunds';
import { REFUND_STATES } from '@isotherm/domain/billing/refund';
import { useMemo, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { labelled } from '../../shared/i18n/phrases.ts';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../shared/ui/list/list-types.ts';
import { toast } from '../../shared/ui/toast.tsx';
import { BILLING_KEY, useBillingChanges } from './billing.queries.ts';
import { money } from './money.ts';

const source = pagesOf(listRefunds);
const KEY = [...BILLING_KEY, 'refunds'] as const;
const OPEN_REFRESH_MS = 10_000;

function columnsFor({ text, time, language }: Viewer): ListColumn<RechargeRefund>[] {
  return [
    {
      key: 'organization',
      title: text('billing.organization'),
      pinned: true,
      maxWidth: 240,
      render: ({ organizationName }) => <span className="strong">{organizationName}</span>,
    },
    {
      key: 'amount',
      title: text('billing.amount'),
      align: 'end',
      render: ({ amountMinor, currency }) => (
        <span className="number">{money(language, amountMinor, currency)}</span>
      ),
    },
    {
      key: 'units',
      title: text('billing.units'),
      align: 'end',
      render: ({ units, commodity }) => (
        <span className="number">{`${integer(language, units)} ${text(`billing.commodity.${commodity}`)}`}</span>
      ),
    },
    { key: 'reason', title: text('billing.grant.reason'), maxWidth: 320, render: ({ reason }) => reason },
    {
      key: 'state',
      title: text('billing.state'),
      maxWidth: 320,
      render: ({ state, detail }) => (
        <>
          <span className="tag">{text(`refunds.state.${state}`)}</span>
          {detail ? <div className="small">{text('refunds.detail', { detail })}</div> : null}
        </>
      ),
    },
    {
      key: 'createdAt',
      title: text('refunds.requested'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ createdAt, createdBy }) => (
        <span className="secondary">{`${time(createdAt, 'date-time')} · ${createdBy}`}</span>
      ),
    },
    {
      key: 'decided',
      title: text('refunds.decided'),
      render: ({ decidedAt, decidedBy }) =>
        decidedAt ? (
          <span className="secondary">{`${time(decidedAt, 'date-time')} · ${decidedBy}`}</span>
        ) : null,
    },
    {
      key: 'number',
      title: text('billing.order.number'),
      offered: true,
      render: ({ orderNumber }) => <span className="secondary">{orderNumber}</span>,
    },
  ];
}

/** List of refunds, which one operator asks for in the recharge records and a second one approves. */
export default function RechargeRefundsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const mayApprove = usePermission('recharge-refunds:approve');
  const [decision, setDecision] = useState<{ refund: RechargeRefund; approve: boolean } | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('billing.state'),
        options: REFUND_STATES.map((value) => ({ value, label: text(`refunds.state.${value}`) })),
      },
    ],
    [text],
  );
  return (
    <>
      <ListPage
        name="recharge-refunds"
        title={text('menu.recharge-refunds')}
        purpose={text('refunds.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ organizationName }) => organizationName}
        searchLabel={text('refunds.search')}
        defaultSort={{ sort: 'createdAt', order: 'desc' }}
        filters={filters}
        refreshAfter={({ items }) => items.some(({ state }) => state === 'approved') && OPEN_REFRESH_MS}
        rowActions={(refund) =>
          mayApprove && refund.mayDecide
            ? [
                {
                  key: 'approve',
                  label: text('refunds.approve'),
                  onClick: () => setDecision({ refund, approve: true }),
                },
                {
                  key: 'reject',
                  danger: true,
                  label: text('refunds.reject'),
                  onClick: () => setDecision({ refund, approve: false }),
                },
              ]
            : []
        }
        empty={{ title: text('refunds.empty'), reason: text('refunds.empty-reason') }}
      />
      {decision ? <Decision {...decision} onClose={() => setDecision(null)} /> : null}
    </>
  );
}

function Decision({
  refund,
  approve,
  onClose,
}: {
  refund: RechargeRefund;
  approve: boolean;
  onClose: () => void;
}) {
  const { text, time, language } = useViewer();
  const changes = useBillingChanges();
  const { organizationName: name, amountMinor, currency, units, commodity } = refund;
  return (
    <ConfirmWithReason
      weight="plain"
      title={
        approve
          ? text('refunds.approve.title', { amount: money(language, amountMinor, currency), name })
          : text('refunds.reject.title', { name })
      }
      confirmLabel={text(approve ? 'refunds.approve' : 'refunds.reject')}
      grave
      onConfirm={async () => {
        await changes.decideRefund(refund.id, { approve });
        toast('success', text(approve ? 'refunds.approved' : 'refunds.rejected'));
      }}
      onClose={onClose}
    >
      <p>
        {labelled(text, text('billing.grant.reason'), refund.reason)}
        <br />
        {labelled(
          text,
          text('refunds.requested'),
          `${time(refund.createdAt, 'date-time')} · ${refund.createdBy}`,
        )}
        <br />
        {labelled(text, text('billing.order.number'), refund.orderNumber)}
      </p>
      {approve ? (
        <p>
          {text('refunds.approve.means', {
            units: integer(language, units),
            commodity: text(`billing.commodity.${commodity}`),
          })}
        </p>
      ) : null}
    </ConfirmWithReason>
  );
}
