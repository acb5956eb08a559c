import { z } from 'zod';
import { fullName, label, mobile, reason, registrationName, verificationCode } from './fields.ts';
import { encryptedPassword } from './identity.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';

/**
 * Lists the roles that are offered for registration (a path without a token, requirements §7). The list is
 * empty while registration is disabled.
 */
export const listRegistrationRoles = defineRoute({
  name: 'listRegistrationRoles',
  method: 'GET',
  path: '/role/registered',
  access: 'public',
  summary: 'Roles open to self-registration',
  response: z.array(z.object({ id: z.number().int(), code: z.string().nullable(), name: z.string() })),
});

/**
 * Lists the agents that are offered for registration. The path is spelled as in the requirements (a path
 * without a token, §7).
 */
export const listRegistrationAgents = defineRoute({
  name: 'listRegistrationAgents',
  method: 'GET',
  path: '/registered/angent',
  access: 'public',
  summary: 'Agents that a registration may name',
  response: z.array(z.object({ id: z.number().int(), name: z.string() })),
});

/** Registers an account. Throws `registration.closed`, `user.username_taken`, `code.*`. */
export const register = defineRoute({
  name: 'register',
  method: 'POST',
  path: '/registered',
  access: 'public',
  summary: 'Ask for an account with an organisation of its own',
  encoding: 'multipart',
  body: z.strictObject({
    username: registrationName,
    realname: fullName,
    organizationName: label(),
    roleId: id,
    agentId: z.union([z.literal('').transform(() => null), id]).default(null),
    phone: mobile,
    code: verificationCode,
    password: encryptedPassword,
    serviceloginkey: z.string().max(128),
    /** Requirements §5: "Device time zone and role required". */
    timeZone,
  }),
  response: z.object({ approval: z.enum(['none', 'pending']) }),
});

export const registrationSettings = z.strictObject({
  enabled: z.boolean(),
  /** True if registrations need approval. */
  approval: z.boolean(),
  roleIds: z.array(id).max(20),
  /**
   * Parent of new organisations. If the user names an agent, the new organisation is created below that
   * agent's organisation instead.
   */
  parentOrganizationId: id.nullable(),
});
export type RegistrationSettings = z.output<typeof registrationSettings>;

export const getRegistrationSettings = defineRoute({
  name: 'getRegistrationSettings',
  method: 'GET',
  path: '/setting/registration',
  access: 'setting-registration:view',
  summary: 'Switch and terms of self-registration',
  response: registrationSettings,
});

export const setRegistrationSettings = defineRoute({
  name: 'setRegistrationSettings',
  method: 'PUT',
  path: '/setting/registration',
  access: 'setting-registration:edit',
  summary: 'Change switch and terms of self-registration',
  body: registrationSettings,
  response: registrationSettings,
});

export const REGISTRATION_STATES = ['pending', 'approved', 'rejected'] as const;

export const registration = z.object({
  id: z.number().int(),
  username: z.string(),
  realname: z.string(),
  organizationName: z.string(),
  mobile: z.string(),
  role: z.object({ id: z.number().int(), code: z.string().nullable(), name: z.string() }),
  agentName: z.string(),
  timeZone: z.string(),
  address: z.string(),
  createdAt: moment,
  state: z.enum(REGISTRATION_STATES),
  decidedAt: moment.nullable(),
  decidedBy: z.string(),
  reason: z.string(),
});
export type Registration = z.output<typeof registration>;

export const listRegistrations = defineRoute({
  name: 'listRegistrations',
  method: 'GET',
  path: '/setting/registration/queue',
  access: 'setting-registration:view',
  summary: 'Registrations, newest first',
  query: z.object({
    ...paging,
    state: z.enum(REGISTRATION_STATES).optional(),
    search: z.string().max(100).default(''),
  }),
  response: pageOf(registration).extend({ pending: z.number().int() }),
});

export const approveRegistration = defineRoute({
  name: 'approveRegistration',
  method: 'POST',
  path: '/setting/registration/:id/approve',
  access: 'setting-registration:approve',
  summary: 'Let a registered account in',
  params: z.object({ id }),
  response: registration,
});

export const rejectRegistration = defineRoute({
  name: 'rejectRegistration',
  method: 'POST',
  path: '/setting/registration/:id/reject',
  access: 'setting-registration:approve',
  summary: 'Refuse a registration; the name is free again',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: registration,
});
