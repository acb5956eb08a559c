import '../links/shipment.css';
import './trips.css';
import type { ListedTrip } from '@isotherm/contracts/waybill-trips';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { goodsWords, WaybillTags } from '../waybills/waybill-words.tsx';
import { useOutbox } from './handover-outbox.ts';
import { HandoverState } from './handover-state.tsx';
import { tripQuery, tripsQuery } from './trips.queries.ts';

/** Trips under way that are read in advance, for a place without a connection. */
const READ_AHEAD = 5;

/** Page of trips on a phone: what waits to be sent, what is under way, what is planned. */
export default function TripsPage() {
  const { text } = useViewer();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(tripsQuery);
  const unsent = useOutbox(({ entries }) => entries).filter(({ state }) => state !== 'sent');
  useEffect(() => {
    const next = (data ?? []).filter(({ kinds }) => kinds.length > 0).slice(0, READ_AHEAD);
    for (const { id } of next) void queries.prefetchQuery({ ...tripQuery(id), staleTime: 60_000 });
  }, [data, queries]);
  return (
    <div className="page trip-list">
      <PageHead title={text('menu.waybill-trips')} purpose={text('trips.purpose')} />
      {unsent.map((entry) => (
        <div key={entry.key}>
          <Link to={`/waybill/trips/${entry.waybillId}`}>{entry.number}</Link>
          <HandoverState entry={entry} />
        </div>
      ))}
      {data ? (
        <Trips trips={data} />
      ) : error ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </div>
  );
}

function Trips({ trips }: { trips: readonly ListedTrip[] }) {
  const { text, time } = useViewer();
  if (trips.length === 0)
    return (
      <Notice icon="vehicle" title={text('trips.empty')}>
        {text('trips.empty.reason')}
      </Notice>
    );
  return (
    <ul className="trip-cards">
      {trips.map((trip) => (
        <li key={trip.id}>
          <Link className="panel trip-card" to={`/waybill/trips/${trip.id}`}>
            <span className="row">
              <strong>{trip.number}</strong>
              <span className="end">
                <WaybillTags waybill={trip} />
              </span>
            </span>
            <span>{`${trip.consignorUnit} → ${trip.consigneeUnit}`}</span>
            <span className="small secondary">{trip.consigneeAddress}</span>
            <span className="small tertiary">
              {[
                trip.tour === '' ? '' : text('trips.stop', { tour: trip.tour, stop: trip.stop ?? EN_RULE }),
                trip.state === 'not-shipped'
                  ? `${text('waybills.planned-departure')} ${time(trip.plannedDepartureAt, 'date-time')}`
                  : trip.endedAt !== null
                    ? `${text('waybills.ended')} ${time(trip.endedAt, 'date-time')}`
                    : trip.plannedDeliveryAt !== null
                      ? `${text('waybills.planned-delivery')} ${time(trip.plannedDeliveryAt, 'date-time')}`
                      : '',
                trip.assetName,
                goodsWords(trip.goods),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
