import type { Permission } from './permissions.ts';

/**
 * The pages of the console and where they stand in the menu, as every installation begins with them. Each
 * start puts missing ones into the `menu` table; the server sends each user the part of that table which the
 * user may open (`GET /menu/routerinfo`), and the console has no list of its own.
 * `name` is the page name of permissions and of the title key `menu.<name>`; `path` has no leading slash
 * and `component` has one (requirements §5).
 */
export interface MenuPage {
  name: string;
  path: string;
  component: string;
  icon?: string;
  /** A page without one is open to everybody who is signed in. */
  permission?: Permission;
  hidden?: boolean;
  affix?: boolean;
  noCache?: boolean;
  /** Only where the environment is development or sandbox. */
  sandboxOnly?: boolean;
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
        name: 'monitor-records',
        path: 'monitor/records',
        component: '/monitor/records',
        permission: 'monitor-records:view',
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
  {
    name: 'devices',
    path: 'device',
    component: '/layout',
    icon: 'devices',
    children: [
      {
        name: 'device-list',
        path: 'device/list',
        component: '/device/list',
        permission: 'device-list:view',
      },
      {
        name: 'device',
        path: 'device/list/:number',
        component: '/device/detail',
        permission: 'device-list:view',
        hidden: true,
      },
      {
        name: 'device-expired',
        path: 'device/expired',
        component: '/device/expired',
        permission: 'device-expired:view',
      },
      {
        name: 'device-calibration',
        path: 'device/calibration',
        component: '/device/calibration',
        permission: 'device-calibration:view',
      },
      {
        name: 'device-mappings',
        path: 'device/mappings',
        component: '/device/mappings',
        permission: 'device-mappings:view',
      },
      {
        name: 'device-commands',
        path: 'device/commands',
        component: '/device/commands',
        permission: 'device-commands:view',
      },
      {
        name: 'device-upgrade',
        path: 'device/upgrade',
        component: '/device/upgrade',
        permission: 'device-upgrade:view',
      },
      {
        name: 'device-rollout',
        path: 'device/upgrade/:id',
        component: '/device/rollout',
        permission: 'device-upgrade:view',
        hidden: true,
      },
      {
        name: 'device-stats',
        path: 'device/stats',
        component: '/device/stats',
        permission: 'device-stats:view',
      },
    ],
  },
  {
    name: 'assets',
    path: 'asset',
    component: '/layout',
    icon: 'assets',
    children: [
      {
        name: 'asset-vehicles',
        path: 'asset/vehicles',
        component: '/asset/vehicles',
        permission: 'asset:view',
      },
      {
        name: 'asset-cold-stores',
        path: 'asset/cold-stores',
        component: '/asset/cold-stores',
        permission: 'asset:view',
      },
      {
        name: 'asset-refrigerators',
        path: 'asset/refrigerators',
        component: '/asset/refrigerators',
        permission: 'asset:view',
      },
      {
        name: 'asset-boxes',
        path: 'asset/boxes',
        component: '/asset/boxes',
        permission: 'asset:view',
      },
      {
        name: 'asset-containers',
        path: 'asset/containers',
        component: '/asset/containers',
        permission: 'asset:view',
      },
      {
        name: 'asset-maintenance',
        path: 'asset/maintenance',
        component: '/asset/maintenance',
        permission: 'asset-maintenance:view',
      },
      {
        name: 'asset-validation',
        path: 'asset/validation',
        component: '/asset/validation',
        permission: 'asset-validation:view',
      },
      {
        name: 'asset-floor-plans',
        path: 'asset/floor-plans',
        component: '/asset/floor-plans',
        permission: 'asset-floor-plans:view',
      },
      {
        name: 'asset-groups',
        path: 'asset/groups',
        component: '/asset/groups',
        permission: 'asset-groups:view',
      },
      {
        name: 'asset-group',
        path: 'asset/groups/:id',
        component: '/asset/group',
        permission: 'asset-groups:view',
        hidden: true,
      },
      {
        name: 'asset-webcams',
        path: 'asset/webcams',
        component: '/asset/webcams',
        permission: 'asset-webcams:view',
      },
      {
        name: 'asset-nfc',
        path: 'asset/nfc',
        component: '/asset/nfc',
        permission: 'asset-nfc:view',
      },
      {
        name: 'asset-files',
        path: 'asset/files',
        component: '/asset/files',
        permission: 'asset-files:view',
      },
      {
        name: 'asset-history',
        path: 'asset/history',
        component: '/asset/history',
        permission: 'asset:view',
      },
    ],
  },
  {
    name: 'recharge',
    path: 'recharge',
    component: '/layout',
    icon: 'clock',
    children: [
      {
        name: 'recharge-reminders',
        path: 'recharge/reminders',
        component: '/recharge/reminders',
        permission: 'recharge-reminders:view',
      },
    ],
  },
  {
    name: 'management',
    path: 'management',
    component: '/layout',
    icon: 'management',
    children: [
      {
        name: 'management-organizations',
        path: 'management/organizations',
        component: '/management/organizations',
        permission: 'management-organizations:view',
      },
      {
        name: 'management-users',
        path: 'management/users',
        component: '/management/users',
        permission: 'management-users:view',
      },
      {
        name: 'management-user',
        path: 'management/users/:id',
        component: '/management/user',
        permission: 'management-users:view',
        hidden: true,
      },
      {
        name: 'management-roles',
        path: 'management/roles',
        component: '/management/roles',
        permission: 'management-roles:view',
      },
      {
        name: 'management-menus',
        path: 'management/menus',
        component: '/management/menus',
        permission: 'management-menus:view',
      },
      {
        name: 'management-dictionary',
        path: 'management/dictionary',
        component: '/management/dictionary',
        permission: 'management-dictionary:view',
      },
      {
        name: 'management-authorizations',
        path: 'management/authorizations',
        component: '/management/authorizations',
        permission: 'management-authorizations:view',
      },
      {
        name: 'management-logs',
        path: 'management/logs',
        component: '/management/logs',
        permission: 'management-logs:view',
      },
      {
        name: 'management-packets',
        path: 'management/packets',
        component: '/management/packets',
        permission: 'management-packets:view',
      },
    ],
  },
  {
    name: 'settings',
    path: 'setting',
    component: '/layout',
    icon: 'settings',
    children: [
      { name: 'management-account', path: 'management/account', component: '/management/account' },
      { name: 'setting-timezone', path: 'setting/timezone', component: '/setting/timezone' },
      {
        name: 'setting-website',
        path: 'setting/website',
        component: '/setting/website',
        permission: 'setting-website:view',
      },
      {
        name: 'setting-registration',
        path: 'setting/registration',
        component: '/setting/registration',
        permission: 'setting-registration:view',
      },
      {
        name: 'mailbox',
        path: 'mailbox',
        component: '/mailbox',
        permission: 'mailbox:view',
        sandboxOnly: true,
      },
    ],
  },
];
