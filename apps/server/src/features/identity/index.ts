export { createIdentity } from './create-identity.ts';
export { permissionHolders } from './roles/permission-holders.ts';
export { seedRoles } from './seed.ts';
