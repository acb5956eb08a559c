import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useTabs } from './tabs-store.ts';

/** Sets the name of the page's record in its tab, the breadcrumb and the window title. */
export function useCrumbTitle(title: string | undefined): void {
  const { pathname } = useLocation();
  const entitle = useTabs((state) => state.entitle);
  useEffect(() => {
    if (title) entitle(pathname, title);
  }, [pathname, title, entitle]);
}
