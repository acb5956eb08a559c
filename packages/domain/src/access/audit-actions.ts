/**
 * What the audit log can say that somebody did. An entry keeps the code; its words are `logs.action.<code>`
 * in the reader's language.
 */
export const AUDIT_ACTIONS = [
  'approve',
  'cancel-command',
  'change',
  'create',
  'delete',
  'disable',
  'enable',
  'export',
  'handle-alarm',
  'import',
  'key-change',
  'login',
  'login-failed',
  'logout',
  'password-change',
  'password-reset',
  'permission-change',
  'provision',
  'reject',
  'replace',
  'restore',
  'seal-broken',
  'second-factor-change',
  'send-command',
  'setup',
  'unlock',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
