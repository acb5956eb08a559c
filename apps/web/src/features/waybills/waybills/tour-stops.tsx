import './tour-stops.css';
import type { TourView } from '@isotherm/contracts/waybills';
import { openBefore } from '@isotherm/domain/waybills/tour-stops';
import { Link } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** The stops of a tour in their order: what was delivered, which one is next, and which one this is. */
export function TourStops({
  tour: { stops },
  id,
  to,
}: {
  tour: TourView;
  /** The waybill that is shown. */
  id: number;
  /** Address of the pages of waybills. */
  to: string;
}) {
  const { text, time } = useViewer();
  const own = stops.find((stop) => stop.id === id);
  const before = openBefore(
    stops.map((each) => ({
      ...each,
      plannedAt: each.plannedDeliveryAt === null ? null : Date.parse(each.plannedDeliveryAt),
    })),
    id,
  );
  const done = stops.filter(({ is }) => is === 'done').length;
  return (
    <>
      <p className="secondary">{text('waybills.tour.done', { done, count: stops.length })}</p>
      {own?.state === 'in-transport' && before.length > 0 ? (
        <p className="strong" role="status">
          {text('waybills.tour.before', { numbers: before.map(({ number }) => number).join(', ') })}
        </p>
      ) : null}
      <ol className="tour-stops">
        {stops.map((stop) => (
          <li key={stop.id} aria-current={stop.id === id ? 'true' : undefined}>
            <span className="tour-stop-number number">{stop.stop ?? EN_RULE}</span>
            <span className="tour-stop-place">
              {stop.id === id ? (
                <strong>{stop.number}</strong>
              ) : (
                <Link to={`${to}/${stop.id}`}>{stop.number}</Link>
              )}{' '}
              <span className="tag">{text(`waybills.stop.${stop.is}`)}</span>{' '}
              {stop.isPart ? <span className="tag">{text('waybills.stop.part')}</span> : null}
              <span className="tour-stop-line">{stop.consigneeUnit}</span>
              <span className="tour-stop-line small tertiary">
                {stop.endedAt !== null
                  ? `${text(`waybills.state.${stop.state}`)} ${time(stop.endedAt, 'date-time')}`
                  : stop.plannedDeliveryAt !== null
                    ? `${text('waybills.planned-delivery')} ${time(stop.plannedDeliveryAt, 'date-time')}`
                    : stop.consigneeAddress}
              </span>
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
