import { EVERYBODY, KEEPERS, MANAGERS, PLATFORM_ONLY, STAFF, type SystemRole } from './system-roles.ts';

/** One page of the console. Menu, routes, permissions and roles are derived from these entries. */
export interface PageEntry {
  /** Page name. It is the prefix of its permissions and part of the text key of its title, `menu.<name>`. */
  name: string;
  /** Path without a leading slash (requirements §5). */
  path: string;
  /** Icon in the bottom bar of a phone; the default is the icon of its group. */
  icon?: string;
  /** Component name with a leading slash; the default is the path. The console's file is named after it. */
  component?: string;
  /**
   * Actions of the page with the roles that have them initially. The platform administrator has all actions.
   * An action is the permission `<name>:<action>`; `view` opens the page. A page without actions is open to
   * every signed-in user.
   */
  actions?: Readonly<Record<string, readonly SystemRole[]>>;
  /** Name of the page whose actions are used, if this one has none of its own. */
  sharesActionsOf?: string;
  /** True if the page is not in the menu but opened from another page. */
  hidden?: boolean;
  /** True if the tab of the page stays open. */
  affix?: boolean;
  /** True if the page exists only in development and sandbox environments. */
  sandboxOnly?: boolean;
}

export interface PageGroup {
  name: string;
  path: string;
  icon: string;
  pages: readonly PageEntry[];
}

/**
 * Pages of the console in the order of the menu. `MENU`, `PERMISSIONS`, the type `Permission` and
 * `SYSTEM_ROLES` are derived from this list.
 */
export const PAGES = [
  {
    name: 'monitoring',
    path: 'monitoring',
    icon: 'monitoring',
    pages: [
      { name: 'dashboard', path: 'dashboard', icon: 'home', affix: true, actions: { view: EVERYBODY } },
      {
        name: 'monitor',
        path: 'monitor',
        component: '/monitor/wall',
        affix: true,
        actions: { view: EVERYBODY },
      },
      {
        name: 'monitor-records',
        path: 'monitor/records',
        icon: 'curve',
        actions: { view: EVERYBODY, export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'screen',
        path: 'screen',
        actions: { view: EVERYBODY, edit: KEEPERS, share: KEEPERS },
      },
      {
        name: 'screen-detail',
        path: 'screen/:id',
        component: '/screen/detail',
        hidden: true,
        sharesActionsOf: 'screen',
      },
      {
        name: 'asset',
        path: 'asset/:id',
        component: '/asset/detail',
        hidden: true,
        actions: {
          view: EVERYBODY,
          create: KEEPERS,
          delete: KEEPERS,
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
          status: STAFF,
        },
      },
    ],
  },
  {
    name: 'alarms',
    path: 'alarm',
    icon: 'alarms',
    pages: [
      {
        name: 'alarm-current',
        path: 'alarm/current',
        actions: {
          view: EVERYBODY,
          export: [...KEEPERS, 'auditor'],
          acknowledge: ['enterprise-administrator', 'quality-manager', 'operator'],
          end: ['enterprise-administrator', 'quality-manager'],
        },
      },
      {
        name: 'alarm-detail',
        path: 'alarm/:id',
        component: '/alarm/detail',
        hidden: true,
        sharesActionsOf: 'alarm-current',
      },
      {
        name: 'alarm-graded',
        path: 'alarm/graded',
        actions: { view: EVERYBODY, export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'alarm-policies',
        path: 'alarm/policies',
        actions: { view: [...STAFF, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'alarm-policy',
        path: 'alarm/policies/:id',
        component: '/alarm/policy',
        hidden: true,
        sharesActionsOf: 'alarm-policies',
      },
      {
        name: 'alarm-on-call',
        path: 'alarm/on-call',
        actions: { view: [...STAFF, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'alarm-messages',
        path: 'alarm/messages',
        actions: {
          view: [...STAFF, 'auditor'],
          export: [...KEEPERS, 'auditor'],
          resend: ['enterprise-administrator', 'quality-manager', 'operator'],
        },
      },
      {
        name: 'alarm-templates',
        path: 'alarm/templates',
        actions: { view: [...KEEPERS, 'auditor'], edit: MANAGERS },
      },
      {
        name: 'alarm-holidays',
        path: 'alarm/holidays',
        actions: {
          view: [...STAFF, 'auditor'],
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
      {
        name: 'alarm-handover',
        path: 'alarm/handover',
        actions: {
          view: [...STAFF, 'auditor'],
          sign: ['enterprise-administrator', 'quality-manager', 'operator'],
        },
      },
      {
        name: 'alarm-suppressions',
        path: 'alarm/suppressions',
        actions: { view: EVERYBODY, edit: STAFF },
      },
      {
        name: 'alarm-tests',
        path: 'alarm/tests',
        actions: {
          view: EVERYBODY,
          run: STAFF,
          confirm: STAFF,
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
        },
      },
    ],
  },
  {
    name: 'devices',
    path: 'device',
    icon: 'devices',
    pages: [
      {
        name: 'device-list',
        path: 'device/list',
        actions: {
          view: [...KEEPERS, 'auditor'],
          bind: MANAGERS,
          create: MANAGERS,
          delete: MANAGERS,
          edit: MANAGERS,
          export: [...KEEPERS, 'auditor'],
          import: MANAGERS,
          key: MANAGERS,
          move: MANAGERS,
          replace: MANAGERS,
        },
      },
      {
        name: 'device',
        path: 'device/list/:number',
        component: '/device/detail',
        hidden: true,
        sharesActionsOf: 'device-list',
      },
      {
        name: 'device-connect',
        path: 'device/list/:number/connect',
        component: '/device/connect',
        hidden: true,
        sharesActionsOf: 'device-list',
      },
      {
        name: 'device-alert-settings',
        path: 'device/alert-settings',
        sharesActionsOf: 'alarm-policies',
      },
      { name: 'device-alarm-history', path: 'device/alarm-history', sharesActionsOf: 'alarm-graded' },
      {
        name: 'device-receivers',
        path: 'device/receivers',
        actions: {
          view: [...KEEPERS, 'auditor'],
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
      {
        name: 'device-recipient-groups',
        path: 'device/recipient-groups',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS, export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'device-alertors',
        path: 'device/alertors',
        actions: { view: [...KEEPERS, 'auditor'], edit: MANAGERS },
      },
      {
        name: 'device-expired',
        path: 'device/expired',
        actions: { view: [...KEEPERS, 'auditor'], pay: MANAGERS, renew: ['top-agent', 'agent'] },
      },
      {
        name: 'device-calibration',
        path: 'device/calibration',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'device-mappings',
        path: 'device/mappings',
        actions: { view: [...MANAGERS, 'auditor'], edit: MANAGERS, receive: MANAGERS },
      },
      {
        name: 'device-commands',
        path: 'device/commands',
        actions: { view: [...KEEPERS, 'auditor'], send: MANAGERS },
      },
      {
        name: 'device-upgrade',
        path: 'device/upgrade',
        actions: { view: [...KEEPERS, 'auditor'], edit: MANAGERS, keys: MANAGERS, send: MANAGERS },
      },
      {
        name: 'device-rollout',
        path: 'device/upgrade/:id',
        component: '/device/rollout',
        hidden: true,
        sharesActionsOf: 'device-upgrade',
      },
      { name: 'device-stats', path: 'device/stats', actions: { view: [...KEEPERS, 'auditor'] } },
    ],
  },
  {
    name: 'assets',
    path: 'asset',
    icon: 'assets',
    pages: [
      { name: 'asset-vehicles', path: 'asset/vehicles', sharesActionsOf: 'asset' },
      { name: 'asset-cold-stores', path: 'asset/cold-stores', sharesActionsOf: 'asset' },
      { name: 'asset-refrigerators', path: 'asset/refrigerators', sharesActionsOf: 'asset' },
      { name: 'asset-boxes', path: 'asset/boxes', sharesActionsOf: 'asset' },
      { name: 'asset-containers', path: 'asset/containers', sharesActionsOf: 'asset' },
      {
        name: 'asset-maintenance',
        path: 'asset/maintenance',
        actions: { view: [...STAFF, 'auditor'], edit: STAFF },
      },
      {
        name: 'asset-validation',
        path: 'asset/validation',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
      { name: 'asset-floor-plans', path: 'asset/floor-plans', actions: { view: EVERYBODY, edit: KEEPERS } },
      { name: 'asset-groups', path: 'asset/groups', actions: { view: EVERYBODY, edit: KEEPERS } },
      {
        name: 'asset-group',
        path: 'asset/groups/:id',
        component: '/asset/group',
        hidden: true,
        sharesActionsOf: 'asset-groups',
      },
      {
        name: 'asset-webcams',
        path: 'asset/webcams',
        actions: { view: [...STAFF, 'auditor'], edit: KEEPERS, snapshot: STAFF },
      },
      { name: 'asset-nfc', path: 'asset/nfc', actions: { view: EVERYBODY, edit: KEEPERS } },
      { name: 'asset-files', path: 'asset/files', actions: { view: EVERYBODY, edit: KEEPERS } },
      { name: 'asset-history', path: 'asset/history', sharesActionsOf: 'asset' },
    ],
  },
  {
    name: 'waybills',
    path: 'waybill',
    icon: 'vehicle',
    pages: [
      {
        name: 'waybill-list',
        path: 'waybill/list',
        // Without `view`, a driver sees only own trips.
        actions: {
          view: [...STAFF, 'auditor'],
          edit: STAFF,
          transport: STAFF,
          decide: ['enterprise-administrator', 'quality-manager'],
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
      {
        name: 'waybill',
        path: 'waybill/list/:id',
        component: '/waybill/detail',
        hidden: true,
        sharesActionsOf: 'waybill-list',
      },
      {
        name: 'waybill-trips',
        path: 'waybill/trips',
        actions: { view: EVERYBODY, handover: [...STAFF, 'driver'] },
      },
      {
        name: 'waybill-handover',
        path: 'waybill/trips/:id',
        component: '/waybill/handover',
        hidden: true,
        sharesActionsOf: 'waybill-trips',
      },
      {
        name: 'waybill-clients',
        path: 'waybill/clients',
        actions: {
          view: [...STAFF, 'auditor'],
          edit: STAFF,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
      {
        name: 'waybill-profiles',
        path: 'waybill/profiles',
        actions: {
          view: [...STAFF, 'auditor'],
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
    ],
  },
  {
    name: 'maps',
    path: 'map',
    icon: 'map',
    pages: [
      { name: 'map-monitor', path: 'map/monitor', actions: { view: EVERYBODY } },
      {
        name: 'map-replay',
        path: 'map/replay',
        actions: { view: EVERYBODY, export: [...KEEPERS, 'auditor'], share: KEEPERS },
      },
      {
        name: 'map-carmonitor',
        path: 'map/carmonitor',
        actions: { view: EVERYBODY, share: KEEPERS },
      },
      { name: 'map-overview', path: 'map/overview', actions: { view: EVERYBODY } },
      {
        name: 'map-geofences',
        path: 'map/geofences',
        actions: {
          view: EVERYBODY,
          edit: KEEPERS,
          export: [...KEEPERS, 'auditor'],
          import: KEEPERS,
        },
      },
    ],
  },
  {
    name: 'announcements',
    path: 'announcement',
    icon: 'announcements',
    pages: [
      { name: 'announcement-list', path: 'announcement/list', actions: { view: EVERYBODY } },
      {
        name: 'announcement-manage',
        path: 'announcement/manage',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS, export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'announcement-categories',
        path: 'announcement/categories',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'announcement-user-groups',
        path: 'announcement/user-groups',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
    ],
  },
  {
    name: 'recharge',
    path: 'recharge',
    icon: 'recharge',
    pages: [
      {
        name: 'recharge-sms',
        path: 'recharge/sms',
        actions: { view: [...KEEPERS, 'auditor'], pay: MANAGERS },
      },
      { name: 'recharge-voice', path: 'recharge/voice', sharesActionsOf: 'recharge-sms' },
      { name: 'recharge-wechat', path: 'recharge/wechat', sharesActionsOf: 'recharge-sms' },
      {
        name: 'recharge-background',
        path: 'recharge/background',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY, approve: PLATFORM_ONLY },
      },
      {
        name: 'recharge-records',
        path: 'recharge/records',
        actions: {
          view: [...KEEPERS, 'auditor'],
          export: [...KEEPERS, 'auditor'],
          invoice: MANAGERS,
          issue: PLATFORM_ONLY,
        },
      },
      {
        name: 'recharge-refunds',
        path: 'recharge/refunds',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY, approve: PLATFORM_ONLY },
      },
      {
        name: 'recharge-reminders',
        path: 'recharge/reminders',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS, policy: PLATFORM_ONLY },
      },
    ],
  },
  {
    name: 'reports',
    path: 'report',
    icon: 'page',
    pages: [
      {
        name: 'report-records',
        path: 'report/records',
        actions: { view: [...STAFF, 'auditor'], export: [...KEEPERS, 'auditor'], review: STAFF },
      },
      {
        name: 'report-register',
        path: 'report/register',
        actions: { view: [...KEEPERS, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'report-alarms',
        path: 'report/alarms',
        actions: { view: [...STAFF, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'report-devices',
        path: 'report/devices',
        actions: { view: [...STAFF, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'report-compliance',
        path: 'report/compliance',
        actions: { view: [...STAFF, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'report-statistics',
        path: 'report/statistics',
        actions: { view: [...STAFF, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'report-schedules',
        path: 'report/schedules',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'report-backup',
        path: 'report/backup',
        actions: { view: [...KEEPERS, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
    ],
  },
  {
    name: 'management',
    path: 'management',
    icon: 'management',
    pages: [
      {
        name: 'management-organizations',
        path: 'management/organizations',
        actions: {
          view: [...KEEPERS, 'auditor'],
          create: MANAGERS,
          delete: MANAGERS,
          edit: MANAGERS,
          move: MANAGERS,
        },
      },
      {
        name: 'management-users',
        path: 'management/users',
        actions: {
          view: [...KEEPERS, 'auditor'],
          create: MANAGERS,
          delete: MANAGERS,
          disable: MANAGERS,
          edit: MANAGERS,
          export: MANAGERS,
          import: MANAGERS,
          reset: MANAGERS,
          unlock: MANAGERS,
        },
      },
      {
        name: 'management-user',
        path: 'management/users/:id',
        component: '/management/user',
        hidden: true,
        sharesActionsOf: 'management-users',
      },
      {
        name: 'management-roles',
        path: 'management/roles',
        actions: { view: [...KEEPERS, 'auditor'], create: MANAGERS, delete: MANAGERS, edit: MANAGERS },
      },
      {
        name: 'management-menus',
        path: 'management/menus',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'management-advanced-alarms',
        path: 'management/advanced-alarms',
        actions: { view: [...MANAGERS, 'auditor'], edit: MANAGERS },
      },
      {
        name: 'management-balance',
        path: 'management/balance',
        actions: { view: [...MANAGERS, 'auditor'], edit: ['top-agent', 'agent'], overdraft: PLATFORM_ONLY },
      },
      {
        name: 'management-premium',
        path: 'management/premium',
        actions: { view: [...MANAGERS, 'auditor'], trial: MANAGERS, activate: PLATFORM_ONLY },
      },
      {
        name: 'management-prices',
        path: 'management/prices',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'management-payments',
        path: 'management/payments',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'management-channels',
        path: 'management/channels',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'management-dictionary',
        path: 'management/dictionary',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'management-print-heads',
        path: 'management/print-heads',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS },
      },
      {
        name: 'management-authorizations',
        path: 'management/authorizations',
        actions: { view: [...MANAGERS, 'auditor'], create: MANAGERS, revoke: MANAGERS },
      },
      {
        name: 'management-logs',
        path: 'management/logs',
        actions: { view: [...KEEPERS, 'auditor'], export: [...KEEPERS, 'auditor'] },
      },
      {
        name: 'management-packets',
        path: 'management/packets',
        actions: { view: [...MANAGERS, 'auditor'], decrypt: MANAGERS },
      },
    ],
  },
  {
    name: 'settings',
    path: 'setting',
    icon: 'settings',
    pages: [
      { name: 'management-account', path: 'management/account' },
      { name: 'setting-timezone', path: 'setting/timezone' },
      {
        name: 'setting-website',
        path: 'setting/website',
        actions: { view: PLATFORM_ONLY, edit: PLATFORM_ONLY },
      },
      {
        name: 'setting-backup',
        path: 'setting/backup',
        actions: { view: [...KEEPERS, 'auditor'], edit: KEEPERS, installation: PLATFORM_ONLY },
      },
      {
        name: 'setting-registration',
        path: 'setting/registration',
        actions: { view: ['top-agent'], approve: ['top-agent'], edit: PLATFORM_ONLY },
      },
      { name: 'help', path: 'help' },
      { name: 'help-subject', path: 'help/:subject', component: '/help/subject', hidden: true },
      // The page shows verification codes of other users, so auditors have no access.
      { name: 'mailbox', path: 'mailbox', sandboxOnly: true, actions: { view: PLATFORM_ONLY } },
    ],
  },
] as const satisfies readonly PageGroup[];

/** Actions that do not belong to a page. */
export const OTHER_ACTIONS = {
  system: { view: PLATFORM_ONLY },
} as const satisfies Record<string, Readonly<Record<string, readonly SystemRole[]>>>;
