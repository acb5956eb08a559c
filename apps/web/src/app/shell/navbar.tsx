import type { RouteObject, Site } from '@isotherm/contracts/settings';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import Dropdown from 'antd/es/dropdown';
import { useState } from 'react';
import { Link } from 'react-router';
import { useAlarmWindow } from '../../features/alarms/alarm-window-store.ts';
import { AttentionBadge } from '../../features/alarms/attention-count.tsx';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { firstPage, type MenuPage, menuTitle } from '../../features/settings/menu.ts';
import { usePermission } from '../../shared/access/permissions.ts';
import { useTicking } from '../../shared/format/now.ts';
import { formatTime, offsetName, zoneOffsetMinutes } from '../../shared/format/time.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { changeLanguage } from '../../shared/i18n/language.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { useLink } from '../../shared/socket/socket.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { HelpButton } from '../help/help-button.tsx';
import { useSite } from '../site-context.ts';
import { AccountMenu } from './account-menu.tsx';
import { DownloadsButton } from './downloads.tsx';
import { SystemConfig } from './system-config.tsx';
import { ThemeMenu } from './theme-menu.tsx';

interface NavbarProps {
  menu: readonly RouteObject[];
  page: MenuPage | undefined;
  title: string;
  narrow: boolean;
  collapsed: boolean;
  onMenu: () => void;
}

export function Navbar({ menu, page, title, narrow, collapsed, onMenu }: NavbarProps) {
  const { text } = useText();
  const site = useSite();
  const { data: profile } = useQuery(profileQuery);
  return (
    <header className="navbar">
      <Button
        variant="quiet"
        icon
        aria-label={text(
          narrow ? 'common.menu.open' : collapsed ? 'common.menu.expand' : 'common.menu.collapse',
        )}
        onClick={onMenu}
      >
        <Icon name="menu" />
      </Button>
      {narrow ? (
        <strong className="navbar-title ellipsis">{title}</strong>
      ) : (
        <Breadcrumb page={page} title={title} isHome={page !== undefined && page.path === firstPage(menu)} />
      )}
      <HelpButton page={page?.route.name} title={title} />
      <div className="navbar-end">
        {narrow ? null : (
          <>
            <EnvironmentLabel />
            <SystemConfig />
            <Clock />
            <span className="navbar-line" />
            {site.languagePicker ? (
              <>
                <LanguageMenu />
                <span className="navbar-line" />
              </>
            ) : null}
            <ThemeMenu />
            <span className="navbar-line" />
          </>
        )}
        <DownloadsButton />
        <Bell narrow={narrow} />
        {narrow || !profile ? null : (
          <>
            <span className="small secondary navbar-welcome ellipsis">
              {text('common.welcome', { name: profile.realname || profile.username })}
            </span>
            <AccountMenu menu={menu} page={page} profile={profile} />
          </>
        )}
      </div>
    </header>
  );
}

/** The breadcrumb starts with Home, except on the home page itself (requirements §2). */
function Breadcrumb({ page, title, isHome }: { page: MenuPage | undefined; title: string; isHome: boolean }) {
  const { text, language } = useText();
  const groups = (page?.groups ?? []).filter(({ meta }) => meta.breadcrumb !== false);
  return (
    <nav className="breadcrumb" aria-label={text('common.breadcrumb')}>
      <ol>
        {isHome ? null : (
          <li>
            <Link to="/">{text('common.home')}</Link>
          </li>
        )}
        {groups.map((group) => (
          <li key={group.name}>{menuTitle(group, text, language)}</li>
        ))}
        {page?.route.meta.breadcrumb === false ? null : (
          <li aria-current="page" className="ellipsis">
            {title}
          </li>
        )}
      </ol>
    </nav>
  );
}

const ENVIRONMENT_LABEL: Partial<Record<Site['environment'], TextId>> = {
  development: 'shell.environment.development',
  sandbox: 'shell.environment.sandbox',
};

/** Label that marks test environments. Brands are distinguished by their titles. */
function EnvironmentLabel() {
  const { text } = useText();
  const label = ENVIRONMENT_LABEL[useSite().environment];
  if (!label) return null;
  return (
    <span className="tag" title={text('shell.environment.trial')}>
      {text(label)}
    </span>
  );
}

function Clock() {
  const { language, zone } = useViewer();
  const time = useTicking((now) => formatTime(now, 'date-time', language, zone));
  const offset = useTicking((now) => offsetName(zoneOffsetMinutes(zone, now)));
  return (
    <span className="row small secondary navbar-clock" title={zone}>
      <Icon name="clock" />
      <span className="number">{time}</span>
      <span className="tertiary number">
        <span className="navbar-zone">{zone} </span>
        {offset}
      </span>
    </span>
  );
}

function LanguageMenu() {
  const { text, language } = useText();
  const [open, setOpen] = useState(false);
  return (
    <Dropdown
      trigger={['click']}
      open={open}
      onOpenChange={setOpen}
      menu={{
        selectable: true,
        selectedKeys: [language],
        items: LANGUAGES.map((key) => ({ key, label: LANGUAGE_NAMES[key] })),
        onClick: ({ key }) => {
          const chosen = LANGUAGES.find((each) => each === key);
          if (chosen) void changeLanguage(chosen);
        },
      }}
    >
      <Button variant="quiet" className="small">
        <Icon name="globe" />
        <span className="visually-hidden">{text('common.language')}</span>
        {LANGUAGE_NAMES[language]}
      </Button>
    </Dropdown>
  );
}

const BELL_LABEL = {
  live: 'alarms.bell.live',
  connecting: 'alarms.bell.connecting',
  lost: 'alarms.bell.lost',
} as const;

/** The bell is green while the WebSocket is connected, otherwise red (requirements §4). */
function Bell({ narrow }: { narrow: boolean }) {
  const { text } = useText();
  const link = useLink();
  const seesAlarms = usePermission('alarm-current:view');
  const toggle = useAlarmWindow((state) => state.toggle);
  return (
    <Button
      variant="quiet"
      className={`small bell bell-${link}`}
      title={text(link === 'live' ? 'alarms.bell.live-title' : 'alarms.bell.lost-title')}
      onClick={toggle}
    >
      <Icon name="alarms" />
      <span className={narrow ? 'visually-hidden' : undefined}>{text(BELL_LABEL[link])}</span>
      {seesAlarms ? <AttentionBadge /> : null}
    </Button>
  );
}
