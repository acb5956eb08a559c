import './waybills.css';
import type { ArrivalView } from '@isotherm/contracts/waybills';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { formatSetting } from '../../../shared/format/duration.ts';
import { celsius, fixed } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { arrivalQuery } from './waybills.queries.ts';

/** Estimated arrival of a shipment under way, and whether its stability budget lasts until then. */
export function ArrivalPanel({ id }: { id: number }) {
  const { text } = useViewer();
  const { data, error, refetch } = useQuery(arrivalQuery(id));
  return (
    <section className="panel waybill-section">
      <h2>{text('waybills.arrival')}</h2>
      {data ? (
        <Arrival arrival={data} />
      ) : error ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : (
        <div className="skeleton" style={{ height: 96 }} />
      )}
    </section>
  );
}

/** The arrival with the forecast, or why it is not known. */
export function Arrival({ arrival }: { arrival: ArrivalView }) {
  const { text, time } = useViewer();
  const { state, at, distanceM, by, stopsBefore, positionAt, isLate, forecast } = arrival;
  return (
    <>
      {at === null ? (
        <p className="secondary">
          {text(`waybills.arrival.${state === 'known' ? 'no-position' : state}`, {
            time: positionAt === null ? '' : time(positionAt, 'date-time'),
          })}
        </p>
      ) : (
        <p>
          <strong className="number">{time(at, 'date-time')}</strong>{' '}
          {isLate ? <span className="tag">{text('waybills.arrival.late')}</span> : null}
        </p>
      )}
      {distanceM !== null && by !== null ? (
        <p className="secondary">
          {text(`waybills.arrival.by.${by}`, {
            distance: fixed(distanceM / 1_000, distanceM < 10_000 ? 1 : 0),
          })}
          {stopsBefore > 0 ? ` · ${text('waybills.arrival.stops', { count: stopsBefore })}` : ''}
        </p>
      ) : null}
      {forecast ? (
        <>
          <p className={forecast.lasts ? '' : 'strong'}>
            {forecast.lasts
              ? forecast.lastsUntil === null
                ? text('waybills.arrival.lasts')
                : text('waybills.arrival.lasts.until', { time: time(forecast.lastsUntil, 'date-time') })
              : text('waybills.arrival.exceeded', {
                  time: forecast.lastsUntil === null ? '' : time(forecast.lastsUntil, 'date-time'),
                })}
          </p>
          <p className="secondary">
            {text('waybills.arrival.temperature', { value: celsius(forecast.temperatureC) })}
            {forecast.bands
              .filter(({ allowedMs }) => allowedMs > 0)
              .map(({ usedMs, allowedMs }) =>
                text('waybills.arrival.budget', {
                  used: formatDuration(usedMs, text),
                  allowed: formatSetting(allowedMs, text),
                }),
              )
              .map((words) => ` · ${words}`)
              .join('')}
          </p>
        </>
      ) : null}
      {at === null ? null : (
        <p className="small tertiary">
          {text('waybills.arrival.means', { time: positionAt === null ? '' : time(positionAt, 'time') })}
        </p>
      )}
    </>
  );
}
