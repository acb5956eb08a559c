import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useTabs } from './tabs-store.ts';

/** Gives a page that is about one thing that thing's name: in its tab, the breadcrumb and the window's title. */
export function useCrumbTitle(title: string | undefined): void {
  const { pathname } = useLocation();
  const entitle = useTabs((state) => state.entitle);
  useEffect(() => {
    if (title) entitle(pathname, title);
  }, [pathname, title, entitle]);
}
