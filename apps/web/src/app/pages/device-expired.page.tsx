import type { RenewalSelection } from '@isotherm/contracts/renewal-orders';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { orderQuery } from '../../features/billing/billing.queries.ts';
import { PaymentPanel } from '../../features/billing/payment-panel.tsx';
import { RenewalOrder } from '../../features/billing/renewals/renewal-order.tsx';
import { ExpiredList } from '../../features/devices/registry/expired-list.tsx';
import { DEVICES_KEY } from '../../features/devices/registry/registry.queries.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { RenewalNote } from '../../shared/renewal/renewal-note.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';

/** Page of the devices that must be renewed; their renewal is ordered and paid here. */
export default function DeviceExpiredPage() {
  const [params, change] = useUrlState();
  const [asked, setAsked] = useState<RenewalSelection | null>(null);
  const orderId = Number(params.get('order')) || null;
  if (orderId !== null) return <Payment orderId={orderId} onAnother={() => change({ order: null })} />;
  return (
    <>
      <ExpiredList onOrder={setAsked} />
      {asked ? (
        <RenewalOrder
          devices={asked}
          onOrdered={({ id }) => {
            setAsked(null);
            change({ order: id }, 'push');
          }}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </>
  );
}

function Payment({ orderId, onAnother }: { orderId: number; onAnother: () => void }) {
  const { text } = useText();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(orderQuery(orderId));
  const state = data?.state;
  // The devices have another expiry once the order is paid.
  useEffect(() => {
    if (state === 'success') void queries.invalidateQueries({ queryKey: DEVICES_KEY });
  }, [state, queries]);
  return (
    <div className="page">
      <PageHead title={text('menu.device-expired')} purpose={text('devices.expired.purpose')} />
      <RenewalNote />
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? <PaymentPanel order={data} onAnother={onAnother} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
    </div>
  );
}
