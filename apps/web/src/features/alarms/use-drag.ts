import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { Place } from './alarm-window-store.ts';

const KEY_STEP_PX = 16;
/** Minimum distance between the window and the edge of the screen. */
const MARGIN_PX = 8;

interface Room {
  right: number;
  bottom: number;
}

function within(place: Place, room: Room): Place {
  return {
    right: Math.max(MARGIN_PX, Math.min(place.right, room.right)),
    bottom: Math.max(MARGIN_PX, Math.min(place.bottom, room.bottom)),
  };
}

/** Largest distances from the right and bottom edges at which the window is fully visible. */
function useRoom(target: RefObject<HTMLElement | null>): Room {
  const [room, setRoom] = useState<Room>({
    right: Number.POSITIVE_INFINITY,
    bottom: Number.POSITIVE_INFINITY,
  });
  useLayoutEffect(() => {
    const element = target.current;
    if (!element) return;
    const measure = () => {
      const { width, height } = element.getBoundingClientRect();
      const right = window.innerWidth - width - MARGIN_PX;
      const bottom = window.innerHeight - height - MARGIN_PX;
      setRoom((old) => (old.right === right && old.bottom === bottom ? old : { right, bottom }));
    };
    measure();
    // The window is anchored at the bottom, so it grows upwards with a new alarm or with the form.
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    window.addEventListener('resize', measure);
    return () => {
      watch.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, [target]);
  return room;
}

/**
 * Moves a window with the pointer on its header or with the arrow keys. The window always stays on the
 * screen.
 */
export function useDrag(
  target: RefObject<HTMLElement | null>,
  place: Place,
  onMoved: (place: Place) => void,
) {
  const grip = useRef<{ x: number; y: number; place: Place } | null>(null);
  const [moving, setMoving] = useState<Place | null>(null);
  const room = useRoom(target);
  const shown = within(moving ?? place, room);

  return {
    place: shown,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || (event.target as HTMLElement).closest('button:not(.alarm-window-grip)'))
          return;
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { x: event.clientX, y: event.clientY, place: shown };
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const start = grip.current;
        if (!start) return;
        setMoving(
          within(
            {
              right: start.place.right - (event.clientX - start.x),
              bottom: start.place.bottom - (event.clientY - start.y),
            },
            room,
          ),
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
        onMoved(within({ right: shown.right + step[0], bottom: shown.bottom + step[1] }, room));
      },
    },
  };
}
