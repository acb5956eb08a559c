import type { ValueScale } from '@isotherm/domain/readings/axis-scale';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useViewer } from '../format/viewer.tsx';
import { type CurveLayout, momentAt, xOf, yOf } from './curve-layout.ts';
import { type ChartSeries, nearestPoint, type TimeRange } from './curve-model.ts';

/** A drag shorter than this is a click. */
const BRUSH_FROM_PX = 6;
const WHEEL_FACTOR = 1.25;
const WHEEL_SETTLES_MS = 160;
const SHORTEST_MS = 2 * 60_000;
/**
 * If there is no next point, an arrow key moves the crosshair by this fraction of the range: 1 divided by
 * this number.
 */
const KEY_STEPS = 100;

/** Layer above the canvas for crosshair, selection and mouse wheel. */
export function CurveOverlay({
  layout,
  range,
  scale,
  main,
  cursor,
  label,
  onCursor,
  onRange,
}: {
  layout: CurveLayout;
  range: TimeRange;
  scale: ValueScale;
  main: ChartSeries | undefined;
  cursor: number | null;
  label: string;
  onCursor: (moment: number | null) => void;
  onRange: (range: TimeRange, by: 'brush' | 'wheel') => void;
}) {
  const { text, time } = useViewer();
  const surface = useRef<HTMLDivElement>(null);
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const wheelRef = useRef({ layout, range, onRange });
  wheelRef.current = { layout, range, onRange };

  // The listener is registered directly, because React's wheel listeners are passive and could not prevent
  // scrolling.
  useEffect(() => {
    const element = surface.current;
    if (!element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pending: TimeRange | null = null;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey && !element.contains(document.activeElement))
        return;
      event.preventDefault();
      const { layout: box, range: shown } = wheelRef.current;
      const base = pending ?? shown;
      const x = event.clientX - element.getBoundingClientRect().left;
      const anchor = momentAt(box, base, x);
      const delta = event.deltaY || event.deltaX;
      const span = base.to - base.from;
      if (event.shiftKey) {
        const shift = (delta > 0 ? 0.12 : -0.12) * span;
        pending = { from: base.from + shift, to: base.to + shift };
      } else {
        const factor = delta > 0 ? WHEEL_FACTOR : 1 / WHEEL_FACTOR;
        if (span * factor < SHORTEST_MS) return;
        pending = {
          from: anchor - (anchor - base.from) * factor,
          to: anchor + (base.to - anchor) * factor,
        };
      }
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (pending) wheelRef.current.onRange(pending, 'wheel');
        pending = null;
      }, WHEEL_SETTLES_MS);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => {
      clearTimeout(timer);
      element.removeEventListener('wheel', wheel);
    };
  }, []);

  const xWithin = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return Math.max(layout.left, Math.min(layout.left + layout.plotWidth, x));
  };
  const point = (x: number) => {
    const moment = momentAt(layout, range, x);
    const index = main ? nearestPoint(main, moment) : -1;
    const snapped = main?.at[index];
    onCursor(snapped === undefined ? moment : snapped + (main?.stepMs ?? 0) / 2);
  };
  const release = (event: PointerEvent<HTMLDivElement>) => {
    if (!brush) return;
    const [left, right] = [Math.min(brush.from, xWithin(event)), Math.max(brush.from, xWithin(event))];
    setBrush(null);
    if (right - left < BRUSH_FROM_PX) return;
    const from = momentAt(layout, range, left);
    const to = Math.max(momentAt(layout, range, right), from + SHORTEST_MS);
    onRange({ from, to }, 'brush');
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const span = range.to - range.from;
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault();
      const direction = event.key === 'ArrowLeft' ? -1 : 1;
      const step = Math.max(main?.stepMs ?? 0, span / KEY_STEPS);
      const next = (cursor ?? range.to) + direction * step;
      point(xOf(layout, range, Math.max(range.from, Math.min(range.to, next))));
    } else if (event.key === '+' || event.key === '-') {
      event.preventDefault();
      const middle = cursor ?? (range.from + range.to) / 2;
      const half = (span / 2) * (event.key === '+' ? 0.5 : 2);
      if (half * 2 >= SHORTEST_MS) onRange({ from: middle - half, to: middle + half }, 'brush');
    } else if (event.key === 'Escape') {
      onCursor(null);
    }
  };

  const x = cursor === null ? null : xOf(layout, range, cursor);
  const index = main && cursor !== null ? nearestPoint(main, cursor) : -1;
  const value = index >= 0 ? main?.mean[index] : undefined;
  const visible = x !== null && x >= layout.left - 1 && x <= layout.left + layout.plotWidth + 1;
  return (
    <div
      ref={surface}
      className="chart-surface"
      role="application"
      aria-label={label}
      aria-description={text('curve.keys')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application role takes the keys that it names in its description.
      tabIndex={0}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        const start = xWithin(event);
        setBrush({ from: start, to: start });
        point(start);
      }}
      onPointerMove={(event) => {
        const at = xWithin(event);
        if (brush) setBrush({ ...brush, to: at });
        point(at);
      }}
      onPointerUp={release}
      onPointerCancel={() => setBrush(null)}
      onPointerLeave={() => brush === null && onCursor(null)}
      onKeyDown={press}
    >
      <svg width="100%" height={layout.height} aria-hidden="true">
        {brush && Math.abs(brush.to - brush.from) >= BRUSH_FROM_PX ? (
          <rect
            className="chart-brush"
            x={Math.min(brush.from, brush.to)}
            y={layout.top}
            width={Math.abs(brush.to - brush.from)}
            height={layout.plotHeight}
          />
        ) : null}
        {visible && x !== null && cursor !== null ? (
          <g>
            <path className="chart-crosshair" d={`M${x} ${layout.top - 4}V${layout.end}`} />
            {value === undefined ? null : (
              <circle className="chart-marker" cx={x} cy={yOf(layout, scale, value)} r="4" />
            )}
            <rect className="chart-time" x={x - 30} y={layout.bottom + 4} width="60" height="18" rx="3" />
            <text className="chart-time-text" x={x} y={layout.bottom + 17} textAnchor="middle">
              {time(cursor, range.to - range.from < 3_600_000 ? 'time-seconds' : 'time')}
            </text>
          </g>
        ) : null}
      </svg>
    </div>
  );
}
