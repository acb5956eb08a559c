export { createIdentity } from './create-identity.ts';
export {
  findOrganizationPath,
  findOrganizationsByCode,
  findTopCode,
} from './organizations/organizations.repo.ts';
export { permissionHolders } from './roles/permission-holders.ts';
export { seedRoles } from './seed.ts';
export type { Sign, Signatures, StoredSignature } from './signatures/signatures.ts';
