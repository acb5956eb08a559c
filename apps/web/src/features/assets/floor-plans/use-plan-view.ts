import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useWhenChanged } from '../../../shared/tabs/kept-page.ts';
import { centredOn, fitted, held, type Size, type Spot, type View, zoomed } from './plan-view.ts';

/** Distances that a key press moves a mark, in fractions of the image. */
export const STEP_SMALL = 0.002;
export const STEP_LARGE = 0.02;

/** Zoom factor of a focused point, relative to the fitted size. */
const NEAR = 2;
const KEY_PAN_PX = 60;
const KEY_ZOOM = 1.25;
/** A pointer that moves less than this distance is a click. */
const MOVED_PX = 4;
const WHEEL_STEP = 1.0015;

const KEYS: Record<string, { pan?: readonly [number, number]; zoom?: number }> = {
  ArrowLeft: { pan: [1, 0] },
  ArrowRight: { pan: [-1, 0] },
  ArrowUp: { pan: [0, 1] },
  ArrowDown: { pan: [0, -1] },
  '+': { zoom: KEY_ZOOM },
  '=': { zoom: KEY_ZOOM },
  '-': { zoom: 1 / KEY_ZOOM },
};

/** Hook for pan and zoom of an image by wheel, drag, pinch and keys. At first the image fits the frame. */
export function usePlanView(picture: Size, focus: Spot | undefined) {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Size | null>(null);
  /** The view that the user has moved to; null until the user moves it. */
  const [moved, setMoved] = useState<View | null>(null);
  const pointers = useRef(new Map<number, Spot>());
  const travelled = useRef(0);
  const { width, height } = picture;
  const [focusX, focusY] = [focus?.x, focus?.y];

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const measure = () => setRoom({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useWhenChanged([width, height, focusX, focusY], () => setMoved(null));

  const rest = (): View | null => {
    if (!room) return null;
    if (focusX === undefined || focusY === undefined) return fitted({ width, height }, room);
    return centredOn({ x: focusX, y: focusY }, NEAR, { width, height }, room);
  };
  const now = moved && room ? held(moved, { width, height }, room) : rest();
  const latest = useRef(now);
  latest.current = now;

  const at = useCallback((event: { clientX: number; clientY: number }): Spot | null => {
    const box = frame.current?.getBoundingClientRect();
    return box ? { x: event.clientX - box.left, y: event.clientY - box.top } : null;
  }, []);
  const zoom = useCallback(
    (factor: number, around?: Spot | null) => {
      const view = latest.current;
      if (!view || !room) return;
      const middle = { x: room.width / 2, y: room.height / 2 };
      latest.current = zoomed(view, factor, around ?? middle, { width, height }, room);
      setMoved(latest.current);
    },
    [room, width, height],
  );
  const pan = (dx: number, dy: number) => {
    const view = latest.current;
    if (!view || !room) return;
    latest.current = held({ ...view, x: view.x + dx, y: view.y + dy }, picture, room);
    setMoved(latest.current);
  };

  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    // The listener is registered directly, because React's wheel listeners are passive and could not stop the
    // page from scrolling.
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      zoom(WHEEL_STEP ** -event.deltaY, at(event));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [zoom, at]);

  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const place = at(event);
      if (event.button !== 0 || !place) return;
      if (pointers.current.size === 0) travelled.current = 0;
      pointers.current.set(event.pointerId, place);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const before = pointers.current.get(event.pointerId);
      const place = at(event);
      if (!before || !place) return;
      const [dx, dy] = [place.x - before.x, place.y - before.y];
      travelled.current += Math.hypot(dx, dy);
      // The pointer is captured only after a real movement, so that a click stays a click.
      if (travelled.current > MOVED_PX) event.currentTarget.setPointerCapture(event.pointerId);
      const other = [...pointers.current].find(([pointer]) => pointer !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, place);
      if (!other) return pan(dx, dy);
      const apart = (one: Spot) => Math.hypot(one.x - other.x, one.y - other.y);
      zoom(apart(place) / Math.max(apart(before), 1), {
        x: (place.x + other.x) / 2,
        y: (place.y + other.y) / 2,
      });
      pan(dx / 2, dy / 2);
    },
    onPointerUp: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void pointers.current.delete(event.pointerId),
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '0') return setMoved(null);
      const deed = KEYS[event.key];
      if (!deed) return;
      event.preventDefault();
      if (deed.pan) pan(deed.pan[0] * KEY_PAN_PX, deed.pan[1] * KEY_PAN_PX);
      else zoom(deed.zoom as number);
    },
  };
  return {
    frame,
    now,
    at,
    zoom,
    handlers,
    fit: () => setMoved(room && fitted(picture, room)),
    /** Returns whether the last press was a drag instead of a click. */
    wasMoved: () => travelled.current > MOVED_PX,
  };
}
