import type { Permission } from '@isotherm/domain/access/permissions';

/** Something that a user can do or set, which the search offers by its title and other words for it. */
export interface SearchAction {
  /** Part of its text ids: `search.action.<name>` is the title, `search.words.<name>` are other words. */
  name: string;
  /** Name of the page on which it is done. Without this page in the menu, the action is not offered. */
  page: string;
  /** Address that opens the page with the form. */
  path: string;
  /** Permission that it requires; null for what every user of the page may do. */
  permission: Permission | null;
}

/** Actions and settings that the search finds. */
export const ACTIONS = [
  {
    name: 'create-policy',
    page: 'alarm-policies',
    path: '/alarm/policies?new=1',
    permission: 'alarm-policies:edit',
  },
  {
    name: 'declare-window',
    page: 'alarm-suppressions',
    path: '/alarm/suppressions?new=1',
    permission: 'alarm-suppressions:edit',
  },
  {
    name: 'add-on-call',
    page: 'alarm-on-call',
    path: '/alarm/on-call?new=1',
    permission: 'alarm-on-call:edit',
  },
  { name: 'run-alarm-test', page: 'alarm-tests', path: '/alarm/tests?new=1', permission: 'alarm-tests:run' },
  {
    name: 'sign-handover',
    page: 'alarm-handover',
    path: '/alarm/handover',
    permission: 'alarm-handover:sign',
  },
  {
    name: 'add-holiday',
    page: 'alarm-holidays',
    path: '/alarm/holidays?new=1',
    permission: 'alarm-holidays:edit',
  },
  {
    name: 'edit-template',
    page: 'alarm-templates',
    path: '/alarm/templates?new=1',
    permission: 'alarm-templates:edit',
  },
  {
    name: 'register-device',
    page: 'device-list',
    path: '/device/list?new=1',
    permission: 'device-list:create',
  },
  {
    name: 'import-devices',
    page: 'device-list',
    path: '/device/list?import=1',
    permission: 'device-list:import',
  },
  {
    name: 'add-receiver',
    page: 'device-receivers',
    path: '/device/receivers?new=1',
    permission: 'device-receivers:edit',
  },
  {
    name: 'add-recipient-group',
    page: 'device-recipient-groups',
    path: '/device/recipient-groups?new=1',
    permission: 'device-recipient-groups:edit',
  },
  {
    name: 'add-alertor',
    page: 'device-alertors',
    path: '/device/alertors?new=1',
    permission: 'device-alertors:edit',
  },
  {
    name: 'renew-devices',
    page: 'device-expired',
    path: '/device/expired',
    permission: 'device-expired:pay',
  },
  {
    name: 'record-calibration',
    page: 'device-calibration',
    path: '/device/calibration?new=1',
    permission: 'device-calibration:edit',
  },
  {
    name: 'send-command',
    page: 'device-commands',
    path: '/device/commands?new=1',
    permission: 'device-commands:send',
  },
  {
    name: 'upload-firmware',
    page: 'device-upgrade',
    path: '/device/upgrade?new=1',
    permission: 'device-upgrade:edit',
  },
  {
    name: 'add-mapping',
    page: 'device-mappings',
    path: '/device/mappings?new=1',
    permission: 'device-mappings:edit',
  },
  {
    name: 'create-vehicle',
    page: 'asset-vehicles',
    path: '/asset/vehicles?new=1',
    permission: 'asset:create',
  },
  {
    name: 'create-cold-store',
    page: 'asset-cold-stores',
    path: '/asset/cold-stores?new=1',
    permission: 'asset:create',
  },
  {
    name: 'create-refrigerator',
    page: 'asset-refrigerators',
    path: '/asset/refrigerators?new=1',
    permission: 'asset:create',
  },
  { name: 'create-box', page: 'asset-boxes', path: '/asset/boxes?new=1', permission: 'asset:create' },
  {
    name: 'create-container',
    page: 'asset-containers',
    path: '/asset/containers?new=1',
    permission: 'asset:create',
  },
  {
    name: 'record-maintenance',
    page: 'asset-maintenance',
    path: '/asset/maintenance?new=1',
    permission: 'asset-maintenance:edit',
  },
  {
    name: 'plan-study',
    page: 'asset-validation',
    path: '/asset/validation?new=1',
    permission: 'asset-validation:edit',
  },
  {
    name: 'add-floor-plan',
    page: 'asset-floor-plans',
    path: '/asset/floor-plans?new=1',
    permission: 'asset-floor-plans:edit',
  },
  {
    name: 'add-asset-group',
    page: 'asset-groups',
    path: '/asset/groups?new=1',
    permission: 'asset-groups:edit',
  },
  {
    name: 'add-webcam',
    page: 'asset-webcams',
    path: '/asset/webcams?new=1',
    permission: 'asset-webcams:edit',
  },
  {
    name: 'create-waybill',
    page: 'waybill-list',
    path: '/waybill/list?new=1',
    permission: 'waybill-list:edit',
  },
  {
    name: 'import-waybills',
    page: 'waybill-list',
    path: '/waybill/list?import=1',
    permission: 'waybill-list:import',
  },
  {
    name: 'add-client',
    page: 'waybill-clients',
    path: '/waybill/clients?new=1',
    permission: 'waybill-clients:edit',
  },
  {
    name: 'create-product',
    page: 'waybill-profiles',
    path: '/waybill/profiles?new=1',
    permission: 'waybill-profiles:edit',
  },
  {
    name: 'create-geofence',
    page: 'map-geofences',
    path: '/map/geofences?new=1',
    permission: 'map-geofences:edit',
  },
  {
    name: 'share-vehicles',
    page: 'map-carmonitor',
    path: '/map/carmonitor?as=list&new=1',
    permission: 'map-carmonitor:share',
  },
  {
    name: 'new-announcement',
    page: 'announcement-manage',
    path: '/announcement/manage?new=1',
    permission: 'announcement-manage:edit',
  },
  { name: 'recharge-sms', page: 'recharge-sms', path: '/recharge/sms', permission: 'recharge-sms:pay' },
  { name: 'recharge-voice', page: 'recharge-voice', path: '/recharge/voice', permission: 'recharge-sms:pay' },
  {
    name: 'add-balance-warning',
    page: 'recharge-reminders',
    path: '/recharge/reminders?tab=balance&new=1',
    permission: 'recharge-reminders:edit',
  },
  {
    name: 'records-report',
    page: 'report-records',
    path: '/report/records',
    permission: 'report-records:view',
  },
  {
    name: 'schedule-report',
    page: 'report-schedules',
    path: '/report/schedules?new=1',
    permission: 'report-schedules:edit',
  },
  {
    name: 'create-organization',
    page: 'management-organizations',
    path: '/management/organizations?do=create',
    permission: 'management-organizations:create',
  },
  {
    name: 'add-user',
    page: 'management-users',
    path: '/management/users?new=1',
    permission: 'management-users:create',
  },
  {
    name: 'add-role',
    page: 'management-roles',
    path: '/management/roles?new=1',
    permission: 'management-roles:create',
  },
  {
    name: 'create-api-client',
    page: 'management-authorizations',
    path: '/management/authorizations?new=1',
    permission: 'management-authorizations:create',
  },
  {
    name: 'create-print-head',
    page: 'management-print-heads',
    path: '/management/print-heads?new=1',
    permission: 'management-print-heads:edit',
  },
  {
    name: 'add-escalation-plan',
    page: 'management-advanced-alarms',
    path: '/management/advanced-alarms?new=1',
    permission: 'management-advanced-alarms:edit',
  },
  {
    name: 'configure-backup',
    page: 'setting-backup',
    path: '/setting/backup?new=1',
    permission: 'setting-backup:edit',
  },
  {
    name: 'change-password',
    page: 'management-account',
    path: '/management/account?tab=security',
    permission: null,
  },
  {
    name: 'second-factor',
    page: 'management-account',
    path: '/management/account?tab=security',
    permission: null,
  },
  {
    name: 'change-phone',
    page: 'management-account',
    path: '/management/account?tab=profile&phone=1',
    permission: null,
  },
  {
    name: 'quiet-hours',
    page: 'management-account',
    path: '/management/account?tab=preferences',
    permission: null,
  },
  {
    name: 'message-language',
    page: 'management-account',
    path: '/management/account?tab=preferences',
    permission: null,
  },
  {
    name: 'own-notifications',
    page: 'management-account',
    path: '/management/account?tab=notifications',
    permission: null,
  },
  {
    name: 'own-sessions',
    page: 'management-account',
    path: '/management/account?tab=sessions',
    permission: null,
  },
  { name: 'change-zone', page: 'setting-timezone', path: '/setting/timezone', permission: null },
  {
    name: 'change-logo',
    page: 'setting-website',
    path: '/setting/website',
    permission: 'setting-website:edit',
  },
] as const satisfies readonly SearchAction[];
