import './plans.css';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { LivePlan } from './live-plan.tsx';
import { planQuery, plansQuery } from './plans.queries.ts';

/** Where an asset stands: the plan with it in the middle. */
export function AssetPlan({ assetId }: { assetId: number }) {
  const { text } = useText();
  const [chosen, setChosen] = useState<number | null>(null);
  const { data: plans, error, refetch } = useQuery(plansQuery({ assetId }));
  const id = chosen ?? plans?.items[0]?.id ?? null;
  const { data: plan } = useQuery({ ...planQuery(id ?? 0), enabled: id !== null });
  if (error && !plans) return <FailureNotice error={error} retry={() => void refetch()} />;
  const focus = plan?.points.find((point) => point.assetId === assetId);
  if (plans && (id === null || (plan && !focus)))
    return (
      <section className="panel">
        <Notice
          icon="page"
          title={text('assets.plan.asset.none')}
          action={
            <Link className="button" to="/asset/floor-plans">
              {text('menu.asset-floor-plans')}
            </Link>
          }
        >
          {text('assets.plan.asset.where')}
        </Notice>
      </section>
    );
  if (!plans || !plan || !focus) return <div className="skeleton skeleton-body" />;
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
          <h2 className="strong ellipsis">{plan.name}</h2>
        )}
        <span className="tag">{text('assets.plan.floor-of', { floor: plan.floor })}</span>
        <Link className="end" to={`/asset/floor-plans?plan=${plan.id}`}>
          {text('assets.plan.whole')}
        </Link>
      </div>
      <LivePlan plan={plan} focus={focus} />
    </div>
  );
}
