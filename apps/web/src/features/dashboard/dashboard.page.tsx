import './dashboard.css';
import { DASHBOARD_DAYS, type Dashboard } from '@isotherm/contracts/dashboard';
import { moveTile, type TileName } from '@isotherm/domain/dashboard/tiles';
import { useQuery } from '@tanstack/react-query';
import Segmented from 'antd/es/segmented';
import { type ReactNode, useMemo, useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { AcknowledgementTile, AlarmsTile, HistoryTile } from './alarm-tiles.tsx';
import { ArrangeContext, type Arranging } from './arranging.ts';
import { AttentionTile } from './attention-tile.tsx';
import { BalanceTile, DevicesTile, ExpiringTile } from './count-tiles.tsx';
import { dashboardQuery, useArrange } from './dashboard.queries.ts';
import { HeadlinePanel } from './headline-panel.tsx';
import { CompletenessTile, LimitTimeTile } from './share-tiles.tsx';

/** The first page: is everything in order, and what must be done today? Each number leads to its list. */
export default function DashboardPage() {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const days = DASHBOARD_DAYS.find((each) => String(each) === params.get('days')) ?? 30;
  const { data, error, refetch, isPlaceholderData } = useQuery(dashboardQuery(days));
  const [draft, setDraft] = useState<Dashboard['arrangement'] | null>(null);
  return (
    <div className="page">
      <PageHead
        title={text('menu.dashboard')}
        purpose={draft ? text('dashboard.arranging') : (data?.organizationName ?? '')}
      >
        {draft && data ? (
          <ArrangeTools draft={draft} isArranged={data.isArranged} change={setDraft} />
        ) : (
          <>
            <Segmented
              aria-label={text('dashboard.period')}
              value={days}
              options={DASHBOARD_DAYS.map((count) => ({
                value: count,
                label: text('dashboard.days', { count }),
              }))}
              onChange={(value) => change({ days: value })}
            />
            <Button disabled={!data} onClick={() => setDraft(data?.arrangement ?? null)}>
              <Icon name="monitoring" />
              {text('dashboard.arrange')}
            </Button>
          </>
        )}
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <div className={isPlaceholderData ? 'dashboard-waiting' : ''} aria-busy={isPlaceholderData}>
          <HeadlinePanel dashboard={data} />
          <Tiles dashboard={data} days={days} draft={draft} change={setDraft} />
        </div>
      ) : null}
      {!data && !error ? <div className="panel skeleton skeleton-body" /> : null}
    </div>
  );
}

type Change = (draft: Dashboard['arrangement'] | null) => void;

function Tiles({
  dashboard,
  days,
  draft,
  change,
}: {
  dashboard: Dashboard;
  days: number;
  draft: Dashboard['arrangement'] | null;
  change: Change;
}) {
  const arranging = useMemo(
    (): Arranging | null =>
      draft && {
        shown: draft.shown,
        move: (name, to) => change({ ...draft, shown: moveTile(draft.shown, name, to) }),
        hide: (name) =>
          change({ shown: draft.shown.filter((each) => each !== name), hidden: [...draft.hidden, name] }),
      },
    [draft, change],
  );
  return (
    <ArrangeContext.Provider value={arranging}>
      <div className="dashboard">
        {(draft ?? dashboard.arrangement).shown.map((name) => (
          <TileOf key={name} name={name} dashboard={dashboard} days={days} />
        ))}
      </div>
    </ArrangeContext.Provider>
  );
}

function TileOf({
  name,
  dashboard,
  days,
}: {
  name: TileName;
  dashboard: Dashboard;
  days: number;
}): ReactNode {
  const { alarms, devices, completeness, history, limitTime, balances, expiringByWeek } = dashboard;
  switch (name) {
    case 'attention':
      return <AttentionTile dashboard={dashboard} />;
    case 'alarms':
      return alarms && <AlarmsTile alarms={alarms} />;
    case 'devices':
      return devices && <DevicesTile devices={devices} />;
    case 'limit-time':
      return <LimitTimeTile limitTime={limitTime} days={days} />;
    case 'history':
      return history && <HistoryTile history={history} />;
    case 'completeness':
      return completeness && <CompletenessTile completeness={completeness} />;
    case 'balance':
      return balances && <BalanceTile balances={balances} />;
    case 'expiring':
      return expiringByWeek && <ExpiringTile weeks={expiringByWeek} />;
    case 'acknowledgement':
      return history && <AcknowledgementTile history={history} />;
  }
}

/** Buttons of the page head while the tiles are arranged. */
function ArrangeTools({
  draft,
  isArranged,
  change,
}: {
  draft: Dashboard['arrangement'];
  isArranged: boolean;
  change: Change;
}) {
  const { text } = useViewer();
  const arrange = useArrange();
  const [isSaving, setSaving] = useState(false);
  const save = async (arrangement: Dashboard['arrangement'] | null) => {
    setSaving(true);
    try {
      await arrange(arrangement);
      change(null);
      toast('success', text('dashboard.arranged'));
    } catch (failure) {
      toast('failure', (failure as Error).message);
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      {draft.hidden.map((name) => (
        <Button
          key={name}
          variant="quiet"
          onClick={() =>
            change({ shown: [...draft.shown, name], hidden: draft.hidden.filter((each) => each !== name) })
          }
        >
          <Icon name="plus" />
          {text('dashboard.show-tile', { tile: text(`dashboard.tile.${name}`) })}
        </Button>
      ))}
      {isArranged ? (
        <Button variant="quiet" disabled={isSaving} onClick={() => void save(null)}>
          {text('dashboard.reset')}
        </Button>
      ) : null}
      <Button disabled={isSaving} onClick={() => change(null)}>
        {text('common.action.cancel')}
      </Button>
      <Button variant="primary" disabled={isSaving} onClick={() => void save(draft)}>
        {text('dashboard.save')}
      </Button>
    </>
  );
}
