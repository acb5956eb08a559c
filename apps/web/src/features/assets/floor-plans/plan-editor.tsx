import { type FloorPlanDetail, MAX_PLAN_POINTS, type PlanPoint } from '@isotherm/contracts/floor-plans';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { ApiError } from '../../../shared/api/api-error.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useUnsaved } from '../../../shared/tabs/use-unsaved.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { useEditConflict } from '../../../shared/ui/edit-conflict.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { liveMark, pointName } from './live-marks.tsx';
import { PlaceList } from './place-list.tsx';
import { type BoardHandle, PlanBoard } from './plan-board.tsx';
import { type Draft, differences, draftOf, moved, pointAt, without, withPoint } from './plan-draft.ts';
import { planQuery, useLiveValues, usePlanChanges } from './plans.queries.ts';

/**
 * Editor of a plan: assets and channels are dragged from the list, moved by pointer or arrow keys, and saved
 * together.
 */
export function PlanEditor({ plan, onClose }: { plan: FloorPlanDetail; onClose: () => void }) {
  const { text } = useText();
  const queries = useQueryClient();
  const changes = usePlanChanges();
  const values = useLiveValues(plan.id);
  const board = useRef<BoardHandle>(null);
  /** The version of the plan that the draft is based on. It detects that someone else has saved the plan. */
  const [base, setBase] = useState(plan);
  const [draft, setDraft] = useState<Draft>(() => draftOf(plan));
  const [selected, setSelected] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const { choose, conflictDialog } = useEditConflict();
  const dirty = useMemo(() => differences(draftOf(base), draft).length > 0, [base, draft]);
  const unsaved = useUnsaved(dirty, () => setDraft(draftOf(base)));

  const marks = useMemo(
    () => [...draft].map(([key, point]) => liveMark(point, values?.get(key), text)),
    [draft, values, text],
  );
  const chosen = selected === null ? undefined : draft.get(selected);
  const put = (point: PlanPoint, key: string) => {
    if (draft.size >= MAX_PLAN_POINTS) {
      toast('failure', text('assets.plan.full', { max: MAX_PLAN_POINTS }));
      return;
    }
    setDraft((now) => withPoint(now, point));
    setSelected(key);
  };

  const spotWords = (point: PlanPoint | null) =>
    point
      ? text('assets.plan.spot', { x: Math.round(point.x * 100), y: Math.round(point.y * 100) })
      : text('assets.plan.not-placed');

  async function save(version: number): Promise<void> {
    setBusy(true);
    try {
      const points = [...draft.values()].map(({ assetId, channelId, x, y }) => ({
        assetId,
        channelId,
        x,
        y,
      }));
      await changes.place(plan.id, version, { points });
      toast('success', text('assets.plan.saved', { name: plan.name }));
      unsaved.settle();
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'floor_plan.changed') await resolve();
      else toast('failure', error instanceof Error ? error.message : text('common.failure.unknown'));
    } finally {
      setBusy(false);
    }
  }

  /** Shows the differences when someone else saved the plan in the meantime. */
  async function resolve(): Promise<void> {
    const stored = await queries.fetchQuery({ ...planQuery(plan.id), staleTime: 0 });
    const choice = await choose({
      name: stored.changedBy,
      rows: differences(draftOf(stored), draft).map((each) => ({
        label: pointName((each.mine ?? each.stored) as PlanPoint),
        stored: spotWords(each.stored),
        mine: spotWords(each.mine),
      })),
    });
    if (choice === 'mine') await save(stored.version);
    if (choice === 'discard') {
      setBase(stored);
      setDraft(draftOf(stored));
      setSelected(null);
    }
  }

  return (
    <div className="plan-edit">
      <PlaceList
        planId={plan.id}
        draft={draft}
        onPlace={(asset, channel) => {
          const point = pointAt(asset, channel, board.current?.middle() ?? { x: 0.5, y: 0.5 });
          put(point, channel ? `${asset.id}/${channel.id}` : String(asset.id));
        }}
        onDrop={(asset, channel, clientX, clientY) => {
          const spot = board.current?.spotAt(clientX, clientY);
          if (spot)
            put(pointAt(asset, channel, spot), channel ? `${asset.id}/${channel.id}` : String(asset.id));
        }}
      />
      <div className="plan-edit-main">
        <div className="row plan-edit-bar">
          {chosen && selected ? (
            <>
              <span className="strong ellipsis">{pointName(chosen)}</span>
              <Button
                onClick={() => {
                  setDraft((now) => without(now, selected));
                  setSelected(null);
                }}
              >
                <Icon name="bin" />
                {text('assets.plan.take-off')}
              </Button>
            </>
          ) : (
            <span className="secondary">{text('assets.plan.edit.help')}</span>
          )}
          <Button className="end" disabled={busy} onClick={() => unsaved.ask(onClose)}>
            {text('common.action.cancel')}
          </Button>
          <Button variant="primary" disabled={busy || !dirty} onClick={() => void save(base.version)}>
            {busy ? text('common.saving') : text('common.action.save')}
          </Button>
        </div>
        <PlanBoard
          ref={board}
          plan={plan}
          marks={marks}
          selected={selected}
          onSelect={setSelected}
          onMove={(key, to) => setDraft((now) => moved(now, key, to))}
        />
      </div>
      {conflictDialog}
    </div>
  );
}
