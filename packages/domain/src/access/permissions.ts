/**
 * The catalogue of permission codes, `page:action` (requirements §6; decision 11). Routes name one of
 * these, buttons hide by them, roles hold them. The page is the page's address with dashes: the permissions
 * of `/management/users` begin with `management-users:`.
 */
export const PERMISSIONS = [
  'alarm-current:handle',
  'alarm-current:view',
  'asset-files:edit',
  'asset-files:view',
  'asset-groups:edit',
  'asset-groups:view',
  'asset-maintenance:edit',
  'asset-maintenance:view',
  'asset-nfc:edit',
  'asset-nfc:view',
  'asset-validation:edit',
  'asset-validation:view',
  'asset:create',
  'asset:delete',
  'asset:edit',
  'asset:export',
  'asset:import',
  'asset:status',
  'asset:view',
  'device-calibration:edit',
  'device-calibration:view',
  'device-commands:send',
  'device-commands:view',
  'device-expired:renew',
  'device-expired:view',
  'device-list:bind',
  'device-list:create',
  'device-list:delete',
  'device-list:edit',
  'device-list:export',
  'device-list:import',
  'device-list:key',
  'device-list:move',
  'device-list:replace',
  'device-list:view',
  'device-mappings:edit',
  'device-mappings:receive',
  'device-mappings:view',
  'device-stats:view',
  'device-upgrade:edit',
  'device-upgrade:keys',
  'device-upgrade:send',
  'device-upgrade:view',
  'mailbox:view',
  'management-authorizations:create',
  'management-authorizations:revoke',
  'management-authorizations:view',
  'management-dictionary:edit',
  'management-dictionary:view',
  'management-logs:export',
  'management-logs:view',
  'management-menus:edit',
  'management-menus:view',
  'management-organizations:create',
  'management-organizations:delete',
  'management-organizations:edit',
  'management-organizations:move',
  'management-organizations:view',
  'management-packets:decrypt',
  'management-packets:view',
  'management-roles:create',
  'management-roles:delete',
  'management-roles:edit',
  'management-roles:view',
  'management-users:create',
  'management-users:delete',
  'management-users:disable',
  'management-users:edit',
  'management-users:export',
  'management-users:import',
  'management-users:reset',
  'management-users:unlock',
  'management-users:view',
  'monitor-records:export',
  'monitor-records:view',
  'monitor:view',
  'recharge-reminders:edit',
  'recharge-reminders:policy',
  'recharge-reminders:view',
  'setting-registration:approve',
  'setting-registration:edit',
  'setting-registration:view',
  'setting-website:edit',
  'setting-website:view',
  'system:view',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Routes that need less than a permission: nobody logged in, or anybody logged in. */
export const PUBLIC = 'public';
export const SIGNED_IN = 'signed-in';
export type Access = Permission | typeof PUBLIC | typeof SIGNED_IN;

/** What only a person can answer for: no machine is given these. */
export const PERSONAL_PERMISSIONS: readonly Permission[] = ['alarm-current:handle'];

/** The page that a permission belongs to. */
export function pageOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'));
}
