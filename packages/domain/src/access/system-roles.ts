/** Codes of the roles that every installation is seeded with (decisions, "Menu and pages"). */
export const SYSTEM_ROLE_CODES = [
  'platform-administrator',
  'top-agent',
  'agent',
  'enterprise-administrator',
  'quality-manager',
  'operator',
  'driver',
  'auditor',
] as const;
export type SystemRole = (typeof SYSTEM_ROLE_CODES)[number];

/** Nobody but the platform administrator, who may do everything. */
export const PLATFORM_ONLY = [] as const;
/** Who puts devices into service and administers the accounts of the own and subordinate organisations. */
export const MANAGERS = ['top-agent', 'agent', 'enterprise-administrator'] as const;
/** Who keeps the register of what is monitored. */
export const KEEPERS = [...MANAGERS, 'quality-manager'] as const;
/** Who works at the place: cameras show people at work, so that not everybody who monitors sees them. */
export const STAFF = [...KEEPERS, 'operator'] as const;
/** Every role. */
export const EVERYBODY = [...STAFF, 'driver', 'auditor'] as const;
