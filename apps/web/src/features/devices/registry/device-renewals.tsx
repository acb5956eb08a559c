import './registry.css';
import { listDeviceRenewals } from '@isotherm/contracts/renewal-orders';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { DEVICES_KEY } from './registry.queries.ts';

/** Tab with the renewals of the device, the latest first. */
export function DeviceRenewals({ number }: { number: string }) {
  const { text, time } = useViewer();
  const { data, error, refetch } = useQuery({
    queryKey: [...DEVICES_KEY, 'renewals', number],
    queryFn: ({ signal }) => call(listDeviceRenewals, { params: { number }, signal, quiet: true }),
  });
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton skeleton-body" />;
  if (data.length === 0) return <Notice icon="clock" title={text('renewals.history.empty')} />;
  return (
    <section className="panel device-tab">
      <TableFrame label={text('renewals.history')}>
        <thead>
          <tr>
            <th scope="col">{text('renewals.at')}</th>
            <th scope="col" className="figure">
              {text('renewals.from')}
            </th>
            <th scope="col" className="figure">
              {text('renewals.to')}
            </th>
            <th scope="col">{text('billing.order.number')}</th>
            <th scope="col">{text('renewals.by')}</th>
            <th scope="col">{text('billing.grant.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {data.map((renewal) => (
            <tr key={renewal.id}>
              <td className="number">{time(renewal.renewedAt, 'date-time')}</td>
              <td className="figure">{dayText(renewal.expiredOn)}</td>
              <td className="figure strong">{dayText(renewal.renewedOn)}</td>
              <td className="secondary">{renewal.orderNumber ?? text('renewals.without-payment')}</td>
              <td className="secondary">{renewal.renewedBy}</td>
              <td className="secondary">{renewal.reason}</td>
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}
