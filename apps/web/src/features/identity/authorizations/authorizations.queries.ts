import { createAuthorization, revokeAuthorization } from '@isotherm/contracts/authorizations';
import type { BodyOf } from '@isotherm/contracts/route';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const AUTHORIZATIONS_KEY = ['identity', 'authorizations'] as const;

/** What can be done to keys and codes. Who calls words the failure. */
export function useAuthorizationChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: AUTHORIZATIONS_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createAuthorization>) =>
      after(call(createAuthorization, { body, quiet: true })),
    revoke: (id: number, reason: string) =>
      after(call(revokeAuthorization, { params: { id }, body: { reason }, quiet: true })),
  };
}
