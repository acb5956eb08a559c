import './plan-board.css';
import type { FloorPlan } from '@isotherm/contracts/floor-plans';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useImperativeHandle, useMemo, useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { useObjectUrl } from '../../../shared/ui/use-object-url.ts';
import { detailAt, fractionAt, nudged, type Spot, spacing } from './plan-view.ts';
import { planPictureQuery } from './plans.queries.ts';
import { STEP_LARGE, STEP_SMALL, usePlanView } from './use-plan-view.ts';

/** A mark at a position on a plan. */
export interface PlanMark extends Spot {
  key: string;
  /** Text for screen readers and for the tooltip. */
  label: string;
  className?: string;
  face: ReactNode;
}

/** Methods by which other components place something on the board. */
export interface BoardHandle {
  /** Returns the position on the image for window coordinates; null outside the image. */
  spotAt: (clientX: number, clientY: number) => Spot | null;
  /** Returns the position in the middle of the visible part. */
  middle: () => Spot;
}

/** A plan that can be panned and zoomed. The marks keep their size. */
export function PlanBoard({
  plan,
  marks,
  selected = null,
  focus,
  onSelect,
  onMove,
  ref,
}: {
  plan: FloorPlan;
  marks: readonly PlanMark[];
  selected?: string | null;
  /** The position that is centred and enlarged. */
  focus?: Spot;
  onSelect?: (key: string | null) => void;
  /** Called when a mark is moved by pointer or arrow keys. */
  onMove?: (key: string, to: Spot) => void;
  ref?: Ref<BoardHandle>;
}) {
  const { text } = useText();
  const view = usePlanView(plan, focus);
  const { frame, now, at } = view;
  const apart = useMemo(() => spacing(marks, plan), [marks, plan]);
  const { data: blob, error, refetch } = useQuery(planPictureQuery(plan));
  const url = useObjectUrl(blob);
  useImperativeHandle(ref, () => ({
    spotAt: (clientX, clientY) => {
      const place = at({ clientX, clientY });
      return now && place ? fractionAt(now, plan, place) : null;
    },
    middle: () => {
      const { clientWidth, clientHeight } = frame.current as HTMLDivElement;
      const spot = now && fractionAt(now, plan, { x: clientWidth / 2, y: clientHeight / 2 });
      return spot ?? { x: 0.5, y: 0.5 };
    },
  }));
  if (error && !blob) return <FailureNotice error={error} retry={() => void refetch()} />;
  return (
    <div className="plan-board">
      <section
        ref={frame}
        className={`plan-frame plan-frame-${detailAt(apart * (now?.scale ?? 0))}`}
        aria-label={text('assets.plan.board', { name: plan.name })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys look around, as on a map
        tabIndex={0}
        {...view.handlers}
        onPointerUp={(event) => {
          view.handlers.onPointerUp(event);
          if (event.target === event.currentTarget && !view.wasMoved()) onSelect?.(null);
        }}
      >
        {now ? (
          <div
            className="plan-layer"
            style={{
              transform: `translate(${now.x}px, ${now.y}px)`,
              width: plan.width * now.scale,
              height: plan.height * now.scale,
            }}
          >
            {url ? (
              <img className="plan-picture" src={url} alt="" draggable={false} />
            ) : (
              <div className="skeleton plan-picture" />
            )}
            {marks.map((mark) => (
              <Mark
                key={mark.key}
                mark={mark}
                isSelected={mark.key === selected}
                onSelect={onSelect}
                onMove={onMove}
                spotAt={(event) => {
                  const place = at(event);
                  return place && fractionAt(now, plan, place);
                }}
              />
            ))}
          </div>
        ) : null}
      </section>
      <div className="plan-zoom">
        <Button
          icon
          aria-label={text('assets.plan.zoom-in')}
          title={text('assets.plan.zoom-in')}
          onClick={() => view.zoom(1.5)}
        >
          <Icon name="plus" />
        </Button>
        <Button
          icon
          aria-label={text('assets.plan.zoom-out')}
          title={text('assets.plan.zoom-out')}
          onClick={() => view.zoom(1 / 1.5)}
        >
          <Icon name="minus" />
        </Button>
        <Button icon aria-label={text('assets.plan.fit')} title={text('assets.plan.fit')} onClick={view.fit}>
          <Icon name="fit" />
        </Button>
      </div>
    </div>
  );
}

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

function Mark({
  mark,
  isSelected,
  onSelect,
  onMove,
  spotAt,
}: {
  mark: PlanMark;
  isSelected: boolean;
  onSelect: ((key: string | null) => void) | undefined;
  onMove: ((key: string, to: Spot) => void) | undefined;
  spotAt: (event: { clientX: number; clientY: number }) => Spot | null;
}) {
  const [held, setHeld] = useState<{ dx: number; dy: number } | null>(null);
  const classes = ['plan-mark', mark.className ?? ''];
  if (isSelected) classes.push('plan-mark-selected');
  if (onMove) classes.push('plan-mark-movable');
  return (
    <button
      type="button"
      className={classes.join(' ')}
      style={{ left: `${mark.x * 100}%`, top: `${mark.y * 100}%` }}
      title={mark.label}
      aria-pressed={isSelected}
      onClick={() => onSelect?.(isSelected && !onMove ? null : mark.key)}
      onPointerDown={(event) => {
        if (!onMove || event.button !== 0) return;
        // Without this call, the board would pan at the same time.
        event.stopPropagation();
        const spot = spotAt(event);
        if (!spot) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setHeld({ dx: mark.x - spot.x, dy: mark.y - spot.y });
        onSelect?.(mark.key);
      }}
      onPointerMove={(event) => {
        const spot = held && spotAt(event);
        if (held && spot) onMove?.(mark.key, nudged(spot, held.dx, held.dy));
      }}
      onPointerUp={() => setHeld(null)}
      onPointerCancel={() => setHeld(null)}
      onKeyDown={(event) => {
        const arrow = ARROWS[event.key];
        if (!onMove || !arrow) return;
        event.preventDefault();
        event.stopPropagation();
        const step = event.shiftKey ? STEP_LARGE : STEP_SMALL;
        onMove(mark.key, nudged(mark, arrow[0] * step, arrow[1] * step));
      }}
    >
      <span className="visually-hidden">{mark.label}</span>
      <span aria-hidden="true">{mark.face}</span>
    </button>
  );
}
