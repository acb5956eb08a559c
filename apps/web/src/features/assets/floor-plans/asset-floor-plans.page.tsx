import './plans.css';
import type { AssetCard } from '@isotherm/contracts/assets';
import type { FloorPlan, FloorPlanDetail } from '@isotherm/contracts/floor-plans';
import { needsAttention } from '@isotherm/domain/assets/attention';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { LivePlan } from './live-plan.tsx';
import { PlanEditor } from './plan-editor.tsx';
import { PlanCreateForm, PlanEditForm, PlanPictureForm } from './plan-form.tsx';
import { PlanPrint } from './plan-print.tsx';
import { OFFERED, planQuery, plansQuery, useLiveValues, usePlanChanges } from './plans.queries.ts';

const EDIT = 'asset-floor-plans:edit';
const DEEDS = ['rename', 'picture', 'delete'] as const;

/** Page with the floor plans of the organisations: the list, and the selected plan. */
export default function FloorPlanPage() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const [search, setSearch] = useState('');
  /** Id of the plan that is being edited. While it has unsaved changes, no other plan can be selected. */
  const [editing, setEditing] = useState<number | null>(null);
  const words = search.trim();
  const { data, error, refetch } = useQuery({
    ...plansQuery(words ? { search: words } : {}),
    placeholderData: (before) => before,
  });
  const asked = Number(params.get('plan')) || null;
  const shown = asked ?? data?.items[0]?.id ?? null;
  const add = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('assets.plan.create')}
    </PermissionButton>
  );
  return (
    <div className="page plan-page">
      <PageHead title={text('menu.asset-floor-plans')} purpose={text('assets.plan.purpose')}>
        {data && data.total > 0 && editing === null ? add : null}
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      {data && data.items.length === 0 && words === '' && asked === null ? (
        <section className="panel">
          <Notice icon="page" title={text('assets.plan.empty.title')} action={add}>
            {text('assets.plan.empty.reason')}
          </Notice>
        </section>
      ) : data ? (
        <div className="plan-columns">
          {editing === null ? (
            <Rail
              plans={data.items}
              total={data.total}
              shown={shown}
              search={search}
              onSearch={setSearch}
              onShow={(id) => change({ plan: id }, 'push')}
            />
          ) : null}
          {shown === null ? null : (
            <Plan
              key={shown}
              id={shown}
              editing={editing === shown}
              onEdit={(isEditing) => setEditing(isEditing ? shown : null)}
            />
          )}
        </div>
      ) : null}
      {params.get('new') ? (
        <PlanCreateForm
          onMade={({ id }) => change({ new: null, plan: id })}
          onClose={() => change({ new: null })}
        />
      ) : null}
    </div>
  );
}

/** List of the plans by organisation and floor. */
function Rail({
  plans,
  total,
  shown,
  search,
  onSearch,
  onShow,
}: {
  plans: readonly FloorPlan[];
  total: number;
  shown: number | null;
  search: string;
  onSearch: (words: string) => void;
  onShow: (id: number) => void;
}) {
  const { text } = useText();
  const organizations = [...new Map(plans.map((plan) => [plan.organizationId, plan.organizationName]))];
  return (
    <nav className="panel plan-rail" aria-label={text('menu.asset-floor-plans')}>
      <FilterBox value={search} placeholder={text('assets.plan.search')} onChange={onSearch} />
      {plans.length === 0 ? <p className="secondary">{text('assets.plan.none-found')}</p> : null}
      {organizations.map(([id, name]) => (
        <section key={id}>
          <h2 className="small tertiary ellipsis">{name}</h2>
          <ul>
            {plans
              .filter(({ organizationId }) => organizationId === id)
              .map((plan) => (
                <li key={plan.id}>
                  <button
                    type="button"
                    className="plan-rail-item"
                    aria-current={plan.id === shown}
                    onClick={() => onShow(plan.id)}
                  >
                    <span className="tag">{text('assets.plan.floor-of', { floor: plan.floor })}</span>
                    <span className="ellipsis" title={plan.name}>
                      {plan.name}
                    </span>
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {total > plans.length ? (
        <p className="small tertiary">{text('assets.plan.more', { shown: OFFERED, total })}</p>
      ) : null}
    </nav>
  );
}

function Plan({ id, editing, onEdit }: { id: number; editing: boolean; onEdit: (editing: boolean) => void }) {
  const { data: plan, error, refetch } = useQuery(planQuery(id));
  if (error && !plan) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!plan) return <div className="skeleton skeleton-body" />;
  if (editing) return <PlanEditor plan={plan} onClose={() => onEdit(false)} />;
  return <ShownPlan plan={plan} onEdit={() => onEdit(true)} />;
}

function ShownPlan({ plan, onEdit }: { plan: FloorPlanDetail; onEdit: () => void }) {
  const { text } = useText();
  const values = useLiveValues(plan.id);
  const place = (
    <PermissionButton
      permission={EDIT}
      variant={plan.points.length === 0 ? 'primary' : 'secondary'}
      onClick={onEdit}
    >
      <Icon name="pin" />
      {text('assets.plan.edit')}
    </PermissionButton>
  );
  return (
    <div className="plan-main">
      <PlanBar plan={plan} values={values}>
        {place}
      </PlanBar>
      <LivePlan plan={plan} values={values} />
    </div>
  );
}

function PlanBar({
  plan,
  values,
  children,
}: {
  plan: FloorPlanDetail;
  values: ReadonlyMap<string, AssetCard> | null;
  children: ReactNode;
}) {
  const { text } = useText();
  const changes = usePlanChanges();
  const [params, change] = useUrlState();
  const [printing, setPrinting] = useState(false);
  const deed = oneOf(DEEDS, params.get('do'));
  const close = () => change({ do: null });
  const attention = values ? [...values.values()].filter(({ state }) => needsAttention(state)).length : 0;
  return (
    <>
      <div className="row plan-bar">
        <h2 className="strong ellipsis">{plan.name}</h2>
        <span className="secondary" role="status">
          {plan.points.length === 0
            ? text('assets.plan.nothing')
            : text('assets.plan.counts', { attention, count: plan.points.length })}
        </span>
        <div className="row end plan-tools">
          {children}
          <Button
            icon
            title={text('assets.plan.print')}
            aria-label={text('assets.plan.print')}
            disabled={!values || printing}
            onClick={() => setPrinting(true)}
          >
            <Icon name="print" />
          </Button>
          {(
            [
              ['rename', 'edit', 'assets.plan.rename'],
              ['picture', 'upload', 'assets.plan.replace'],
              ['delete', 'bin', 'assets.plan.delete'],
            ] as const
          ).map(([each, icon, label]) => (
            <PermissionButton
              key={each}
              permission={EDIT}
              icon
              title={text(label)}
              aria-label={text(label)}
              onClick={() => change({ do: each, plan: plan.id }, 'push')}
            >
              <Icon name={icon} />
            </PermissionButton>
          ))}
        </div>
      </div>
      {deed === 'rename' ? <PlanEditForm plan={plan} onClose={close} /> : null}
      {deed === 'picture' ? <PlanPictureForm plan={plan} onClose={close} /> : null}
      {deed === 'delete' ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('assets.plan.delete.title', { name: plan.name })}
          confirmLabel={text('assets.plan.delete')}
          onConfirm={async (reason) => {
            await changes.remove(plan.id, reason);
            toast('success', text('assets.plan.delete.done', { name: plan.name }));
            change({ do: null, plan: null });
          }}
          onClose={close}
        >
          {text('assets.plan.delete.means')}
        </ConfirmWithReason>
      ) : null}
      {printing && values ? (
        <PlanPrint plan={plan} values={values} onDone={() => setPrinting(false)} />
      ) : null}
    </>
  );
}
