import type { AssetCard } from '@isotherm/contracts/assets';
import type { FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { createPortal } from 'react-dom';
import { serverNow } from '../../../shared/api/clock.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { limitsText, stateTitle } from '../asset-words.ts';
import { pointName, StateGlyph, valueWords } from './live-marks.tsx';
import { planPictureQuery, pointKey } from './plans.queries.ts';

/** A sheet with the plan, its points numbered, what each says and when; printed as soon as its picture is there. */
export function PlanPrint({
  plan,
  values,
  onDone,
}: {
  plan: FloorPlanDetail;
  values: ReadonlyMap<string, AssetCard>;
  onDone: () => void;
}) {
  const { text, time, zone } = useViewer();
  const { data: blob } = useQuery(planPictureQuery(plan));
  const url = useMemo(() => (blob ? URL.createObjectURL(blob) : null), [blob]);
  useEffect(() => () => (url ? URL.revokeObjectURL(url) : undefined), [url]);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const end = () => done.current();
    window.addEventListener('afterprint', end);
    return () => window.removeEventListener('afterprint', end);
  }, []);
  return createPortal(
    <div className="plan-print" aria-hidden="true">
      <h1>{`${plan.name} · ${text('assets.plan.floor-of', { floor: plan.floor })}`}</h1>
      <p>{`${plan.organizationName} · ${time(serverNow(), 'date-time')} (${zone})`}</p>
      <div className="plan-print-sheet">
        {url ? <img src={url} alt="" onLoad={() => window.print()} /> : null}
        {plan.points.map((point, at) => (
          <span
            key={pointKey(point)}
            className="plan-print-mark"
            style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }}
          >
            {at + 1}
          </span>
        ))}
      </div>
      <table>
        <thead>
          <tr>
            <th>#</th>
            <th>{text('assets.name')}</th>
            <th>{text('assets.code')}</th>
            <th>{text('assets.now')}</th>
            <th>{text('assets.plan.value')}</th>
            <th>{text('asset.fact.limits')}</th>
            <th>{text('asset.fact.last-seen')}</th>
          </tr>
        </thead>
        <tbody>
          {plan.points.map((point, at) => {
            const card = values.get(pointKey(point));
            return (
              <tr key={pointKey(point)}>
                <td>{at + 1}</td>
                <td>{pointName(point)}</td>
                <td>{point.assetCode}</td>
                <td>
                  <span className="row">
                    {card ? <StateGlyph card={card} /> : null}
                    {card ? stateTitle(card.state, text) : EN_RULE}
                  </span>
                </td>
                <td>{card ? valueWords(card, text) : EN_RULE}</td>
                <td>{card?.main ? limitsText(card.main, text) : EN_RULE}</td>
                <td>{card?.lastSeenAt ? time(card.lastSeenAt, 'date-time') : EN_RULE}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>,
    document.body,
  );
}
