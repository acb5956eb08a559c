import { FIRST_HOLDERS, PERMISSIONS, type Permission } from './permissions.ts';
import { SYSTEM_ROLE_CODES, type SystemRole } from './system-roles.ts';

/** Built-in roles with the permissions from the page catalogue. */
export const SYSTEM_ROLES = Object.fromEntries(
  SYSTEM_ROLE_CODES.map((role) => [
    role,
    PERMISSIONS.filter(
      (permission) =>
        role === 'platform-administrator' || FIRST_HOLDERS.get(permission)?.includes(role) === true,
    ),
  ]),
) as unknown as Readonly<Record<SystemRole, readonly Permission[]>>;

/** Types of accounts. They are independent of the roles (decisions, "Menu and pages"). */
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
 * Returns whether a user may create accounts of a type. Administrators and top agents are created by
 * administrators, agents by those above them, others by every user who may create accounts.
 */
export function mayGiveAccountType(
  giver: { type: AccountType; isAdmin: boolean },
  wanted: AccountType,
): boolean {
  if (giver.isAdmin) return true;
  if (wanted === 'administrator' || wanted === 'top-agent') return false;
  return wanted !== 'agent' || giver.type === 'top-agent';
}

/** The `isAdmin` field of the profile is true if the value is at most this (requirements §3). */
export const ADMIN_VALUE = 1;
export const NOT_ADMIN_VALUE = 2;
