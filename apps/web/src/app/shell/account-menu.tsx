import type { Profile } from '@isotherm/contracts/identity';
import type { RouteObject } from '@isotherm/contracts/settings';
import { LANGUAGE_NAMES, LANGUAGES } from '@isotherm/i18n/languages';
import type { MenuProps } from 'antd';
import Dropdown from 'antd/es/dropdown';
import { type ReactElement, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { logOut } from '../../features/identity/identity.queries.ts';
import { logoutTarget, type MenuPage, menuPages } from '../../features/settings/menu.ts';
import { changeLanguage } from '../../shared/i18n/language.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { askBeforeLosing, unsavedOn } from '../../shared/tabs/unsaved-store.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { chooseTheme, THEME_WISHES, type ThemeWish, useThemeWish } from '../../shared/ui/theme.ts';
import { useSite } from '../site-context.ts';
import { THEME_LABEL } from './theme-menu.tsx';

/** Returns at most two initials, or one character of a Chinese name. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  if (/[\u4e00-\u9fff]/.test(name)) return name.trim().slice(-1);
  return words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
}

/**
 * Menu of the user's account. With `full` it also contains language and theme, for which the bar of the
 * narrow layout has no room.
 */
export function AccountMenu({
  menu,
  page,
  profile,
  full = false,
  children,
}: {
  menu: readonly RouteObject[];
  /** The page that is open. */
  page: MenuPage | undefined;
  profile: Profile;
  full?: boolean;
  children?: ReactElement;
}) {
  const { text, language } = useText();
  const site = useSite();
  const wish = useThemeWish();
  const location = useLocation();
  const navigate = useNavigate();
  const [leaving, setLeaving] = useState(false);
  const name = profile.realname || profile.username;
  const account = menuPages(menu).find(({ route }) => route.name === 'management-account');

  const settings: MenuProps['items'] = full
    ? [
        ...(site.languagePicker
          ? [
              {
                key: 'language',
                label: text('common.language'),
                icon: <Icon name="globe" />,
                children: LANGUAGES.map((each) => ({ key: `language.${each}`, label: LANGUAGE_NAMES[each] })),
              },
            ]
          : []),
        {
          key: 'theme',
          label: text('common.theme'),
          icon: <Icon name="sun" />,
          children: THEME_WISHES.map((each) => ({ key: `theme.${each}`, label: text(THEME_LABEL[each]) })),
        },
      ]
    : [];

  return (
    <Dropdown
      trigger={['click']}
      menu={{
        selectedKeys: [`language.${language}`, `theme.${wish}`],
        items: [
          {
            key: 'who',
            type: 'group',
            label: (
              <span className="navbar-who">
                <strong>{name}</strong>
                <span>{profile.organizationName}</span>
              </span>
            ),
          },
          { key: 'home', label: text('shell.account.home'), icon: <Icon name="home" /> },
          ...(account
            ? [{ key: 'account', label: text('shell.account.profile'), icon: <Icon name="user" /> }]
            : []),
          ...settings,
          { type: 'divider' },
          {
            key: 'leave',
            label: text(leaving ? 'common.logging-out' : 'common.log-out'),
            icon: <Icon name="leave" />,
            disabled: leaving,
          },
        ],
        onClick: ({ key }) => {
          const [kind, value] = key.split('.');
          const chosen = LANGUAGES.find((each) => each === value);
          if (kind === 'language' && chosen) void changeLanguage(chosen);
          if (kind === 'theme') chooseTheme(value as ThemeWish);
          if (key === 'home') void navigate('/');
          if (key === 'account' && account) void navigate(account.path);
          if (key === 'leave') {
            const address = location.pathname + location.search + location.hash;
            askBeforeLosing(unsavedOn(), () => {
              setLeaving(true);
              void logOut(logoutTarget(menu, page?.route.name, address));
            });
          }
        },
      }}
    >
      {children ?? (
        <button type="button" className="navbar-avatar" aria-busy={leaving}>
          {profile.photo ? <img src={profile.photo} alt="" /> : initials(name)}
          <span className="visually-hidden">{text('common.account', { name })}</span>
        </button>
      )}
    </Dropdown>
  );
}
