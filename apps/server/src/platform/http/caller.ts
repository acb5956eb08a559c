import type { Language } from '@isotherm/i18n/languages';

/** The authenticated caller, by session and signature or by an API key. */
export interface Caller {
  /** Null for an API key. */
  accountId: number | null;
  /** Null for an API key. */
  sessionId: string | null;
  /** For an API key, its name. */
  username: string;
  realname: string;
  organizationId: number;
  /**
   * Path of the caller's organisation, '/1/4/'. The organisation scope: own and subordinate organisations are
   * those whose path begins with it (decision 11). Every query of tenant data uses it.
   */
  scope: string;
  permissions: ReadonlySet<string>;
  language: Language;
  address: string;
}

/** The caller's ids. */
export type CallerName = Pick<Caller, 'accountId' | 'organizationId' | 'username'>;

/** Identifies the caller for fair scheduling (`Gate`). */
export function ownerOf({ accountId, organizationId, username }: CallerName): string {
  return accountId === null ? `machine:${organizationId}:${username}` : `account:${accountId}`;
}

/** A caller who has logged in. */
export interface Person extends Caller {
  accountId: number;
  sessionId: string;
}
