import type { Language } from '@isotherm/i18n/languages';

/** Who is calling, as proven by session and signature, or by an API key. */
export interface Caller {
  /** Null for a machine. */
  accountId: number | null;
  /** Null for a machine. */
  sessionId: string | null;
  /** Of a machine: the name of its key. */
  username: string;
  realname: string;
  organizationId: number;
  /**
   * Path of the caller's organisation, '/1/4/'. THE organisation scope: own and subordinate organisations
   * are those whose path begins with it (decision 11). Every query of tenant data takes it.
   */
  scope: string;
  permissions: ReadonlySet<string>;
  language: Language;
  address: string;
}

/** Who calls, in short. */
export type CallerName = Pick<Caller, 'accountId' | 'organizationId' | 'username'>;

/** Whose work it is, where callers take turns (`Gate`). */
export function ownerOf({ accountId, organizationId, username }: CallerName): string {
  return accountId === null ? `machine:${organizationId}:${username}` : `account:${accountId}`;
}

/** A caller who logged in. */
export interface Person extends Caller {
  accountId: number;
  sessionId: string;
}
