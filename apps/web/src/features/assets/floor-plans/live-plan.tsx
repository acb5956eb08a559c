import type { AssetCard } from '@isotherm/contracts/assets';
import type { FloorPlanDetail, PlanPoint } from '@isotherm/contracts/floor-plans';
import { useMemo, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { liveMark } from './live-marks.tsx';
import { PlanBoard } from './plan-board.tsx';
import { pointKey } from './plans.queries.ts';
import { PointCard } from './point-card.tsx';

/** Floor plan with live values. A selected point shows its details. */
export function LivePlan({
  plan,
  values,
  focus,
}: {
  plan: FloorPlanDetail;
  values: ReadonlyMap<string, AssetCard> | null;
  /** The point that is centred, enlarged and marked. */
  focus?: PlanPoint;
}) {
  const { text } = useText();
  const [selected, setSelected] = useState<string | null>(null);
  const marks = useMemo(
    () =>
      plan.points.map((point) => {
        const mark = liveMark(point, values?.get(pointKey(point)), text);
        const isFocus = point.assetId === focus?.assetId;
        return isFocus ? { ...mark, className: `${mark.className} plan-mark-focus` } : mark;
      }),
    [plan.points, values, focus, text],
  );
  const chosen = plan.points.find((point) => pointKey(point) === selected);
  return (
    <div className="plan-live">
      <PlanBoard
        plan={plan}
        marks={marks}
        selected={selected}
        onSelect={setSelected}
        {...(focus ? { focus } : {})}
      />
      {chosen ? (
        <PointCard point={chosen} card={values?.get(pointKey(chosen))} onClose={() => setSelected(null)} />
      ) : null}
    </div>
  );
}
