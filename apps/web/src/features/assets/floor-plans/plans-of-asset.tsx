import './plans.css';
import type { FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { useText } from '../../../shared/i18n/use-text.ts';
import { buttonClass } from '../../../shared/ui/button.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { planQuery, plansQuery } from './plans.queries.ts';

/** Plans that contain this asset or one of its channels; one is shown at a time. */
export function PlansOfAsset({
  assetId,
  children,
}: {
  assetId: number;
  children: (plan: FloorPlanDetail) => ReactNode;
}) {
  const { text } = useText();
  const [chosen, setChosen] = useState<number | null>(null);
  const { data: plans, error, refetch } = useQuery(plansQuery({ assetId }));
  const id = chosen ?? plans?.items[0]?.id ?? null;
  const { data: plan } = useQuery({ ...planQuery(id ?? 0), enabled: id !== null });
  if (error && !plans) return <FailureNotice error={error} retry={() => void refetch()} />;
  // A plan stays selectable after the asset was removed from it.
  const stands = plan?.points.some((point) => point.assetId === assetId);
  if (plans && (id === null || (plan && !stands)))
    return (
      <section className="panel">
        <Notice
          icon="page"
          title={text('assets.plan.asset.none')}
          action={
            <Link className={buttonClass()} to="/asset/floor-plans">
              {text('menu.asset-floor-plans')}
            </Link>
          }
        >
          {text('assets.plan.asset.where')}
        </Notice>
      </section>
    );
  if (!plans || !plan) return <div className="skeleton skeleton-body" />;
  return (
    <div className="plan-main">
      <div className="row plan-bar">
        {plans.items.length > 1 ? (
          <div className="segments">
            {plans.items.map((each) => (
              <button
                key={each.id}
                type="button"
                aria-pressed={each.id === id}
                onClick={() => setChosen(each.id)}
              >
                {each.name}
              </button>
            ))}
          </div>
        ) : (
          <span className="strong ellipsis">{plan.name}</span>
        )}
        <span className="tag">{text('assets.plan.floor-of', { floor: plan.floor })}</span>
        <Link className="end" to={`/asset/floor-plans?plan=${plan.id}`}>
          {text('assets.plan.whole')}
        </Link>
      </div>
      {children(plan)}
    </div>
  );
}
