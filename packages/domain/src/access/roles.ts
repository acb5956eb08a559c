import { PERMISSIONS, type Permission, pageOf } from './permissions.ts';

/** Reading what is watched: what everybody with a role may do. */
const WATCH = [
  'alarm-current:view',
  'asset-files:view',
  'asset-floor-plans:view',
  'asset-groups:view',
  'asset-nfc:view',
  'asset:view',
  'monitor-records:view',
  'monitor:view',
] as const;

/** Making and keeping the accounts of one's own and subordinate organisations. */
const ADMINISTERED = [
  'management-authorizations',
  'management-logs',
  'management-organizations',
  'management-roles',
  'management-users',
];
const ADMINISTER = PERMISSIONS.filter((permission) => ADMINISTERED.includes(pageOf(permission)));

/** What gateways sent that could not be taken, also what they had sealed. */
const INSPECT = ['management-packets:decrypt', 'management-packets:view'] as const;
/** Bringing devices into service, saying what they mean, and telling them what to do. */
const EQUIP = [
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
] as const;

/** Cameras show people at work: to those who answer for the place, and not to everybody who watches. */
const LOOK = ['asset-webcams:snapshot', 'asset-webcams:view'] as const;

/** Keeping the register of what is watched. */
const KEEP_ASSETS = [
  'asset-files:edit',
  'asset-floor-plans:edit',
  'asset-groups:edit',
  'asset-nfc:edit',
  'asset-maintenance:edit',
  'asset-maintenance:view',
  'asset-validation:edit',
  'asset-validation:view',
  'asset-webcams:edit',
  ...LOOK,
  'asset:create',
  'asset:delete',
  'asset:edit',
  'asset:export',
  'asset:import',
  'asset:status',
  'recharge-reminders:edit',
  'recharge-reminders:view',
] as const;

const READ_ACCOUNTS = [
  'management-logs:view',
  'management-organizations:view',
  'management-roles:view',
  'management-users:view',
] as const satisfies readonly Permission[];

/** System roles that every installation is seeded with (decisions, "Menu and pages"). */
export const SYSTEM_ROLES = {
  'platform-administrator': PERMISSIONS,
  'top-agent': [
    ...WATCH,
    ...ADMINISTER,
    ...INSPECT,
    ...EQUIP,
    ...KEEP_ASSETS,
    'alarm-current:export',
    'monitor-records:export',
    'setting-registration:approve',
    'setting-registration:view',
  ],
  agent: [
    ...WATCH,
    ...ADMINISTER,
    ...INSPECT,
    ...EQUIP,
    ...KEEP_ASSETS,
    'alarm-current:export',
    'monitor-records:export',
  ],
  'enterprise-administrator': [
    ...WATCH,
    ...ADMINISTER,
    ...INSPECT,
    ...EQUIP,
    ...KEEP_ASSETS,
    'alarm-current:handle',
    'alarm-current:export',
    'monitor-records:export',
  ],
  'quality-manager': [
    ...WATCH,
    ...READ_ACCOUNTS,
    ...KEEP_ASSETS,
    'alarm-current:handle',
    'device-calibration:edit',
    'device-calibration:view',
    'device-commands:view',
    'device-expired:view',
    'device-list:export',
    'device-list:view',
    'device-stats:view',
    'device-upgrade:view',
    'alarm-current:export',
    'monitor-records:export',
    'management-logs:export',
  ],
  operator: [
    ...WATCH,
    'alarm-current:handle',
    'asset-maintenance:edit',
    'asset-maintenance:view',
    ...LOOK,
    'asset:status',
  ],
  driver: WATCH,
  // Reads everything in scope, changes nothing. The mailbox holds other people's codes: no part of it.
  auditor: [
    ...WATCH,
    ...READ_ACCOUNTS,
    'asset:export',
    'asset-maintenance:view',
    'asset-validation:view',
    'asset-webcams:view',
    'device-calibration:view',
    'device-commands:view',
    'device-expired:view',
    'device-list:export',
    'device-list:view',
    'device-mappings:view',
    'device-stats:view',
    'device-upgrade:view',
    'alarm-current:export',
    'monitor-records:export',
    'management-authorizations:view',
    'management-dictionary:view',
    'management-logs:export',
    'management-menus:view',
    'management-packets:view',
    'recharge-reminders:view',
    'setting-registration:view',
    'setting-website:view',
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type SystemRole = keyof typeof SYSTEM_ROLES;

/** What an account is, beside its roles (decisions, "Menu and pages"). */
export const ACCOUNT_TYPES = [
  'staff',
  'enterprise',
  'department',
  'agent',
  'top-agent',
  'administrator',
] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** Levels of the organisation tree, from the top (requirements §3). */
export const ORGANIZATION_LEVELS = ['hq', 'org', 'unit', 'subunit', 'unit-department'] as const;
export type OrganizationLevel = (typeof ORGANIZATION_LEVELS)[number];

/**
 * Whether somebody may make accounts of a type: administrators and top agents are made by administrators,
 * agents by those above them, the rest by whoever may make accounts at all.
 */
export function mayGiveAccountType(
  giver: { type: AccountType; isAdmin: boolean },
  wanted: AccountType,
): boolean {
  if (giver.isAdmin) return true;
  if (wanted === 'administrator' || wanted === 'top-agent') return false;
  return wanted !== 'agent' || giver.type === 'top-agent';
}

/** The profile's `isAdmin` is true when the value is 1 or less (requirements §3). */
export const ADMIN_VALUE = 1;
export const NOT_ADMIN_VALUE = 2;
