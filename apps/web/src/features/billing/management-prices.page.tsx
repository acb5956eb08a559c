import { listPackages, packageInput, type RechargePackage } from '@isotherm/contracts/billing';
import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import { useMemo, useState } from 'react';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { PageTabs } from '../../shared/ui/detail-page.tsx';
import { SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { rowsOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { BILLING_KEY, useBillingChanges } from './billing.queries.ts';
import { money, unitPrice } from './money.ts';
import { RenewalPriceList } from './renewals/renewal-prices.tsx';

const EDIT = 'management-prices:edit';
const KEY = [...BILLING_KEY, 'packages', 'all'] as const;
const source = rowsOf<RechargePackage>(listPackages as never, {
  access: 'management-prices:view',
  matches: ({ commodity, currency }, search) => `${commodity} ${currency.toLowerCase()}`.includes(search),
  compare: {
    units: (a, b) => a.units - b.units,
    amount: (a, b) => a.amountMinor - b.amountMinor,
    commodity: (a, b) => a.commodity.localeCompare(b.commodity) || a.units - b.units,
  },
});

function columnsFor({ text, language }: Viewer): ListColumn<RechargePackage>[] {
  return [
    {
      key: 'commodity',
      title: text('billing.commodity'),
      pinned: true,
      sortable: true,
      render: ({ commodity }) => text(`billing.commodity.${commodity}`),
    },
    {
      key: 'units',
      title: text('billing.units'),
      sortable: true,
      align: 'end',
      render: ({ units }) => <span className="number">{integer(language, units)}</span>,
    },
    {
      key: 'amount',
      title: text('billing.amount'),
      sortable: true,
      align: 'end',
      render: ({ amountMinor, currency }) => (
        <span className="number">{money(language, amountMinor, currency)}</span>
      ),
    },
    {
      key: 'each',
      title: text('billing.order.unit-price'),
      align: 'end',
      render: ({ amountMinor, units, currency }) => (
        <span className="number secondary">{unitPrice(language, amountMinor, units, currency)}</span>
      ),
    },
  ];
}

/** What the platform sells, for its operator: packages of prepaid units, and years of device subscriptions. */
export default function ManagementPricesPage() {
  const { text } = useViewer();
  return (
    <div className="page">
      <PageHead title={text('menu.management-prices')} purpose={text('billing.prices.purpose')} />
      <PageTabs
        tabs={[
          { key: 'packages', label: text('renewals.prices.packages'), content: () => <PackageList /> },
          { key: 'renewals', label: text('renewals.prices'), content: () => <RenewalPriceList /> },
        ]}
      />
    </div>
  );
}

function PackageList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useBillingChanges();
  const [doomed, setDoomed] = useState<RechargePackage | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const create = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('billing.prices.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="management-prices"
        title={text('renewals.prices.packages')}
        purpose={text('billing.prices.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ units, commodity }) => `${units} ${text(`billing.commodity.${commodity}`)}`}
        searchLabel={text('billing.currency')}
        defaultSort={{ sort: 'commodity', order: 'asc' }}
        actions={create}
        rowActions={(offer) => [
          {
            key: 'withdraw',
            danger: true,
            label: text('billing.prices.withdraw'),
            onClick: () => setDoomed(offer),
          },
        ]}
        empty={{
          title: text('billing.package.none'),
          reason: text('billing.package.none-reason'),
          action: create,
        }}
      />
      {params.get('new') ? <PackageForm onClose={() => change({ new: null })} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          title={text('billing.prices.withdraw.title')}
          confirmLabel={text('billing.prices.withdraw')}
          grave
          onConfirm={async (reason) => {
            await changes.withdrawPackage(doomed.id, reason);
            toast('success', text('billing.prices.withdrawn'));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('billing.prices.withdraw.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function PackageForm({ onClose }: { onClose: () => void }) {
  const { text } = useViewer();
  const changes = useBillingChanges();
  return (
    <FormDrawer
      title={text('billing.prices.create')}
      submitLabel={text('billing.prices.create')}
      schema={packageInput}
      initial={{ commodity: 'sms', currency: 'CNY' }}
      submit={(values) => changes.addPackage(values)}
      success={text('billing.prices.created')}
      faultFields={{ 'billing.package_taken': 'units', 'billing.price': 'price' }}
      onClose={onClose}
    >
      <FormSection title={text('billing.package.choose')}>
        <SelectField
          name="commodity"
          label={text('billing.commodity')}
          options={COMMODITIES.map((value) => ({ value, label: text(`billing.commodity.${value}`) }))}
        />
        <NumberField name="units" label={text('billing.units')} />
        <NumberField
          name="price"
          label={text('billing.prices.price')}
          help={text('billing.prices.price.help')}
        />
        <TextField name="currency" label={text('billing.currency')} help={text('billing.currency.help')} />
      </FormSection>
    </FormDrawer>
  );
}
