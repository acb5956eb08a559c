import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { z } from 'zod';
import { batchResult, encodedFile, importBody, importReport, severalIds, sheetExport } from './batches.ts';
import { email, fullName, label, landline, loginAccount, mobile, orNone, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';

/** State of an account; `pending` means that its registration awaits approval. */
export const USER_STATES = ['active', 'locked', 'disabled', 'pending'] as const;

export const SETTLEMENTS = ['shared', 'independent'] as const;

export const user = z.object({
  id: z.number().int(),
  username: z.string(),
  realname: z.string(),
  state: z.enum(USER_STATES),
  accountType: z.enum(ACCOUNT_TYPES),
  organizationId: z.number().int(),
  organizationName: z.string(),
  /** Roles of the account. `code` is set for system roles (`roles.system.<code>`), otherwise null. */
  roles: z.array(z.object({ id: z.number().int(), code: z.string().nullable(), name: z.string() })),
  mobile: z.string(),
  email: z.string(),
  avatar: z.string(),
  lastLoginAt: moment.nullable(),
  createdAt: moment,
  mustChangePassword: z.boolean(),
  secondFactor: z.boolean(),
});
export type User = z.output<typeof user>;

export const userDetail = user.extend({
  landline: z.string(),
  address: z.string(),
  description: z.string(),
  timeZone: z.string(),
  /** Balance that pays for the account: that of its company, or its own (requirements §6). */
  settlement: z.enum(SETTLEMENTS),
  /** The agent responsible for this account. */
  agent: z.object({ id: z.number().int(), realname: z.string() }).nullable(),
  disabledReason: z.string(),
  /** End of the lock; null if the account is not locked. */
  lockedUntil: moment.nullable(),
  lastLoginAddress: z.string(),
  createdBy: z.string(),
  /** True for the user's own account, on which some actions are not allowed. */
  self: z.boolean(),
});
export type UserDetail = z.output<typeof userDetail>;

export const userSession = z.object({
  id: z.string(),
  address: z.string(),
  /** Browser and operating system, derived from the User-Agent header. */
  client: z.string(),
  createdAt: moment,
  lastSeenAt: moment,
  current: z.boolean(),
});
export type UserSession = z.output<typeof userSession>;

export const userInput = z.strictObject({
  realname: fullName,
  organizationId: id,
  accountType: z.enum(ACCOUNT_TYPES),
  roleIds: z.array(id).min(1).max(20),
  mobile: orNone(mobile).default(''),
  landline: orNone(landline).default(''),
  email: orNone(email).default(''),
  address: orNone(label(200)).default(''),
  description: prose().default(''),
  /** Time zone. If absent, a new account gets that of its organisation, and an existing one keeps its own. */
  timeZone: timeZone.optional(),
  settlement: z.enum(SETTLEMENTS).default('shared'),
  agentId: id.nullable().default(null),
});

const userFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  roleId: id.optional(),
  state: z.enum(USER_STATES).optional(),
  accountType: z.enum(ACCOUNT_TYPES).optional(),
  sort: z.enum(['username', 'realname', 'organization', 'lastLoginAt', 'createdAt']).default('username'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

export const listUsers = defineRoute({
  name: 'listUsers',
  method: 'GET',
  path: '/user',
  access: 'management-users:view',
  summary: 'Accounts of own and subordinate organisations',
  query: z.object({ ...paging, ...userFilter }),
  response: pageOf(user).extend({
    /** Number of accounts in the user's scope in each state, without the filter. */
    counts: z.record(z.enum(USER_STATES), z.number().int()),
  }),
});

/**
 * Exports the filtered list as XLSX, as base64 in the JSON response, with 50,000 rows at most (`limited` is
 * true if there are more).
 */
export const exportUsers = defineRoute({
  name: 'exportUsers',
  method: 'GET',
  path: '/user/export',
  access: 'management-users:export',
  summary: 'The filtered accounts as a spreadsheet',
  query: z.object(userFilter),
  response: sheetExport,
});

export const getUser = defineRoute({
  name: 'getUser',
  method: 'GET',
  path: '/user/:id',
  access: 'management-users:view',
  summary: 'One account',
  params: z.object({ id }),
  response: userDetail,
});

/**
 * Creates an account. Its initial password equals the login account and is valid for one login (decision
 * 13).
 */
export const createUser = defineRoute({
  name: 'createUser',
  method: 'POST',
  path: '/user',
  access: 'management-users:create',
  summary: 'Make an account; its first password is its own name, good for one login',
  body: userInput.extend({ username: loginAccount }),
  response: userDetail,
});

export const editUser = defineRoute({
  name: 'editUser',
  method: 'PUT',
  path: '/user/:id',
  access: 'management-users:edit',
  summary: 'Change an account',
  params: z.object({ id }),
  body: userInput,
  response: userDetail,
});

export const disableUsers = defineRoute({
  name: 'disableUsers',
  method: 'POST',
  path: '/user/disable',
  access: 'management-users:disable',
  summary: 'Disable accounts; their sessions end at once',
  body: z.strictObject({ ids: severalIds, reason }),
  response: batchResult,
});

export const enableUsers = defineRoute({
  name: 'enableUsers',
  method: 'POST',
  path: '/user/enable',
  access: 'management-users:disable',
  summary: 'Enable accounts again',
  body: z.strictObject({ ids: severalIds }),
  response: batchResult,
});

/**
 * Resets a password. The new one is shown once to the user who reset it, and is valid for one login
 * (decision 13).
 */
export const resetUserPassword = defineRoute({
  name: 'resetUserPassword',
  method: 'POST',
  path: '/user/:id/reset-password',
  access: 'management-users:reset',
  summary: 'Set a random one-time password; ends the sessions of the account',
  params: z.object({ id }),
  body: z.strictObject({ reason: reason.optional(), secondFactor: z.boolean().default(false) }),
  response: z.object({ password: z.string() }),
});

export const unlockUser = defineRoute({
  name: 'unlockUser',
  method: 'POST',
  path: '/user/:id/unlock',
  access: 'management-users:unlock',
  summary: 'Forget the failed logins of an account',
  params: z.object({ id }),
  response: userDetail,
});

export const deleteUser = defineRoute({
  name: 'deleteUser',
  method: 'DELETE',
  path: '/user/:id',
  access: 'management-users:delete',
  summary: 'Delete an account; what it did stays in the log under its name',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const listUserSessions = defineRoute({
  name: 'listUserSessions',
  method: 'GET',
  path: '/user/:id/session',
  access: 'management-users:view',
  summary: 'Where an account is signed in',
  params: z.object({ id }),
  response: z.array(userSession),
});

export const endUserSessions = defineRoute({
  name: 'endUserSessions',
  method: 'DELETE',
  path: '/user/:id/session',
  access: 'management-users:disable',
  summary: 'Sign an account out everywhere',
  params: z.object({ id }),
  response: z.null(),
});

/**
 * Imports accounts from a spreadsheet. Rows with errors are reported and left out; the others are written in
 * one transaction.
 */
export const importUsers = defineRoute({
  name: 'importUsers',
  method: 'POST',
  path: '/user/import',
  access: 'management-users:import',
  summary: 'Make accounts from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

export const getUserTemplate = defineRoute({
  name: 'getUserTemplate',
  method: 'GET',
  path: '/user/template',
  access: 'management-users:import',
  summary: 'The spreadsheet to fill in, as base64',
  response: encodedFile,
});

/** Lists the agents in the user's scope (requirements §6: "Agents are selectable"). */
export const listAgents = defineRoute({
  name: 'listAgents',
  method: 'GET',
  path: '/user/agents',
  access: 'management-users:view',
  summary: 'Agents that an account may be given',
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(z.object({ id: z.number().int(), realname: z.string(), organizationName: z.string() })),
});
