import type { FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import type { ValidationStudy } from '@isotherm/contracts/validation-studies';
import { useMemo } from 'react';
import { PlanBoard, type PlanMark } from '../../features/assets/floor-plans/plan-board.tsx';
import { pointKey } from '../../features/assets/floor-plans/plans.queries.ts';
import { PlansOfAsset } from '../../features/assets/floor-plans/plans-of-asset.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { celsius, EN_RULE } from '../../shared/format/number.ts';
import { type Text, useText } from '../../shared/i18n/use-text.ts';
import { Icon } from '../../shared/ui/icon.tsx';

/**
 * Floor plan of a validation study, with the lowest and highest value of each channel, the hot spot and the
 * cold spot.
 */
export function StudyPlan({ study }: { study: ValidationStudy }) {
  const { text } = useText();
  const mayLook = usePermission('asset-floor-plans:view');
  if (!mayLook) return null;
  return (
    <section className="study-plan">
      <h3>{text('asset.tab.plan')}</h3>
      <PlansOfAsset assetId={study.asset.id}>
        {(plan) => <StudyBoard key={plan.id} study={study} plan={plan} />}
      </PlansOfAsset>
    </section>
  );
}

function StudyBoard({ study, plan }: { study: ValidationStudy; plan: FloorPlanDetail }) {
  const { text } = useText();
  const marks = useMemo(() => marksOf(study, plan, text), [study, plan, text]);
  if (marks.length === 0) return <p className="secondary">{text('validations.plan.none')}</p>;
  return (
    <div className="study-plan-board">
      <PlanBoard plan={plan} marks={marks} />
    </div>
  );
}

function marksOf({ channels, result }: ValidationStudy, plan: FloorPlanDetail, text: Text): PlanMark[] {
  return plan.points.flatMap((place) => {
    if (place.channelId === null || !channels.includes(place.channelId)) return [];
    const point = result?.points.find(({ channelId }) => channelId === place.channelId);
    const range = point ? `${celsius(point.min)} ${EN_RULE} ${celsius(point.max)}` : EN_RULE;
    const spots = (['hot', 'cold'] as const).filter((each) => result?.[`${each}Spot`] === place.channelId);
    const spotWords = spots.map((each) => text(`validations.${each}-spot`));
    return [
      {
        key: pointKey(place),
        x: place.x,
        y: place.y,
        label: [place.channelName, range, ...spotWords].join(', '),
        className: spots.length > 0 ? 'study-mark study-mark-spot' : 'study-mark',
        face: (
          <>
            <span className="plan-point-line">
              {spots.map((each) => (
                <Icon key={each} name={each === 'hot' ? 'arrow-up' : 'arrow-down'} small />
              ))}
              <bdi dir="ltr">{range}</bdi>
            </span>
            <span className="plan-point-name ellipsis">{[...spotWords, place.channelName].join(' · ')}</span>
          </>
        ),
      },
    ];
  });
}
