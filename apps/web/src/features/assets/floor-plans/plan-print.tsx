import type { AssetCard } from '@isotherm/contracts/assets';
import type { FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { serverNow } from '../../../shared/api/clock.ts';
import { StateGlyph } from '../../../shared/assets/asset-glyph.tsx';
import { stateTitle } from '../../../shared/assets/asset-words.ts';
import { limitsText } from '../../../shared/format/limits.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { pointName, valueWords } from './live-marks.tsx';
import { planPictureQuery, pointKey } from './plans.queries.ts';

/**
 * Print layout of a plan, with numbered points, their values and the time. It is printed as soon as the
 * image is loaded.
 */
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
  const url = useObjectUrl(blob);
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
            <th>{text('asset.fact.measured')}</th>
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
                    {card ? <StateGlyph state={card.state} /> : null}
                    {card ? stateTitle(card, text) : EN_RULE}
                  </span>
                </td>
                <td>{card ? valueWords(card, text) : EN_RULE}</td>
                <td>{card?.main ? limitsText(card.main, text) : EN_RULE}</td>
                <td>{card?.main?.measuredAt ? time(card.main.measuredAt, 'date-time') : EN_RULE}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>,
    document.body,
  );
}
