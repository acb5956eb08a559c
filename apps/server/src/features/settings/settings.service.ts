import type { RouteObject, Site } from '@isotherm/contracts/settings';
import { MENU, type MenuPage } from '@isotherm/domain/access/menu';

export interface SiteSettings {
  environment: Site['environment'];
  salt: string;
  languagePicker: boolean;
}

export const VERSION = 'v1.0.0';

/** Brand of the installation (requirements §1: default title "Overseas Cloud", scm and zkscool collapse to "SCM"). */
export function siteOf(settings: SiteSettings, year: number): Site {
  const title = 'Overseas Cloud';
  const collapsesToScm = settings.environment === 'scm' || settings.environment === 'zkscool';
  return {
    environment: settings.environment,
    version: VERSION,
    title,
    collapsedTitle: collapsesToScm ? 'SCM' : title,
    copyright: `© ${year} ${title}`,
    languagePicker: settings.languagePicker,
    salt: settings.salt,
    pageTitle: title,
    loginLogo: '',
    menuLogo: '',
    showAppDownload: false,
    appDownloadUrl: '',
    wechatAccount: '',
    supportNote: '',
    registration: false,
    filing: '',
  };
}

/** The part of the menu that a holder of these permissions may open; groups left empty are left out. */
export function menuFor(permissions: ReadonlySet<string>, pages: readonly MenuPage[] = MENU): RouteObject[] {
  return pages.flatMap((page) => {
    if (page.permission && !permissions.has(page.permission)) return [];
    const children = page.children && menuFor(permissions, page.children);
    if (children && children.length === 0) return [];
    return [
      {
        name: page.name,
        path: page.path,
        component: page.component,
        hidden: page.hidden ?? false,
        meta: {
          title: `menu.${page.name}`,
          icon: page.icon,
          affix: page.affix ?? false,
          noCache: page.noCache ?? false,
        },
        children,
      },
    ];
  });
}

/** Permissions on one page, by the page's name: `alarm-current` → `alarm-current:handle`, … */
export function permissionsOn(page: string, permissions: ReadonlySet<string>): string[] {
  return [...permissions].filter((permission) => permission.startsWith(`${page}:`)).sort();
}
