/**
 * The catalogue of permission codes, `page:action` (requirements §6; decision 11). Routes name one of
 * these, buttons hide by them, roles hold them; nothing else may invent one.
 */
export const PERMISSIONS = [
  'alarm-current:handle',
  'alarm-current:view',
  'asset:view',
  'device-list:import',
  'monitor:view',
  'system:view',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Routes that need less than a permission: nobody logged in, or anybody logged in. */
export const PUBLIC = 'public';
export const SIGNED_IN = 'signed-in';
export type Access = Permission | typeof PUBLIC | typeof SIGNED_IN;
