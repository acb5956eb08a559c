import './billing.css';
import {
  type LedgerEntry,
  listBalances,
  listLedger,
  type OrganizationBalance,
} from '@isotherm/contracts/billing';
import { COMMODITIES, type Commodity } from '@isotherm/domain/billing/ledger';
import Drawer from 'antd/es/drawer';
import Segmented from 'antd/es/segmented';
import { useMemo, useState } from 'react';
import { z } from 'zod';
import { usePermission } from '../../shared/access/permissions.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { FocusReturn } from '../../shared/ui/focus-return.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField } from '../../shared/ui/form/text-fields.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { BILLING_KEY, useBillingChanges } from './billing.queries.ts';

const source = pagesOf(listBalances);
const entries = pagesOf(listLedger);
const KEY = [...BILLING_KEY, 'accounts'] as const;
const overdraftInput = z.strictObject({ units: z.number().int().min(0).max(10_000) });

function columnsFor({ text, language }: Viewer): ListColumn<OrganizationBalance>[] {
  return [
    {
      key: 'name',
      title: text('billing.organization'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ organizationName }) => <span className="strong">{organizationName}</span>,
    },
    {
      key: 'payer',
      title: text('billing.balances.payer'),
      maxWidth: 240,
      render: ({ payerId, organizationId, payerName }) =>
        payerId === organizationId ? (
          text('billing.balances.own')
        ) : (
          <span className="secondary">{payerName}</span>
        ),
    },
    ...COMMODITIES.map(
      (commodity): ListColumn<OrganizationBalance> => ({
        key: commodity,
        title: text(`billing.commodity.${commodity}`),
        sortable: true,
        align: 'end',
        // The balance of another payer is shown greyed, because it is not the organisation's own.
        render: (row) => (
          <span className={row.payerId === row.organizationId ? 'number strong' : 'number tertiary'}>
            {integer(language, row[commodity])}
          </span>
        ),
      }),
    ),
    {
      key: 'overdraft',
      title: text('billing.balances.overdraft'),
      align: 'end',
      render: ({ overdraft }) =>
        overdraft > 0 ? <span className="number">{integer(language, overdraft)}</span> : null,
    },
  ];
}

/** List of the balances of organisations, with their payers and the ledger of each. */
export default function ManagementBalancePage() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useBillingChanges();
  const mayEdit = usePermission('management-balance:edit');
  const mayOverdraw = usePermission('management-balance:overdraft');
  const [settled, setSettled] = useState<OrganizationBalance | null>(null);
  const [overdrawn, setOverdrawn] = useState<OrganizationBalance | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const opened = Number(params.get('ledger')) || null;
  return (
    <>
      <ListPage
        name="management-balance"
        title={text('menu.management-balance')}
        purpose={text('billing.balances.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ organizationId }) => organizationId}
        rowName={({ organizationName }) => organizationName}
        searchLabel={text('billing.balances.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        onOpen={({ organizationId }) => change({ ledger: organizationId }, 'push')}
        rowActions={(row) => [
          {
            key: 'ledger',
            label: text('billing.balances.ledger'),
            onClick: () => change({ ledger: row.organizationId }, 'push'),
          },
          ...(mayEdit
            ? [
                {
                  key: 'settlement',
                  label: text(row.independent ? 'billing.balances.shared' : 'billing.balances.independent'),
                  onClick: () => setSettled(row),
                },
              ]
            : []),
          ...(mayOverdraw && row.payerId === row.organizationId
            ? [
                {
                  key: 'overdraft',
                  label: text('billing.balances.overdraft.set'),
                  onClick: () => setOverdrawn(row),
                },
              ]
            : []),
        ]}
        empty={{ title: text('billing.balances.empty'), reason: text('billing.balances.empty-reason') }}
      />
      {opened ? <LedgerDrawer organizationId={opened} onClose={() => change({ ledger: null })} /> : null}
      {settled ? (
        <ConfirmWithReason
          weight="plain"
          title={text(
            settled.independent ? 'billing.balances.shared.title' : 'billing.balances.independent.title',
            { name: settled.organizationName },
          )}
          confirmLabel={text(
            settled.independent ? 'billing.balances.shared' : 'billing.balances.independent',
          )}
          onConfirm={async () => {
            await changes.setSettlement(settled.organizationId, { independent: !settled.independent });
            toast('success', text('billing.balances.saved'));
          }}
          onClose={() => setSettled(null)}
        >
          {text(settled.independent ? 'billing.balances.shared.means' : 'billing.balances.independent.means')}
        </ConfirmWithReason>
      ) : null}
      {overdrawn ? (
        <FormDrawer
          title={text('billing.balances.overdraft.set')}
          submitLabel={text('common.action.save')}
          schema={overdraftInput}
          initial={{ units: overdrawn.overdraft }}
          submit={(values) => changes.setOverdraft(overdrawn.organizationId, values)}
          success={text('billing.balances.saved')}
          onClose={() => setOverdrawn(null)}
        >
          <FormSection title={overdrawn.organizationName}>
            <NumberField
              name="units"
              label={text('billing.balances.overdraft')}
              help={text('billing.balances.overdraft.help')}
            />
          </FormSection>
        </FormDrawer>
      ) : null}
    </>
  );
}

function ledgerColumns({ text, time, language }: Viewer): ListColumn<LedgerEntry>[] {
  const signed = new Intl.NumberFormat(language, { signDisplay: 'always' });
  return [
    {
      key: 'at',
      title: text('billing.ledger.at'),
      pinned: true,
      render: ({ at }) => <span className="number">{time(at, 'date-time')}</span>,
    },
    {
      key: 'kind',
      title: text('billing.ledger.kind'),
      render: ({ kind, cause }) => (
        <>
          {text(`billing.ledger.kind.${kind}`)}
          <div className="small tertiary">{text(`billing.ledger.cause.${cause.kind}`, { id: cause.id })}</div>
        </>
      ),
    },
    {
      key: 'change',
      title: text('billing.ledger.change'),
      align: 'end',
      render: ({ change }) => <span className="number">{signed.format(change)}</span>,
    },
    {
      key: 'balance',
      title: text('billing.ledger.balance'),
      align: 'end',
      render: ({ balance }) => <span className="number strong">{integer(language, balance)}</span>,
    },
    { key: 'createdBy', title: text('billing.ledger.by'), render: ({ createdBy }) => createdBy },
  ];
}

/** Drawer with the entries that changed the balance which pays for an organisation. */
function LedgerDrawer({ organizationId, onClose }: { organizationId: number; onClose: () => void }) {
  const viewer = useViewer();
  const { text } = viewer;
  const [commodity, setCommodity] = useState<Commodity>('sms');
  const columns = useMemo(() => ledgerColumns(viewer), [viewer]);
  const fixed = useMemo(
    () => ({ organizationId: String(organizationId), commodity }),
    [organizationId, commodity],
  );
  return (
    <>
      <FocusReturn />
      <Drawer
        open
        size={720}
        closable={{ placement: 'end' }}
        title={text('billing.balances.ledger')}
        onClose={onClose}
      >
        <ListPage
          embedded
          name="billing-ledger"
          title={text('billing.balances.ledger')}
          purpose={text('billing.balances.purpose')}
          source={entries}
          queryKey={[...BILLING_KEY, 'ledger']}
          columns={columns}
          fixed={fixed}
          rowKey={({ id }) => id}
          rowName={({ id }) => String(id)}
          searchLabel={text('billing.balances.search')}
          defaultSort={{ sort: 'at', order: 'desc' }}
          actions={
            <Segmented
              aria-label={text('billing.commodity')}
              value={commodity}
              options={COMMODITIES.map((value) => ({ value, label: text(`billing.commodity.${value}`) }))}
              onChange={setCommodity}
            />
          }
          empty={{ title: text('billing.ledger.empty'), reason: text('billing.ledger.empty-reason') }}
        />
      </Drawer>
    </>
  );
}
