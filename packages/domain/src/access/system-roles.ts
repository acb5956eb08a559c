/** Codes of the built-in roles (decisions, "Menu and pages"). */
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

/** No role except the platform administrator, who has all permissions. */
export const PLATFORM_ONLY = [] as const;
/** Roles that install devices and administer the accounts of their own and subordinate organisations. */
export const MANAGERS = ['top-agent', 'agent', 'enterprise-administrator'] as const;
/** Roles that maintain the register of monitored assets. */
export const KEEPERS = [...MANAGERS, 'quality-manager'] as const;
/** Roles of employees on site. Cameras show people at work, so only these roles may see them. */
export const STAFF = [...KEEPERS, 'operator'] as const;
/** All roles except the platform administrator. */
export const EVERYBODY = [...STAFF, 'driver', 'auditor'] as const;
