import { type KeyboardEvent, type PointerEvent, type RefObject, useRef, useState } from 'react';
import type { Place } from './alarm-window-store.ts';

const KEY_STEP_PX = 16;
/** So much of the window always stays on the screen. */
const MARGIN_PX = 8;

function within(place: Place, box: DOMRect | undefined): Place {
  const width = box?.width ?? 0;
  const height = box?.height ?? 0;
  return {
    right: Math.max(MARGIN_PX, Math.min(place.right, window.innerWidth - width - MARGIN_PX)),
    bottom: Math.max(MARGIN_PX, Math.min(place.bottom, window.innerHeight - height - MARGIN_PX)),
  };
}

/** Moves a window by its head, with the pointer or with the arrow keys. */
export function useDrag(
  target: RefObject<HTMLElement | null>,
  place: Place,
  onMoved: (place: Place) => void,
) {
  const grip = useRef<{ x: number; y: number; place: Place } | null>(null);
  const [moving, setMoving] = useState<Place | null>(null);
  const shown = moving ?? place;
  const keep = (wish: Place) => within(wish, target.current?.getBoundingClientRect());

  return {
    place: shown,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || (event.target as HTMLElement).closest('button:not(.alarm-window-grip)'))
          return;
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, y: event.clientY, place: keep(shown) };
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const start = grip.current;
        if (!start) return;
        setMoving(
          keep({
            right: start.place.right - (event.clientX - start.x),
            bottom: start.place.bottom - (event.clientY - start.y),
          }),
        );
      },
      onPointerUp: () => {
        if (grip.current && moving) onMoved(moving);
        grip.current = null;
        setMoving(null);
      },
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        const steps: Record<string, [number, number]> = {
          ArrowLeft: [KEY_STEP_PX, 0],
          ArrowRight: [-KEY_STEP_PX, 0],
          ArrowUp: [0, KEY_STEP_PX],
          ArrowDown: [0, -KEY_STEP_PX],
        };
        const step = steps[event.key];
        if (!step || !(event.target as HTMLElement).closest('.alarm-window-grip')) return;
        event.preventDefault();
        onMoved(keep({ right: shown.right + step[0], bottom: shown.bottom + step[1] }));
      },
    },
  };
}
