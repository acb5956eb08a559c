import type { RouteObject } from '@isotherm/contracts/settings';
import { isExternalLink } from '@isotherm/domain/access/links';
import Dropdown from 'antd/es/dropdown';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { AttentionBadge } from '../../features/alarms/attention-count.tsx';
import { menuPages, menuTitle, targetOf } from '../../features/settings/menu.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { useTabs } from '../../shared/tabs/tabs-store.ts';
import { Icon, iconNamed } from '../../shared/ui/icon.tsx';
import { BrandLogo } from '../brand-logo.tsx';
import { useSite } from '../site-context.ts';
import { UnreadBadge } from './unread-badge.tsx';
import { searchKeyName } from './use-search-key.ts';

interface SidebarProps {
  menu: readonly RouteObject[];
  /** Route name of the page that is open. */
  current: string | undefined;
  collapsed: boolean;
  onSearch: () => void;
}

/** Longest collapsed title, in characters. A title up to this length replaces the logo. */
const FITS_COLLAPSED = 4;

export function Sidebar({ menu, current, collapsed, onSearch }: SidebarProps) {
  const { text } = useText();
  const site = useSite();
  const short = collapsed && site.menuLogo === '' && [...site.collapsedTitle].length <= FITS_COLLAPSED;
  return (
    <aside className="sidebar">
      <Link className="site-brand" to="/" title={collapsed ? site.title : undefined}>
        {short ? (
          <span className="site-short">{site.collapsedTitle}</span>
        ) : (
          <>
            <BrandLogo src={site.menuLogo} />
            <span className={collapsed ? 'visually-hidden' : 'ellipsis'}>
              {collapsed ? site.collapsedTitle : site.title}
            </span>
          </>
        )}
      </Link>
      <button type="button" className="sidebar-search" title={text('search.title')} onClick={onSearch}>
        <Icon name="search" />
        <span className={collapsed ? 'visually-hidden' : undefined}>{text('shell.search')}</span>
        {collapsed ? null : <kbd className="key-hint">{searchKeyName()}</kbd>}
      </button>
      <nav className="menu" aria-label={text('common.menu')}>
        {menu.map((entry) => (
          <Entry key={entry.name} entry={entry} current={current} collapsed={collapsed} depth={0} />
        ))}
      </nav>
      {collapsed ? null : (
        <div className="sidebar-foot">
          <span>{site.version}</span>
          <span className="end ellipsis" title={site.copyright}>
            {site.copyright}
          </span>
        </div>
      )}
    </aside>
  );
}

interface EntryProps {
  entry: RouteObject;
  current: string | undefined;
  collapsed: boolean;
  depth: number;
}

function Entry(props: EntryProps) {
  if (!props.entry.children) return <PageEntry {...props} />;
  return props.collapsed ? <CollapsedGroup {...props} /> : <Group {...props} />;
}

function holds(group: RouteObject, name: string | undefined): boolean {
  return group.name === name || (group.children?.some((child) => holds(child, name)) ?? false);
}

/** Sum of the badges of the pages in a collapsed group. */
function GroupBadges({ group }: { group: RouteObject }) {
  return menuPages([group]).map(({ route }) => <EntryBadge key={route.name} name={route.name} />);
}

function EntryBadge({ name }: { name: string }) {
  if (name === 'alarm-current') return <AttentionBadge />;
  return name === 'announcement-list' ? <UnreadBadge /> : null;
}

function Group({ entry, current, depth }: EntryProps) {
  const { text, language } = useText();
  const [wish, setWish] = useState<boolean | null>(null);
  const open = wish ?? holds(entry, current);
  return (
    <div>
      <button
        type="button"
        className={depth === 0 ? 'menu-item' : 'menu-item menu-nested'}
        aria-expanded={open}
        onClick={() => setWish(!open)}
      >
        {depth === 0 ? <Icon name={iconNamed(entry.meta.icon)} /> : null}
        <span className="ellipsis">{menuTitle(entry, text, language)}</span>
        <span className="end menu-fold">
          {open ? null : <GroupBadges group={entry} />}
          <Icon name={open ? 'down' : 'right'} small />
        </span>
      </button>
      {open
        ? entry.children?.map((child) => (
            <Entry key={child.name} entry={child} current={current} collapsed={false} depth={depth + 1} />
          ))
        : null}
    </div>
  );
}

/** Entry of a group in the collapsed sidebar. The pages of the group appear in a flyout. */
function CollapsedGroup({ entry, current }: EntryProps) {
  const { text, language } = useText();
  const title = menuTitle(entry, text, language);
  return (
    <Dropdown
      trigger={['hover', 'click']}
      placement="topRight"
      align={{ points: ['tl', 'tr'], offset: [4, 0] }}
      menu={{
        selectedKeys: current ? [current] : [],
        items: [
          {
            key: 'group',
            type: 'group',
            label: title,
            children: menuPages([entry]).map(({ route }) => ({
              key: route.name,
              label: <EntryLink route={route}>{menuTitle(route, text, language)}</EntryLink>,
            })),
          },
        ],
      }}
    >
      <button
        type="button"
        className="menu-item"
        title={title}
        aria-current={holds(entry, current) ? 'true' : undefined}
      >
        <Icon name={iconNamed(entry.meta.icon)} />
        <span className="visually-hidden">{title}</span>
      </button>
    </Dropdown>
  );
}

function PageEntry({ entry, current, collapsed, depth }: EntryProps) {
  const { text, language } = useText();
  const title = menuTitle(entry, text, language);
  return (
    <EntryLink
      route={entry}
      className={depth === 0 ? 'menu-item' : 'menu-item menu-nested'}
      title={collapsed ? title : undefined}
      isCurrent={entry.name === current}
    >
      {depth === 0 ? <Icon name={iconNamed(entry.meta.icon)} /> : null}
      <span className={collapsed ? 'visually-hidden' : 'ellipsis'}>{title}</span>
      {collapsed ? null : (
        <span className="end menu-fold">
          <EntryBadge name={entry.name} />
          {isExternalLink(entry.path) ? <Icon name="external" small /> : null}
        </span>
      )}
    </EntryLink>
  );
}

/**
 * Link to a page, at the last address of its tab if it has one, or to an external address (requirements §2).
 */
function EntryLink({
  route,
  className,
  title,
  isCurrent = false,
  children,
}: {
  route: RouteObject;
  className?: string;
  title?: string | undefined;
  isCurrent?: boolean;
  children: ReactNode;
}) {
  const { text } = useText();
  const { pathname } = useLocation();
  const target = targetOf(route);
  const tab = useTabs(({ tabs }) => tabs.find(({ path }) => path === target));
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  if (isExternalLink(target)) {
    const isPage = target.toLowerCase().startsWith('http');
    return (
      <a
        className={className}
        title={title}
        href={target}
        {...(isPage ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
      >
        {children}
        {isPage ? <span className="visually-hidden">{text('shell.external')}</span> : null}
      </a>
    );
  }
  return (
    <Link
      ref={link}
      className={className}
      title={title}
      // A click on the entry of the open page opens the page's base address.
      to={tab && pathname !== target ? tab.address : target}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </Link>
  );
}
