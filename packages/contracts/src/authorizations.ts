import { z } from 'zod';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Prefix of API keys. A key is sent as `authorization: Bearer <key>`. */
export const API_KEY_PREFIX = 'iso_';

export const AUTHORIZATION_STATES = ['active', 'waiting', 'ended', 'expired', 'revoked'] as const;

/**
 * Reasons why a key that was not revoked no longer works. A key has at most the rights of the account that
 * created it.
 */
export const AUTHORIZATION_END_REASONS = ['maker-disabled', 'maker-gone', 'maker-moved'] as const;

/**
 * Access of a program on behalf of an organisation. It is either a key, or an authorization code that the
 * person who sets up the program exchanges once for a key.
 */
export const authorization = z.object({
  id: z.number().int(),
  name: z.string(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  permissions: z.array(z.string()),
  /** State of the access; `waiting` means that the code has not been exchanged yet. */
  state: z.enum(AUTHORIZATION_STATES),
  /** Reason why an `ended` key does not work; null in other states. */
  endReason: z.enum(AUTHORIZATION_END_REASONS).nullable(),
  /**
   * First characters of the key, by which users recognise it; '' while the code has not been exchanged for a
   * key.
   */
  keyPrefix: z.string(),
  /** Validity in days since its creation or renewal; null if unlimited. */
  validDays: z.number().int().nullable(),
  createdBy: z.string(),
  createdAt: moment,
  expiresAt: moment.nullable(),
  lastUsedAt: moment.nullable(),
  lastUsedAddress: z.string(),
  revokedAt: moment.nullable(),
});
export type Authorization = z.output<typeof authorization>;

export const listAuthorizations = defineRoute({
  name: 'listAuthorizations',
  method: 'GET',
  path: '/authorization',
  access: 'management-authorizations:view',
  summary: 'Authorization codes and API keys of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    state: z.enum(AUTHORIZATION_STATES).optional(),
    sort: z.enum(['name', 'createdAt', 'lastUsedAt']).default('createdAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(authorization),
});

/**
 * Creates an API key or an authorization code. A user cannot grant permissions that they lack
 * (`role.escalation`). The name of a user is refused (`authorization.username`), because changes name who made them.
 */
export const createAuthorization = defineRoute({
  name: 'createAuthorization',
  method: 'POST',
  path: '/authorization',
  access: 'management-authorizations:create',
  summary: 'Make an API key, or a code that a machine exchanges for one; shown once',
  body: z.strictObject({
    name: label(),
    organizationId: id,
    permissions: z.array(z.string().max(128)).min(1).max(500),
    /** A `code` is valid for one exchange within 24 hours. */
    kind: z.enum(['key', 'code']),
    /** Validity of the key in days; null if unlimited. */
    validDays: z.number().int().min(1).max(3650).nullable().default(365),
  }),
  response: z.object({ authorization, secret: z.string() }),
});

/**
 * Renews an active key: its validity starts again from now. The key itself stays the same. Throws
 * `authorization.not_found|not_renewable`, `role.escalation`.
 */
export const renewAuthorization = defineRoute({
  name: 'renewAuthorization',
  method: 'POST',
  path: '/authorization/:id/renew',
  access: 'management-authorizations:create',
  summary: 'Renew an API key for as long as it was made for',
  params: z.object({ id }),
  response: authorization,
});

export const revokeAuthorization = defineRoute({
  name: 'revokeAuthorization',
  method: 'POST',
  path: '/authorization/:id/revoke',
  access: 'management-authorizations:revoke',
  summary: 'End a key or code at once',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: authorization,
});

/**
 * Exchanges an authorization code for a key. Wrong codes are counted per network address
 * (`request.too_many`).
 */
export const redeemAuthorization = defineRoute({
  name: 'redeemAuthorization',
  method: 'POST',
  path: '/authorization/redeem',
  access: 'public',
  summary: 'Exchange an authorization code for the key, once',
  body: z.strictObject({ code: z.string().trim().min(8).max(64) }),
  response: z.object({ key: z.string(), expiresAt: moment.nullable() }),
});

/** Returns whether an API key is valid, and its permissions. */
export const whoAmI = defineRoute({
  name: 'whoAmI',
  method: 'GET',
  path: '/authorization/self',
  access: 'signed-in',
  machines: true,
  summary: 'Who calls: a person or a machine, and what they may do',
  response: z.object({
    kind: z.enum(['person', 'machine']),
    name: z.string(),
    organizationId: z.number().int(),
    permissions: z.array(z.string()),
  }),
});
