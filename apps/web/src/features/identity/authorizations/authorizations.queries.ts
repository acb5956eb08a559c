import { createAuthorization, revokeAuthorization } from '@isotherm/contracts/authorizations';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const AUTHORIZATIONS_KEY = ['identity', 'authorizations'] as const;

/** What can be done to keys and codes. Who calls words the failure. */
export const useAuthorizationChanges = crudChanges(AUTHORIZATIONS_KEY, {
  create: createAuthorization,
  revoke: revokeAuthorization,
});
