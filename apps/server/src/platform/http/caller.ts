import type { Language } from '@isotherm/i18n/languages';

/** The authenticated caller, identified by session and signature or by an API key. */
export interface Caller {
  /** Id of the account; null for an API key. */
  accountId: number | null;
  /** Id of the session; null for an API key. */
  sessionId: string | null;
  /** User name; for an API key, its name. */
  username: string;
  realname: string;
  organizationId: number;
  /**
   * Path of the caller's organisation, such as '/1/4/'. It is the organisation scope: own and subordinate
   * organisations are those whose path begins with it (decision 11). Every query of tenant data uses it.
   */
  scope: string;
  permissions: ReadonlySet<string>;
  language: Language;
  address: string;
}

/** The identifying fields of a caller. */
export type CallerName = Pick<Caller, 'accountId' | 'organizationId' | 'username'>;

/** Returns the identity of a caller for fair scheduling (`Gate`). */
export function ownerOf({ accountId, organizationId, username }: CallerName): string {
  return accountId === null ? `machine:${organizationId}:${username}` : `account:${accountId}`;
}

/** Returns the caller of a route that API keys may not call. */
export function personOf(caller: Caller): Person {
  const { accountId, sessionId } = caller;
  if (accountId === null || sessionId === null) throw new Error('this route is not for API keys');
  return { ...caller, accountId, sessionId };
}

/** A caller who has logged in. */
export interface Person extends Caller {
  accountId: number;
  sessionId: string;
}
