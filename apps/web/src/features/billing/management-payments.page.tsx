import {
  listPaymentProviders,
  type PaymentProviderView,
  testPaymentProvider,
} from '@isotherm/contracts/payment-providers';
import { useMemo } from 'react';
import { call } from '../../shared/api/client.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { rowsOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { PaymentProviderForm } from './payment-provider-form.tsx';
import { PAYMENT_PROVIDERS_KEY, usePaymentProviderChanges } from './payment-providers.queries.ts';

const source = rowsOf<PaymentProviderView>(listPaymentProviders, {
  access: 'management-payments:view',
  matches: ({ name, url }, search) => `${name} ${url}`.toLowerCase().includes(search),
  compare: { name: (a, b) => a.name.localeCompare(b.name) },
});

function columnsFor({ text, time }: Viewer): ListColumn<PaymentProviderView>[] {
  return [
    {
      key: 'name',
      title: text('payments.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => <span className="strong">{name}</span>,
    },
    { key: 'kind', title: text('payments.kind'), render: ({ kind }) => text(`payments.kind.${kind}`) },
    {
      key: 'enabled',
      title: text('payments.state'),
      render: ({ enabled }) => (
        <span className="tag">{text(enabled ? 'payments.state.enabled' : 'payments.state.disabled')}</span>
      ),
    },
    {
      key: 'merchant',
      title: text('payments.merchant-id'),
      render: ({ merchantId, appId }) => <span className="secondary">{merchantId || appId}</span>,
    },
    { key: 'url', title: text('payments.url'), maxWidth: 320, render: ({ url }) => <code>{url}</code> },
    {
      key: 'changedAt',
      title: text('payments.changed'),
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the merchant accounts through which balances are recharged, for the operator of the platform. */
export default function ManagementPaymentsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = usePaymentProviderChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  async function test({ id, name }: PaymentProviderView) {
    try {
      const { ok, detail } = await call(testPaymentProvider, { params: { id }, quiet: true });
      toast(
        ok ? 'success' : 'failure',
        text(ok ? 'payments.test.ok' : 'payments.test.failed', { name, detail }),
      );
    } catch (error) {
      toast('failure', (error as Error).message);
    }
  }
  return (
    <RecordList
      name="management-payments"
      title={text('menu.management-payments')}
      purpose={text('payments.purpose')}
      permission="management-payments:edit"
      param="provider"
      source={source}
      queryKey={PAYMENT_PROVIDERS_KEY}
      columns={columns}
      nameOf={({ name }) => name}
      searchLabel={text('payments.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('payments.create'),
        edit: text('payments.edit'),
        remove: text('payments.delete'),
      }}
      moreRowActions={(item) => [
        { key: 'test', label: text('payments.test'), onClick: () => void test(item) },
      ]}
      empty={{ title: text('payments.empty'), reason: text('payments.empty-reason') }}
      form={(provider, close) => <PaymentProviderForm provider={provider} onClose={close} />}
      removal={{
        title: (name) => text('payments.delete.title', { name }),
        means: () => text('payments.delete.means'),
        done: (name) => text('payments.deleted', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
