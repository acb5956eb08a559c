import { Activity, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  type Location,
  UNSAFE_LocationContext,
  useLocation,
  useNavigationType,
  useOutlet,
} from 'react-router';
import { type View, withShown } from './kept-views.ts';
import { useTabs } from './tabs-store.ts';

interface Content {
  page: ReactNode;
  location: Location;
}

/**
 * The open page, and behind it those of the other tabs, hidden but alive: state, scroll and filters are
 * there when their tab is opened again (requirements §2). A hidden page's effects are undone, so it neither
 * polls nor watches on the socket, and it keeps its own address, so another page's filters are not its own.
 */
export function KeptPages() {
  const page = useOutlet();
  const location = useLocation();
  const tabs = useTabs((state) => state.tabs);
  const generations = useTabs((state) => state.generations);
  const path = location.pathname;
  const generation = generations[path] ?? 0;
  const [views, setViews] = useState<readonly View<Content>[]>([]);

  const open = views.find((view) => view.path === path && view.generation === generation);
  const stays = (each: string, itsGeneration: number) =>
    (generations[each] ?? 0) === itsGeneration && tabs.some((tab) => tab.path === each && !tab.noCache);
  const isLeftOver = views.some((view) => view !== open && !stays(view.path, view.generation));
  let standing = views;
  if (open?.content.location !== location || isLeftOver) {
    standing = withShown(views, { path, generation, content: { page, location } }, stays);
    setViews(standing);
  }

  return standing.map((view) => {
    const isOpen = view.path === path && view.generation === generation;
    return (
      <Activity key={`${view.path}#${view.generation}`} mode={isOpen ? 'visible' : 'hidden'}>
        <KeptPage location={view.content.location}>{isOpen ? page : view.content.page}</KeptPage>
      </Activity>
    );
  });
}

function KeptPage({ location, children }: { location: Location; children: ReactNode }) {
  const navigationType = useNavigationType();
  const frame = useScrollMemory();
  const address = useMemo(() => ({ location, navigationType }), [location, navigationType]);
  return (
    <UNSAFE_LocationContext value={address}>
      <div className="kept-page" ref={frame}>
        {children}
      </div>
    </UNSAFE_LocationContext>
  );
}

/** What is not displayed forgets where it was scrolled to: remembered here, for everything that scrolls in it. */
function useScrollMemory() {
  const frame = useRef<HTMLDivElement>(null);
  const places = useRef(new Map<Element, { top: number; left: number }>());
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    for (const [scroller, { top, left }] of places.current) {
      if (scroller.isConnected) scroller.scrollTo({ top, left, behavior: 'instant' });
      else places.current.delete(scroller);
    }
    const remember = ({ target }: Event) => {
      if (target instanceof Element)
        places.current.set(target, { top: target.scrollTop, left: target.scrollLeft });
    };
    element.addEventListener('scroll', remember, { capture: true, passive: true });
    return () => element.removeEventListener('scroll', remember, { capture: true });
  }, []);
  return frame;
}
