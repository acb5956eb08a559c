import './shipment.css';
import { type Shipment, viewShipment } from '@isotherm/contracts/waybill-links';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import { useCallback, useEffect, useState } from 'react';
import { ApiError } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { celsius, EN_RULE, zoneWords } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Arrival } from '../waybills/arrival-panel.tsx';
import { goodsWords, WaybillTags } from '../waybills/waybill-words.tsx';
import { ShipmentCurve } from './shipment-curve.tsx';
import { ShipmentTrack } from './shipment-track.tsx';

const EVERY_MS = 60_000;

/** Page of a public link: one shipment with route, temperatures and verdict so far. It changes nothing. */
export function ShipmentPage({ token }: { token: string }) {
  const { text, time, zone } = useViewer();
  const [shipment, setShipment] = useState<Shipment | null>(null);
  const [shownAt, setShownAt] = useState(0);
  const [failure, setFailure] = useState('');
  const load = useCallback(
    () =>
      call(viewShipment, { body: { token }, quiet: true })
        .then((found) => {
          setShipment(found);
          setShownAt(Date.now());
          setFailure('');
        })
        .catch((error: Error) => {
          // A link that was revoked or has expired shows nothing any more; otherwise what was shown stays.
          if (error instanceof ApiError && error.code === 'link.not_found') setShipment(null);
          setFailure(error.message);
        }),
    [token],
  );
  useEffect(() => {
    void load();
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void load();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [load]);
  if (!shipment)
    return failure ? (
      <div className="shipment">
        <h1>{text('links.invalid')}</h1>
        <p className="secondary">{failure}</p>
      </div>
    ) : (
      <div className="skeleton skeleton-body" />
    );
  const { record, track, low, high } = shipment;
  return (
    <div className="shipment">
      <header>
        <h1>{shipment.number}</h1>
        <p>
          <WaybillTags waybill={shipment} />
        </p>
        <p className="secondary">{`${shipment.consignorUnit} → ${shipment.consigneeUnit}`}</p>
      </header>
      {failure ? (
        <p className="notice" role="status">
          {text('waybills.shipment.stale', { time: time(shownAt, 'time') })}
        </p>
      ) : null}
      {record ? (
        <section>
          <p className="shipment-proposal">
            {text(`waybills.proposal.${record.verdict.proposal}`)}{' '}
            {shipment.endedAt === null ? (
              <span className="tag">{text('waybills.verdict.so-far')}</span>
            ) : null}
          </p>
          <ShipmentCurve record={record} low={low} high={high} />
        </section>
      ) : (
        <p className="secondary">{text('waybills.record.none')}</p>
      )}
      {shipment.arrival ? (
        <section>
          <h2>{text('waybills.arrival')}</h2>
          <Arrival arrival={shipment.arrival} />
        </section>
      ) : null}
      <Facts shipment={shipment} />
      {track ? (
        <section>
          <h2>{text('waybills.route')}</h2>
          <ShipmentTrack track={track} />
        </section>
      ) : null}
      {shipment.steps.length > 0 ? (
        <section>
          <h2>{text('waybills.custody')}</h2>
          <ol className="shipment-steps">
            {shipment.steps.map(({ action, at, person }) => (
              <li key={`${action} ${at}`}>
                <span className="small tertiary number">{time(at, 'date-time')}</span>
                <span>{[text(`waybills.action.${action}`), person].filter(Boolean).join(' · ')}</span>
              </li>
            ))}
          </ol>
        </section>
      ) : null}
      <p className="small tertiary">
        {text('waybills.shipment.read-only')} {text('waybills.shipment.times', { zone })}
      </p>
    </div>
  );
}

function Facts({ shipment }: { shipment: Shipment }) {
  const viewer = useViewer();
  return (
    <dl className="shipment-facts">
      {factsOf(shipment, viewer).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function factsOf(shipment: Shipment, { text, time }: Viewer): (readonly [string, string])[] {
  const { record, low, high } = shipment;
  const moment = (at: string | null) => (at === null ? EN_RULE : time(at, 'date-time'));
  const degrees = (value: number | null, decimals = 1) =>
    value === null ? EN_RULE : celsius(value, decimals);
  return [
    [text('waybills.limits'), zoneWords({ zoneMin: low, zoneMax: high })],
    ...(record
      ? [
          [
            text('waybills.lowest-highest'),
            [record.verdict.min, record.verdict.max].map((value) => degrees(value)).join(', '),
          ] as const,
          [text('waybills.outside'), formatDuration(record.verdict.outsideMs, text)] as const,
          [text('waybills.mkt'), degrees(record.verdict.meanKinetic, 2)] as const,
          [
            text('waybills.coverage'),
            text('waybills.coverage.gaps', {
              share: shareWords(record.verdict.coverage),
              count: record.verdict.gaps.length,
            }),
          ] as const,
        ]
      : []),
    [text('waybills.goods'), goodsWords(shipment.goods) || EN_RULE],
    [text('waybills.product'), shipment.profileName ?? EN_RULE],
    [text('waybills.planned-delivery'), moment(shipment.plannedDeliveryAt)],
    [text('waybills.departed'), moment(shipment.departedAt)],
    [text('waybills.ended'), moment(shipment.endedAt)],
    [text('waybills.organization'), shipment.organizationName],
  ];
}
