import { exportInvoices, type Invoice, issueInvoice, listInvoices } from '@isotherm/contracts/invoices';
import { INVOICE_STATES } from '@isotherm/domain/billing/invoice';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { dayIn, dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { BILLING_KEY, useBillingChanges } from '../billing.queries.ts';
import { money } from '../money.ts';

const source = pagesOf(listInvoices);
const KEY = [...BILLING_KEY, 'invoices'] as const;

function columnsFor({ text, time, language }: Viewer): ListColumn<Invoice>[] {
  return [
    {
      key: 'requestedAt',
      title: text('invoices.requested-at'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: ({ requestedAt }) => <span className="number">{time(requestedAt, 'date-time')}</span>,
    },
    {
      key: 'payer',
      title: text('invoices.payer'),
      maxWidth: 280,
      render: ({ title, taxNumber }) => (
        <>
          {title}
          <div className="small secondary">{taxNumber}</div>
        </>
      ),
    },
    {
      key: 'amount',
      title: text('invoices.amount'),
      sortable: true,
      firstOrder: 'desc',
      align: 'end',
      render: ({ amountMinor, currency }) => (
        <span className="number">{money(language, amountMinor, currency)}</span>
      ),
    },
    {
      key: 'state',
      title: text('invoices.state'),
      maxWidth: 280,
      render: ({ state, cancelReason }) => (
        <>
          <span className="tag">{text(`invoices.state.${state}`)}</span>
          {cancelReason ? <div className="small">{cancelReason}</div> : null}
        </>
      ),
    },
    {
      key: 'number',
      title: text('invoices.number'),
      render: ({ number, issuedOn }) =>
        number === null ? (
          EN_RULE
        ) : (
          <>
            {number}
            <div className="small secondary">{issuedOn ? dayText(issuedOn) : null}</div>
          </>
        ),
    },
    {
      key: 'email',
      title: text('invoices.email'),
      maxWidth: 240,
      render: ({ email }) => email,
    },
    {
      key: 'address',
      title: text('invoices.address'),
      offered: true,
      maxWidth: 320,
      render: ({ address }) => address,
    },
    {
      key: 'orders',
      title: text('invoices.orders'),
      offered: true,
      maxWidth: 320,
      render: ({ orders }) => <span className="secondary">{orders.join(' ')}</span>,
    },
    {
      key: 'organization',
      title: text('invoices.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'requestedBy',
      title: text('invoices.requested-by'),
      offered: true,
      render: ({ requestedBy }) => requestedBy,
    },
  ];
}

/** List of the requested invoices; the operator notes the number and the date of those that are issued, and cancels them. */
export function InvoiceList() {
  const viewer = useViewer();
  const { text } = viewer;
  const mayIssue = usePermission('recharge-records:issue');
  const changes = useBillingChanges();
  const [issued, setIssued] = useState<Invoice | null>(null);
  const [cancelled, setCancelled] = useState<Invoice | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['state'],
        label: text('invoices.state'),
        options: INVOICE_STATES.map((value) => ({ value, label: text(`invoices.state.${value}`) })),
      },
    ],
    [text],
  );
  return (
    <>
      <ListPage
        embedded
        name="recharge-invoices"
        title={text('invoices.title')}
        purpose={text('invoices.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ title }) => title}
        searchLabel={text('invoices.search')}
        defaultSort={{ sort: 'requestedAt', order: 'desc' }}
        filters={filters}
        exporting={exportInvoices}
        rowActions={(invoice) =>
          mayIssue && invoice.state !== 'cancelled'
            ? [
                ...(invoice.state === 'requested'
                  ? [{ key: 'issue', label: text('invoices.issue'), onClick: () => setIssued(invoice) }]
                  : []),
                {
                  key: 'cancel',
                  danger: true,
                  label: text('invoices.cancel'),
                  onClick: () => setCancelled(invoice),
                },
              ]
            : []
        }
        empty={{ title: text('invoices.empty'), reason: text('invoices.empty-reason') }}
      />
      {issued ? <Issue invoice={issued} onClose={() => setIssued(null)} /> : null}
      {cancelled ? (
        <ConfirmWithReason
          weight="reason"
          title={text('invoices.cancel.title')}
          confirmLabel={text('invoices.cancel')}
          grave
          onConfirm={async (reason) => {
            await changes.cancelInvoice(cancelled.id, reason);
            toast('success', text('invoices.cancelled'));
          }}
          onClose={() => setCancelled(null)}
        >
          <p>{`${cancelled.title} · ${money(viewer.language, cancelled.amountMinor, cancelled.currency)}`}</p>
          <p>{text('invoices.cancel.means')}</p>
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function Issue({ invoice, onClose }: { invoice: Invoice; onClose: () => void }) {
  const { text, zone, language } = useViewer();
  const changes = useBillingChanges();
  const { id, title, taxNumber, address, email, amountMinor, currency } = invoice;
  return (
    <FormDrawer
      title={text('invoices.issue')}
      submitLabel={text('invoices.issue')}
      schema={issueInvoice.body}
      initial={{ issuedOn: dayIn(zone, Date.now()) }}
      submit={(values) => changes.issueInvoice(id, values)}
      success={text('invoices.issued')}
      onClose={onClose}
    >
      <FormSection>
        <dl className="facts">
          {[
            [text('invoices.payer'), title],
            [text('invoices.tax-number'), taxNumber],
            [text('invoices.address'), address],
            [text('invoices.email'), email],
            [text('invoices.amount'), money(language, amountMinor, currency)],
          ].map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <TextField name="number" label={text('invoices.number')} />
        <DateField name="issuedOn" label={text('invoices.issued-on')} />
      </FormSection>
    </FormDrawer>
  );
}
