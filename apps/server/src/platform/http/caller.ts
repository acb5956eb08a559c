import type { Language } from '@isotherm/i18n/languages';

/** Who is calling, as proven by session and signature. */
export interface Caller {
  accountId: number;
  sessionId: string;
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
