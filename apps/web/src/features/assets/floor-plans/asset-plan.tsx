import { LivePlan } from './live-plan.tsx';
import { PlansOfAsset } from './plans-of-asset.tsx';

/** Where an asset stands: the plan with it in the middle. */
export function AssetPlan({ assetId }: { assetId: number }) {
  return (
    <PlansOfAsset assetId={assetId}>
      {(plan) => {
        const focus = plan.points.find((point) => point.assetId === assetId);
        return <LivePlan key={plan.id} plan={plan} {...(focus ? { focus } : {})} />;
      }}
    </PlansOfAsset>
  );
}
