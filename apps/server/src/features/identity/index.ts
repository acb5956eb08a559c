export { createIdentity } from './create-identity.ts';
export { seedRoles } from './seed.ts';
