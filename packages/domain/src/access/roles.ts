import { PERMISSIONS, type Permission } from './permissions.ts';

/** System roles that every installation is seeded with (decisions, "Menu and pages"). */
export const SYSTEM_ROLES = {
  'platform-administrator': PERMISSIONS,
  'top-agent': ['alarm-current:view', 'asset:view', 'monitor:view'],
  agent: ['alarm-current:view', 'asset:view', 'monitor:view'],
  'enterprise-administrator': [
    'alarm-current:handle',
    'alarm-current:view',
    'asset:view',
    'device-list:import',
    'monitor:view',
  ],
  'quality-manager': ['alarm-current:handle', 'alarm-current:view', 'asset:view', 'monitor:view'],
  operator: ['alarm-current:handle', 'alarm-current:view', 'asset:view', 'monitor:view'],
  driver: ['alarm-current:view', 'asset:view', 'monitor:view'],
  auditor: ['alarm-current:view', 'asset:view', 'monitor:view'],
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
