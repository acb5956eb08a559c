import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * Cards just outside the window also count as visible, so that they are loaded before the user scrolls to
 * them.
 */
const MARGIN = '240px';

let observer: IntersectionObserver | null = null;
const watched = new WeakMap<Element, (inSight: boolean) => void>();

function observe(element: Element, report: (inSight: boolean) => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const entry of entries) watched.get(entry.target)?.(entry.isIntersecting);
    },
    { rootMargin: MARGIN },
  );
  watched.set(element, report);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/** Returns whether the element is visible; all cards share one IntersectionObserver. */
export function useInSight<E extends Element>(
  report?: (inSight: boolean) => void,
): {
  ref: RefObject<E | null>;
  inSight: boolean;
} {
  const ref = useRef<E>(null);
  const [inSight, setInSight] = useState(false);
  const told = useRef(report);
  told.current = report;
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const stop = observe(element, (now) => {
      setInSight(now);
      told.current?.(now);
    });
    return () => {
      stop();
      told.current?.(false);
    };
  }, []);
  return { ref, inSight };
}
