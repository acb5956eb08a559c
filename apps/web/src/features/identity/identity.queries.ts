import { getProfile, logout } from '@isotherm/contracts/identity';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { loginPath } from '../../shared/api/redirect.ts';
import { clearSession } from '../../shared/api/session.ts';

export const profileQuery = queryOptions({
  queryKey: ['identity', 'profile'],
  queryFn: ({ signal }) => call(getProfile, { signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Ends the session on the server, and locally even if the server request fails. */
export async function logOut(returnTo: string): Promise<void> {
  await call(logout, { quiet: true }).catch(() => undefined);
  clearSession();
  location.assign(loginPath(returnTo));
}
