import type { Permission } from './permissions.ts';

/**
 * The pages of the console and where they stand in the menu. The server sends each user the part that
 * the user may open (`GET /menu/routerinfo`); the console has no list of its own.
 * `name` is the page name of permissions and of the title key `menu.<name>`; `path` has no leading slash
 * and `component` has one (requirements §5).
 */
export interface MenuPage {
  name: string;
  path: string;
  component: string;
  icon?: string;
  permission?: Permission;
  hidden?: boolean;
  affix?: boolean;
  noCache?: boolean;
  children?: readonly MenuPage[];
}

export const MENU: readonly MenuPage[] = [
  {
    name: 'monitoring',
    path: 'monitoring',
    component: '/layout',
    icon: 'monitoring',
    children: [
      {
        name: 'monitor',
        path: 'monitor',
        component: '/monitor/wall',
        permission: 'monitor:view',
        affix: true,
      },
      {
        name: 'asset',
        path: 'asset/:id',
        component: '/asset/detail',
        permission: 'asset:view',
        hidden: true,
      },
    ],
  },
  {
    name: 'alarms',
    path: 'alarm',
    component: '/layout',
    icon: 'alarms',
    children: [
      {
        name: 'alarm-current',
        path: 'alarm/current',
        component: '/alarm/current',
        permission: 'alarm-current:view',
      },
    ],
  },
];
