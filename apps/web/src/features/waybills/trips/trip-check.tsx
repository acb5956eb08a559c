import type { Trip } from '@isotherm/contracts/waybill-trips';
import type { HandoverKind } from '@isotherm/domain/waybills/handover';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { celsius, EN_RULE, zoneWords } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Button, buttonClass } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ShipmentCurve } from '../links/shipment-curve.tsx';
import { PreCoolState } from '../waybills/pre-cool-state.tsx';
import { TourStops } from '../waybills/tour-stops.tsx';
import { goodsWords, WaybillTags } from '../waybills/waybill-words.tsx';
import { TripFrame } from './trip-frame.tsx';
import type { ReadTrip } from './trips.queries.ts';

/** First step of a hand-over: what is handed over, and its temperature record so far. */
export function TripCheck({
  read: { trip, copiedAt },
  note,
  onBack,
  onKind,
}: {
  read: ReadTrip;
  /** What waits in this browser. */
  note: ReactNode;
  onBack: () => void;
  onKind: (kind: HandoverKind) => void;
}) {
  const { text, time } = useViewer();
  const seesWaybill = usePermission('waybill-list:view');
  const [first, ...others] = trip.kinds;
  return (
    <TripFrame
      title={text('menu.waybill-handover')}
      step={1}
      onBack={onBack}
      actions={
        first ? (
          <>
            {others.map((kind) => (
              <Button key={kind} onClick={() => onKind(kind)}>
                {text(kind === 'reject' ? 'trips.reject' : 'waybills.action.transship')}
              </Button>
            ))}
            <Button variant="primary" className="grow" onClick={() => onKind(first)}>
              {text(first === 'deliver' && trip.state === 'in-transport' ? 'trips.continue' : BEGIN[first])}
            </Button>
          </>
        ) : null
      }
    >
      {copiedAt === null ? null : (
        <p className="trip-stale" role="status">
          <span>{text('trips.loading.offline', { time: time(copiedAt, 'date-time') })}</span>
        </p>
      )}
      {note}
      <section className="panel trip-panel">
        <div className="row">
          <strong className="trip-number">{trip.number}</strong>
          <span className="end">
            <WaybillTags waybill={trip} />
          </span>
        </div>
        <Place unit={trip.consignorUnit} address={trip.consignorAddress} />
        <div className="trip-to">
          <Icon name="right" small />
          <Place unit={trip.consigneeUnit} address={trip.consigneeAddress} />
        </div>
        {trip.consigneePhone ? (
          <a className="trip-call" href={`tel:${trip.consigneePhone}`}>
            {[trip.consigneeContact, trip.consigneePhone].filter(Boolean).join(' ')}
          </a>
        ) : null}
        <p className="small tertiary">{goodsWords(trip.goods)}</p>
        {trip.signed ? (
          <p className="secondary">
            {text('trips.signed', {
              person: trip.signed.takenBy,
              time: time(trip.signed.at, 'date-time'),
            })}
          </p>
        ) : null}
      </section>
      {trip.stops ? (
        <section className="panel trip-panel">
          <h2>{text('waybills.tour.of', { number: trip.stops.number })}</h2>
          <TourStops tour={trip.stops} id={trip.id} to="/waybill/trips" />
        </section>
      ) : null}
      {trip.preCool ? (
        <section className="panel trip-panel">
          <h2>{text('waybills.pre-cool')}</h2>
          <PreCoolState preCool={trip.preCool} hasDeparted={trip.departedAt !== null} />
        </section>
      ) : null}
      <section className="panel trip-panel">
        <h2>{text('trips.record')}</h2>
        {trip.record ? (
          <Record trip={trip} record={trip.record} />
        ) : (
          <p className="secondary">{text('waybills.record.none')}</p>
        )}
        <Facts rows={factsOf(trip, { text, time })} />
      </section>
      {seesWaybill ? (
        <Link className={buttonClass({ variant: 'quiet' })} to={`/waybill/list/${trip.id}`}>
          {text('trips.open-waybill')}
        </Link>
      ) : null}
    </TripFrame>
  );
}

const BEGIN = {
  depart: 'waybills.action.depart',
  transship: 'waybills.action.transship',
  deliver: 'trips.sign',
  reject: 'trips.sign',
} as const satisfies Record<HandoverKind, string>;

function Place({ unit, address }: { unit: string; address: string }) {
  return (
    <span>
      {unit}
      {address ? <span className="small tertiary trip-address">{address}</span> : null}
    </span>
  );
}

function Record({ trip, record }: { trip: Trip; record: NonNullable<Trip['record']> }) {
  const { text, time } = useViewer();
  const [at, value] = record.curve.at(-1)?.at(-1) ?? [];
  if (at === undefined || value === undefined)
    return <p className="secondary">{text('trips.no-readings')}</p>;
  const now = value > trip.high ? 'above' : value < trip.low ? 'below' : 'inside';
  return (
    <>
      <p className="trip-now">
        <bdi dir="ltr" className="trip-value number">
          {celsius(value)}
        </bdi>
        <span className={now === 'inside' ? 'secondary' : 'strong'}>{text(`trips.now.${now}`)}</span>
        <span className="small tertiary">{text('trips.now.at', { time: time(at, 'date-time') })}</span>
      </p>
      <p>
        <span className="strong">{text(`waybills.proposal.${record.verdict.proposal}`)}</span>{' '}
        {trip.endedAt === null ? <span className="tag">{text('waybills.verdict.so-far')}</span> : null}
      </p>
      <ShipmentCurve record={record} low={trip.low} high={trip.high} />
    </>
  );
}

/** Rows of a label and a value. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="trip-facts">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(
  { record, low, high, ...trip }: Trip,
  { text, time }: Pick<Viewer, 'text' | 'time'>,
): (readonly [string, string])[] {
  const degrees = (value: number | null) => (value === null ? EN_RULE : celsius(value));
  const duration = (ms: number) => formatDuration(ms, text);
  const verdict = record?.verdict;
  return [
    [text('waybills.limits'), zoneWords({ zoneMin: low, zoneMax: high })],
    ...(verdict
      ? [
          [
            text('waybills.lowest-highest'),
            [verdict.min, verdict.max].map((value) => degrees(value)).join(', '),
          ] as const,
          [text('waybills.outside'), duration(verdict.outsideMs)] as const,
          [text('waybills.excursions'), String(verdict.excursions.length)] as const,
          ...verdict.bands.map(
            (band) =>
              [
                text('trips.budget'),
                text('waybills.band.used', {
                  used: duration(band.usedMs),
                  allowed: duration(band.allowedMs),
                }),
              ] as const,
          ),
          [
            text('waybills.coverage'),
            text('waybills.coverage.gaps', {
              share: shareWords(verdict.coverage),
              count: verdict.gaps.length,
            }),
          ] as const,
        ]
      : []),
    [text('waybills.step.asset'), trip.assetName],
    ...(trip.deviceNumbers.length === 0
      ? []
      : [[text('waybills.trip-devices'), trip.deviceNumbers.join(', ')] as const]),
    ...(trip.driverName === null ? [] : [[text('waybills.driver'), trip.driverName] as const]),
    [text('waybills.planned-departure'), time(trip.plannedDepartureAt, 'date-time')],
    [
      text('waybills.planned-delivery'),
      trip.plannedDeliveryAt === null ? EN_RULE : time(trip.plannedDeliveryAt, 'date-time'),
    ],
    ...(trip.note === '' ? [] : [[text('waybills.note'), trip.note] as const]),
  ];
}
