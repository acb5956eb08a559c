import { Activity, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import {
  type Location,
  UNSAFE_LocationContext,
  useLocation,
  useNavigationType,
  useOutlet,
} from 'react-router';
import { type KeptPage, KeptPageContext } from './kept-page.ts';
import { pageKey, type View, withShown } from './kept-views.ts';
import { useTabs } from './tabs-store.ts';
import { forgetPages, forgetStale, unsavedMark, unsavedOn } from './unsaved-store.ts';

interface Content {
  page: ReactNode;
  location: Location;
}

const hasUnsaved = (path: string, generation: number) =>
  unsavedOn(new Set([pageKey(path, generation)])).length > 0;

/**
 * Renders the open page and the hidden pages of other tabs, which keep their state, scroll positions and
 * filters (requirements §2). The effects of a hidden page are cleaned up, so it neither polls nor subscribes
 * to WebSocket events. Each page has its own address: a hidden page neither sees nor changes the address of
 * the open one.
 */
export function KeptPages() {
  const page = useOutlet();
  const location = useLocation();
  const tabs = useTabs((state) => state.tabs);
  const generations = useTabs((state) => state.generations);
  const path = location.pathname;
  const generation = generations[path] ?? 0;
  const [views, setViews] = useState<readonly View<Content>[]>([]);
  const openKey = pageKey(path, generation);
  /** Key of the visible page, for callbacks. It is set before the effects of hidden pages are cleaned up. */
  const shownKey = useRef(openKey);
  useLayoutEffect(() => {
    shownKey.current = openKey;
  }, [openKey]);

  const open = views.find((view) => view.path === path && view.generation === generation);
  const stays = (each: string, itsGeneration: number) =>
    (generations[each] ?? 0) === itsGeneration && tabs.some((tab) => tab.path === each && !tab.noCache);
  const isLeftOver = views.some((view) => view !== open && !stays(view.path, view.generation));
  let alive = views;
  if (open?.content.location !== location || isLeftOver) {
    alive = withShown(views, { path, generation, content: { page, location } }, stays, hasUnsaved);
    setViews(alive);
  }
  const readdress = useRef((key: string, search: string) => {
    setViews((now) =>
      now.map((view) => {
        if (pageKey(view.path, view.generation) !== key) return view;
        const itsLocation = { ...view.content.location, search: search === '' ? '' : `?${search}` };
        useTabs.getState().readdress(view.path, view.path + itsLocation.search + itsLocation.hash);
        return { ...view, content: { ...view.content, location: itsLocation } };
      }),
    );
  });

  const keys = alive.map((view) => pageKey(view.path, view.generation)).join('\n');
  useEffect(() => forgetPages(new Set(keys.split('\n'))), [keys]);

  return alive.map((view) => {
    const key = pageKey(view.path, view.generation);
    const isOpen = key === openKey;
    return (
      <PageFrame
        key={key}
        pageId={key}
        path={view.path}
        isOpen={isOpen}
        location={view.content.location}
        shownKey={shownKey}
        onReaddress={readdress.current}
      >
        {isOpen ? page : view.content.page}
      </PageFrame>
    );
  });
}

/** Frame of a page. It is outside React's Activity, so that it is notified when a hidden page is closed. */
function PageFrame({
  pageId,
  path,
  isOpen,
  location,
  shownKey,
  onReaddress,
  children,
}: {
  pageId: string;
  path: string;
  isOpen: boolean;
  location: Location;
  shownKey: { current: string };
  onReaddress: (key: string, search: string) => void;
  children: ReactNode;
}) {
  const endings = useRef(new Set<() => void>());
  const kept = useMemo<KeptPage>(
    () => ({
      key: pageId,
      path,
      isOpen: () => shownKey.current === pageId,
      readdress: (search) => onReaddress(pageId, search),
      onGone: (callback) => {
        endings.current.add(callback);
        return () => endings.current.delete(callback);
      },
    }),
    [pageId, path, shownKey, onReaddress],
  );
  useEffect(() => {
    const callbacks = endings.current;
    return () => {
      for (const callback of callbacks) callback();
    };
  }, []);
  // Identifies registrations of unsaved work that were not repeated when the page was shown again and are
  // therefore out of date. Layout effects run before the effects in which components register; effects of
  // parents run after those of children.
  const mark = useRef(0);
  useLayoutEffect(() => {
    if (isOpen) mark.current = unsavedMark();
  }, [isOpen]);
  useEffect(() => {
    if (isOpen) forgetStale(pageId, mark.current);
  }, [isOpen, pageId]);

  return (
    <Activity mode={isOpen ? 'visible' : 'hidden'}>
      <KeptPageContext value={kept}>
        <PageContent location={location}>{children}</PageContent>
      </KeptPageContext>
    </Activity>
  );
}

function PageContent({ location, children }: { location: Location; children: ReactNode }) {
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

/** Stores the scroll positions of all scrolling elements in the page, because a hidden element loses them. */
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
