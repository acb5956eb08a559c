import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { celsius } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** Events that other systems sent about a waybill. */
export function WaybillEvents({ waybill }: { waybill: WaybillDetail }) {
  const { text, time } = useViewer();
  if (waybill.events.length === 0) return null;
  return (
    <section className="panel waybill-section">
      <h2>{text('waybills.events')}</h2>
      <ol className="waybill-custody">
        {waybill.events.map((event) => (
          <li key={event.id}>
            <span className="small tertiary number">{time(event.at, 'date-time')}</span>
            <div className="strong">
              {[
                event.bizStep || text('waybills.event.observed'),
                event.isStep ? text('waybills.event.step') : '',
              ]
                .filter(Boolean)
                .join(' · ')}
            </div>
            {event.temperatures ? (
              <div className="secondary number">
                {text('waybills.event.temperatures', {
                  min: celsius(event.temperatures.min),
                  max: celsius(event.temperatures.max),
                })}
              </div>
            ) : null}
            {event.place ? <div className="small secondary waybill-event-place">{event.place}</div> : null}
            <div className="small tertiary">{text('waybills.custody.by', { username: event.username })}</div>
          </li>
        ))}
      </ol>
    </section>
  );
}
