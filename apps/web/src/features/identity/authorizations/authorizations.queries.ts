import {
  createAuthorization,
  renewAuthorization,
  revokeAuthorization,
} from '@isotherm/contracts/authorizations';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const AUTHORIZATIONS_KEY = ['identity', 'authorizations'] as const;

/** Mutations of API keys and codes. The caller shows failures. */
export const useAuthorizationChanges = crudChanges(AUTHORIZATIONS_KEY, {
  create: createAuthorization,
  renew: renewAuthorization,
  revoke: revokeAuthorization,
});
