export { createIdentityJobs } from './identity.job.ts';
export { mountIdentity } from './identity.routes.ts';
export { createIdentityService } from './identity.service.ts';
export { createPasswords } from './passwords.ts';
export { createPuzzles } from './puzzle.ts';
export { seedDemo, seedRoles } from './seed.ts';
export { createSessions, findSocketUser, type Sessions } from './sessions.ts';
export { createSetup } from './setup.ts';
