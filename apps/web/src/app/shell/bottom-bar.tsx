import type { RouteObject } from '@isotherm/contracts/settings';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'react-router';
import { AttentionBadge } from '../../features/alarms/attention-count.tsx';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { menuPages, menuTitle, offeredPages } from '../../features/settings/menu.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Icon, iconNamed } from '../../shared/ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';

/** Number of pages in the bottom bar, besides the account menu. */
const PAGES = 4;

export function BottomBar({ menu, current }: { menu: readonly RouteObject[]; current: string | undefined }) {
  const { text, language } = useText();
  const { pathname } = useLocation();
  const { data: profile } = useQuery(profileQuery);
  const pages = menuPages(menu);
  return (
    <nav className="bottom-bar" aria-label={text('common.menu')}>
      {offeredPages(menu)
        .slice(0, PAGES)
        .map(({ route, groups, path }) => (
          <Link key={route.name} to={path} aria-current={route.name === current ? 'page' : undefined}>
            <Icon name={iconNamed(route.meta.icon ?? groups[0]?.meta.icon)} />
            {menuTitle(route, text, language)}
            {route.name === 'alarm-current' ? <AttentionBadge /> : null}
          </Link>
        ))}
      {profile ? (
        <AccountMenu menu={menu} page={pages.find(({ path }) => path === pathname)} profile={profile} full>
          <button type="button">
            <Icon name="user" />
            {text('common.me')}
          </button>
        </AccountMenu>
      ) : null}
    </nav>
  );
}
