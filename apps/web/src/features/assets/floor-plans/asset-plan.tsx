import type { FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import { LivePlan } from './live-plan.tsx';
import { useLiveValues } from './plans.queries.ts';
import { PlansOfAsset } from './plans-of-asset.tsx';

/** Floor plan that contains an asset, centred on the asset. */
export function AssetPlan({ assetId }: { assetId: number }) {
  return (
    <PlansOfAsset assetId={assetId}>
      {(plan) => <PlanAround key={plan.id} plan={plan} assetId={assetId} />}
    </PlansOfAsset>
  );
}

function PlanAround({ plan, assetId }: { plan: FloorPlanDetail; assetId: number }) {
  const values = useLiveValues(plan.id);
  const focus = plan.points.find((point) => point.assetId === assetId);
  return <LivePlan plan={plan} values={values} {...(focus ? { focus } : {})} />;
}
