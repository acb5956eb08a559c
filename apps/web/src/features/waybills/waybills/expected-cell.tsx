import type { Waybill } from '@isotherm/contracts/waybills';
import { useQuery } from '@tanstack/react-query';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { expectedQuery } from './waybills.queries.ts';

/** Estimated arrival of a shipment under way that has a destination; for others a dash. */
export function ExpectedCell({ waybill }: { waybill: Waybill }) {
  const { text, time } = useViewer();
  const isExpected = waybill.state === 'in-transport' && waybill.arrivalFenceIds.length > 0;
  const { data } = useQuery({ ...expectedQuery(waybill.id), enabled: isExpected });
  if (!isExpected || !data) return <span className="number">{EN_RULE}</span>;
  if (data.at === null)
    return (
      <span className="tertiary">
        {text(data.state === 'standing' ? 'waybills.arrival.standing.short' : 'waybills.arrival.unknown')}
      </span>
    );
  return (
    <span className="number">
      {time(data.at, 'date-time')}{' '}
      {data.isLate ? <span className="tag">{text('waybills.arrival.late')}</span> : null}
    </span>
  );
}
