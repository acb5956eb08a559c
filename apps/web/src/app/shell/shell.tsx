import './shell.css';
import type { RouteObject } from '@isotherm/contracts/settings';
import Drawer from 'antd/es/drawer';
import { useEffect, useMemo, useState } from 'react';
import { Outlet, useLocation, useMatches } from 'react-router';
import { AlarmWindow } from '../../features/alarms/alarm-window.tsx';
import { menuPages, menuTitle, visibleMenu } from '../../features/settings/menu.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { readCookie, writeCookie } from '../../shared/api/cookies.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { useLive } from '../live.ts';
import { useSite } from '../site-context.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Navbar } from './navbar.tsx';
import { Sidebar } from './sidebar.tsx';
import { StaleBanner } from './stale-banner.tsx';

export function Shell({ menu }: { menu: readonly RouteObject[] }) {
  const { text } = useText();
  const site = useSite();
  const narrow = useNarrow();
  const location = useLocation();
  const [collapsed, setCollapsed] = useState(readCookie('sidebar') === 'collapsed');
  const [drawerOpen, setDrawerOpen] = useState(false);
  useLive();

  const shown = useMemo(() => visibleMenu(menu), [menu]);
  const matches = useMatches();
  const handle = matches.at(-1)?.handle as { name?: string } | undefined;
  const page = useMemo(
    () => menuPages(menu).find(({ route }) => route.name === handle?.name),
    [menu, handle?.name],
  );
  // A page without an entry of its own stands under the one that leads to it.
  const current = page?.route.name === 'asset' ? 'monitor' : handle?.name;
  const title = page ? menuTitle(page.route, text) : text('common.not-found.title');
  const canHandle = usePermission('alarm-current:handle');
  const seesAlarms = usePermission('alarm-current:view');

  useEffect(() => {
    document.title = `${title} · ${site.title}`;
  }, [title, site.title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the drawer.
  useEffect(() => setDrawerOpen(false), [location.pathname]);

  function toggleMenu() {
    if (narrow) {
      setDrawerOpen(true);
      return;
    }
    writeCookie('sidebar', collapsed ? 'open' : 'collapsed');
    setCollapsed(!collapsed);
  }

  return (
    <div className={`shell${narrow ? ' shell-narrow' : ''}${collapsed ? ' shell-collapsed' : ''}`}>
      <a className="skip-link" href="#content">
        {text('common.skip')}
      </a>
      {narrow ? (
        <Drawer
          open={drawerOpen}
          onClose={() => setDrawerOpen(false)}
          placement="left"
          size={260}
          closable={false}
          styles={{ body: { padding: 0 } }}
          title={null}
        >
          <Sidebar menu={shown} current={current} collapsed={false} />
        </Drawer>
      ) : (
        <Sidebar menu={shown} current={current} collapsed={collapsed} />
      )}
      <Navbar page={page} title={title} narrow={narrow} collapsed={collapsed} onMenu={toggleMenu} />
      <main className="main" id="content">
        <StaleBanner />
        <Outlet />
      </main>
      {narrow ? <BottomBar menu={shown} current={current} /> : null}
      {seesAlarms ? <AlarmWindow canHandle={canHandle} /> : null}
    </div>
  );
}
