import './shell.css';
import type { Site } from '@isotherm/contracts/settings';
import Drawer from 'antd/es/drawer';
import { type CSSProperties, lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useLocation, useMatches } from 'react-router';
import { AlarmWindow } from '../../features/alarms/alarm-window.tsx';
import { AlarmPopups } from '../../features/alarms/popups/alarm-popups.tsx';
import { AnnouncementPopups } from '../../features/announcements/announcement-popup.tsx';
import {
  isSearchable,
  menuPages,
  menuTitle,
  placeInMenu,
  visibleMenu,
} from '../../features/settings/menu.ts';
import { useMenu } from '../../features/settings/settings.queries.ts';
import { UnsentBanner } from '../../features/waybills/trips/unsent-banner.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { readCookie, writeCookie } from '../../shared/api/cookies.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { SignatureDialog } from '../../shared/signature/signature-dialog.tsx';
import { KeptPages } from '../../shared/tabs/kept-pages.tsx';
import { useTabs } from '../../shared/tabs/tabs-store.ts';
import { TagBar } from '../../shared/tabs/tag-bar.tsx';
import { UnsavedGuard } from '../../shared/tabs/unsaved-guard.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { installWorker } from '../install-worker.ts';
import { useLive } from '../live.ts';
import { prefetchPages } from '../pages.tsx';
import { useSite } from '../site-context.ts';
import { BottomBar } from './bottom-bar.tsx';
import { Downloads } from './downloads.tsx';
import { Navbar } from './navbar.tsx';
import { RenewalNotice } from './renewal-notice.tsx';
import { SessionChange } from './session-change.tsx';
import { Sidebar } from './sidebar.tsx';
import { StaleBanner } from './stale-banner.tsx';
import { useSearchKey } from './use-search-key.ts';

const PageSearch = lazy(() => import('../search/page-search.tsx'));

/**
 * The sidebar is 210, 320 or 360 px wide, depending on the theme (requirements §9). The environment
 * determines the theme (docs/decisions/0006).
 */
const SIDEBAR_WIDTH_PX: Record<Site['environment'], number> = {
  production: 210,
  development: 210,
  sandbox: 210,
  zeek: 320,
  scm: 360,
  zkscool: 360,
};

export function Shell() {
  const menu = useMenu();
  const { text, language } = useText();
  const site = useSite();
  const narrow = useNarrow();
  const location = useLocation();
  const [collapsed, setCollapsed] = useState(readCookie('sidebar') === 'collapsed');
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [searching, setSearching] = useState(false);
  useLive();
  useSearchKey(() => setSearching(true));

  const shown = useMemo(() => visibleMenu(menu), [menu]);
  const pages = useMemo(() => menuPages(menu), [menu]);
  const matches = useMatches();
  const handle = matches.at(-1)?.handle as { name?: string } | undefined;
  const page = pages.find(({ route }) => route.name === handle?.name);
  const current = placeInMenu(pages, handle?.name);
  const { tabs, visit, pin } = useTabs();
  const titleOf = (name: string | undefined) => {
    const named = pages.find(({ route }) => route.name === name);
    return named ? menuTitle(named.route, text, language) : text('common.not-found.title');
  };
  const title = tabs.find(({ path }) => path === location.pathname)?.title ?? titleOf(handle?.name);
  const canAcknowledge = usePermission('alarm-current:acknowledge');
  const readsAnnouncements = usePermission('announcement-list:view');
  const seesAlarms = usePermission('alarm-current:view');

  useEffect(() => {
    const pinned = pages.filter((each) => each.route.meta.affix && isSearchable(each));
    pin(
      pinned.map(({ route, path }) => ({
        path,
        address: path,
        name: route.name,
        affix: true,
        noCache: route.meta.noCache,
      })),
      new Set(pages.map(({ route }) => route.name)),
    );
  }, [pages, pin]);
  useEffect(() => {
    if (!page) return;
    const { affix, noCache } = page.route.meta;
    const address = location.pathname + location.search + location.hash;
    visit({ path: location.pathname, address, name: page.route.name, affix, noCache });
  }, [page, location, visit]);
  useEffect(() => prefetchPages(pages.map(({ route }) => route.component)), [pages]);
  useEffect(() => {
    document.title = `${title} · ${site.pageTitle}`;
  }, [title, site.pageTitle]);
  useEffect(installWorker, []);
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

  const sidebar = (
    <Sidebar
      menu={shown}
      current={current}
      collapsed={collapsed && !narrow}
      onSearch={() => {
        setDrawerOpen(false);
        setSearching(true);
      }}
    />
  );
  return (
    <div
      className={`shell${narrow ? ' shell-narrow' : ''}${collapsed ? ' shell-collapsed' : ''}`}
      style={{ '--sidebar-width': `${SIDEBAR_WIDTH_PX[site.environment]}px` } as CSSProperties}
    >
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
          aria-label={text('common.menu')}
        >
          {sidebar}
        </Drawer>
      ) : (
        sidebar
      )}
      <Navbar
        menu={menu}
        page={page}
        title={title}
        narrow={narrow}
        collapsed={collapsed}
        onMenu={toggleMenu}
      />
      {narrow ? null : <TagBar open={location.pathname} titleOf={(tab) => tab.title ?? titleOf(tab.name)} />}
      <main className="main" id="content" tabIndex={-1}>
        <StaleBanner />
        <UnsentBanner />
        <KeptPages />
        <UnsavedGuard />
      </main>
      {narrow ? <BottomBar menu={menu} current={current} /> : null}
      {seesAlarms ? <AlarmWindow canAcknowledge={canAcknowledge} /> : null}
      <AlarmPopups canAcknowledge={canAcknowledge} />
      {readsAnnouncements ? <AnnouncementPopups /> : null}
      <RenewalNotice pages={pages} />
      <SessionChange />
      <SignatureDialog />
      <Downloads />
      {searching ? (
        <Suspense>
          <PageSearch menu={menu} onClose={() => setSearching(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
