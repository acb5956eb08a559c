import {
  createRenewalPrice,
  deleteRenewalPrice,
  listRenewalPrices,
  type RenewalPrice,
  renewalPriceInput,
} from '@isotherm/contracts/renewal-orders';
import { useMemo, useState } from 'react';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { rowsOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { BILLING_KEY } from '../billing.queries.ts';
import { money } from '../money.ts';

const KEY = [...BILLING_KEY, 'renewal-prices'] as const;
const useChanges = crudChanges(BILLING_KEY, { add: createRenewalPrice, withdraw: deleteRenewalPrice });
const source = rowsOf<RenewalPrice>(listRenewalPrices as never, {
  access: 'management-prices:view',
  matches: ({ model, currency }, search) => `${model} ${currency}`.toLowerCase().includes(search),
  compare: {
    model: (a, b) => a.model.localeCompare(b.model) || a.currency.localeCompare(b.currency),
    amount: (a, b) => a.amountMinor - b.amountMinor,
  },
});

function columnsFor({ text, language }: Viewer): ListColumn<RenewalPrice>[] {
  return [
    {
      key: 'model',
      title: text('devices.model'),
      pinned: true,
      sortable: true,
      render: ({ model }) => model || text('renewals.prices.all-models'),
    },
    {
      key: 'amount',
      title: text('renewals.prices.year'),
      sortable: true,
      align: 'end',
      render: ({ amountMinor, currency }) => (
        <span className="number">{money(language, amountMinor, currency)}</span>
      ),
    },
  ];
}

/** List of what a year of a device costs, by model. */
export function RenewalPriceList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useChanges();
  const [doomed, setDoomed] = useState<RenewalPrice | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const create = (
    <PermissionButton
      permission="management-prices:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('renewals.prices.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="renewal-prices"
        title={text('renewals.prices')}
        purpose={text('renewals.prices.purpose')}
        source={source}
        queryKey={KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ model }) => model || text('renewals.prices.all-models')}
        searchLabel={text('devices.model')}
        defaultSort={{ sort: 'model', order: 'asc' }}
        actions={create}
        rowActions={(price) => [
          {
            key: 'withdraw',
            danger: true,
            label: text('billing.prices.withdraw'),
            onClick: () => setDoomed(price),
          },
        ]}
        empty={{
          title: text('renewals.prices.none'),
          reason: text('renewals.prices.none-reason'),
          action: create,
        }}
      />
      {params.get('new') ? (
        <FormDrawer
          title={text('renewals.prices.create')}
          submitLabel={text('renewals.prices.create')}
          schema={renewalPriceInput}
          initial={{ model: '', currency: 'CNY' }}
          submit={(values) => changes.add(values)}
          success={text('renewals.prices.created')}
          faultFields={{ 'billing.renewal_price_taken': 'model', 'billing.price': 'price' }}
          onClose={() => change({ new: null })}
        >
          <FormSection>
            <TextField name="model" label={text('devices.model')} help={text('renewals.prices.model.help')} />
            <NumberField
              name="price"
              label={text('renewals.prices.year')}
              help={text('billing.prices.price.help')}
            />
            <TextField
              name="currency"
              label={text('billing.currency')}
              help={text('billing.currency.help')}
            />
          </FormSection>
        </FormDrawer>
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          title={text('renewals.prices.withdraw.title')}
          confirmLabel={text('billing.prices.withdraw')}
          grave
          onConfirm={async (reason) => {
            await changes.withdraw(doomed.id, reason);
            toast('success', text('renewals.prices.withdrawn'));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('billing.prices.withdraw.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
