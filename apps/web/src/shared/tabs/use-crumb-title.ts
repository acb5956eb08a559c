import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useTabs } from './tabs-store.ts';

/** Shows the name of the page's record in its tab, in the breadcrumb and in the window title. */
export function useCrumbTitle(title: string | undefined): void {
  const { pathname } = useLocation();
  const entitle = useTabs((state) => state.entitle);
  // A page whose name is known at once is drawn before its tab exists.
  const hasTab = useTabs(({ tabs }) => tabs.some(({ path }) => path === pathname));
  useEffect(() => {
    if (title && hasTab) entitle(pathname, title);
  }, [pathname, title, hasTab, entitle]);
}
