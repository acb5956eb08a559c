import type { RouteObject } from '@isotherm/contracts/settings';
import { useState } from 'react';
import { Link } from 'react-router';
import { OpenAlarmsBadge } from '../../features/alarms/open-alarms-badge.tsx';
import { firstPage, menuTitle } from '../../features/settings/menu.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { BrandMark, Icon, iconNamed } from '../../shared/ui/icon.tsx';
import { useSite } from '../site-context.ts';

interface SidebarProps {
  menu: readonly RouteObject[];
  /** Route name of the page that is open. */
  current: string | undefined;
  collapsed: boolean;
}

export function Sidebar({ menu, current, collapsed }: SidebarProps) {
  const { text } = useText();
  const site = useSite();
  return (
    <aside className="sidebar">
      <Link className="brand" to="/" title={collapsed ? site.title : undefined}>
        <BrandMark />
        <span className={collapsed ? 'visually-hidden' : 'ellipsis'}>{site.title}</span>
      </Link>
      <nav className="menu" aria-label={text('common.menu')}>
        {menu.map((entry) =>
          entry.children ? (
            <Group key={entry.name} group={entry} current={current} collapsed={collapsed} />
          ) : (
            <PageLink key={entry.name} route={entry} current={current} collapsed={collapsed} />
          ),
        )}
      </nav>
      {collapsed ? null : (
        <div className="sidebar-foot">
          <span>{site.version}</span>
          <span className="end ellipsis">{site.copyright}</span>
        </div>
      )}
    </aside>
  );
}

function holds(group: RouteObject, name: string | undefined): boolean {
  return group.name === name || (group.children?.some((child) => holds(child, name)) ?? false);
}

function Group({
  group,
  current,
  collapsed,
}: {
  group: RouteObject;
  current: string | undefined;
  collapsed: boolean;
}) {
  const { text } = useText();
  const [open, setOpen] = useState(true);
  const title = menuTitle(group, text);
  if (collapsed) {
    const target = firstPage([group]);
    return target ? (
      <Link
        className="menu-item"
        to={target}
        title={title}
        aria-current={holds(group, current) ? 'true' : undefined}
      >
        <Icon name={iconNamed(group.meta.icon)} />
        <span className="visually-hidden">{title}</span>
      </Link>
    ) : null;
  }
  return (
    <div>
      <button type="button" className="menu-item" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={iconNamed(group.meta.icon)} />
        <span className="ellipsis">{title}</span>
        <span className="end menu-fold">
          {group.name === 'alarms' && !open ? <OpenAlarmsBadge /> : null}
          <Icon name={open ? 'down' : 'right'} small />
        </span>
      </button>
      {open
        ? group.children?.map((child) => (
            <PageLink key={child.name} route={child} current={current} collapsed={false} nested />
          ))
        : null}
    </div>
  );
}

function PageLink({
  route,
  current,
  collapsed,
  nested = false,
}: {
  route: RouteObject;
  current: string | undefined;
  collapsed: boolean;
  nested?: boolean;
}) {
  const { text } = useText();
  const title = menuTitle(route, text);
  return (
    <Link
      className={nested ? 'menu-item menu-nested' : 'menu-item'}
      to={`/${route.path}`}
      title={collapsed ? title : undefined}
      aria-current={route.name === current ? 'page' : undefined}
    >
      {nested ? null : <Icon name={iconNamed(route.meta.icon)} />}
      <span className={collapsed ? 'visually-hidden' : 'ellipsis'}>{title}</span>
      {route.name === 'alarm-current' && !collapsed ? (
        <span className="end">
          <OpenAlarmsBadge />
        </span>
      ) : null}
    </Link>
  );
}
