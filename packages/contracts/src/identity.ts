import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { z } from 'zod';
import { fullName, label, loginAccount } from './fields.ts';
import { defineRoute, moment, timeZone } from './route.ts';

/**
 * GET /auth/publickey: the public key for encrypting a password, and the nonce that is encrypted with it
 * (decision 12).
 */
export const getPublicKey = defineRoute({
  name: 'getPublicKey',
  method: 'GET',
  path: '/auth/publickey',
  access: 'public',
  summary: 'SM2 public key and a one-time nonce for encrypting a password',
  response: z.object({ publicKey: z.string(), nonce: z.string(), expiresAt: moment }),
});

/** GET /auth/puzzle: a slider puzzle. Only the server knows the right position of the piece (decision 17). */
export const getPuzzle = defineRoute({
  name: 'getPuzzle',
  method: 'GET',
  path: '/auth/puzzle',
  access: 'public',
  summary: 'A slider puzzle for a login that needs one',
  response: z.object({
    puzzleId: z.string(),
    /** PNG data URLs: the image with the gap, and the piece. */
    image: z.string(),
    piece: z.string(),
    width: z.number(),
    height: z.number(),
    pieceSize: z.number(),
    /** Vertical position of the piece. The horizontal position is the solution and is not sent. */
    pieceTop: z.number(),
  }),
});

export const profile = z.object({
  username: z.string(),
  realname: z.string(),
  photo: z.string(),
  isAdmin: z.number().int(),
  isShareBalance: z.number().int(),
  accountType: z.enum(ACCOUNT_TYPES),
  organizationId: z.number().int(),
  organizationName: z.string(),
  companyId: z.number().int(),
  organizationHierarchy: z.string(),
  webSetting: z.record(z.string(), z.string()),
  pageRefreshInterval: z.number().int(),
  ReportCheckTimeRange: z.number().int(),
  ShowReportWarningInfo: z.boolean(),
  defaultReportLogo: z.string(),
  /** IANA name of the time zone. */
  timeZoneCode: z.string(),
  timeZoneOffset: z.number().int(),
  roles: z.array(z.string()),
  /** True for an initial or reset password, which the user must change first. */
  mustChangePassword: z.boolean(),
  /**
   * True if a role requires a second factor that the account has not set up. Nothing else is allowed before
   * the set-up.
   */
  mustEnrolSecondFactor: z.boolean(),
});
export type Profile = z.output<typeof profile>;

const session = z.object({
  /** Secret of the session. It is not sent again after login (decision 14). */
  token: z.string(),
  /** Lifetime of the session in seconds. Every signed request extends the session. */
  tokentime: z.number().int(),
});

/**
 * The encrypted text is `<nonce>\n<password>`. The result is hex in the order C1C3C2 of SM2, with the
 * leading `04`.
 */
export const encryptedPassword = z
  .string()
  .regex(/^04[0-9a-fA-F]+$/)
  .max(4096);

export const login = defineRoute({
  name: 'login',
  method: 'POST',
  path: '/auth/login',
  access: 'public',
  summary: 'Log in; status -9 asks for the puzzle',
  encoding: 'multipart',
  body: z.object({
    username: z.string().min(1).max(64),
    password: encryptedPassword,
    /** The nonce that was encrypted together with the password. */
    serviceloginkey: z.string().max(128),
    /** Identifier of the browser, by which sessions are distinguished. */
    identifier: z.string().max(128).default(''),
    v: z.string().max(32).default(''),
    puzzleId: z.string().max(128).optional(),
    /** Left edge of the puzzle piece in image pixels. */
    puzzleX: z.coerce.number().optional(),
    /**
     * Code of the authenticator app, or a recovery code. It is sent after the error `login.second_factor`.
     */
    secondFactor: z.string().max(32).optional(),
  }),
  response: profile.extend(session.shape),
});

export const getProfile = defineRoute({
  name: 'getProfile',
  method: 'GET',
  path: '/auth/info',
  access: 'signed-in',
  summary: 'Profile of the caller',
  response: profile,
});

export const refreshToken = defineRoute({
  name: 'refreshToken',
  method: 'GET',
  path: '/auth/token',
  access: 'signed-in',
  summary: 'Replace the session token before it ends',
  once: true,
  response: session,
});

export const logout = defineRoute({
  name: 'logout',
  method: 'POST',
  path: '/auth/logout',
  access: 'signed-in',
  summary: 'End the session',
  response: z.null(),
});

export const changePassword = defineRoute({
  name: 'changePassword',
  method: 'PUT',
  path: '/account/password',
  access: 'signed-in',
  summary: 'Change the own password; every other session of the account ends',
  encoding: 'multipart',
  body: z.object({
    oldPassword: encryptedPassword,
    newPassword: encryptedPassword,
    serviceloginkey: z.string().max(128),
  }),
  response: session,
});

/**
 * POST /auth/socket-ticket: returns a ticket that is valid for one WebSocket connection within 30 s
 * (decision 16).
 */
export const createSocketTicket = defineRoute({
  name: 'createSocketTicket',
  method: 'POST',
  path: '/auth/socket-ticket',
  access: 'signed-in',
  summary: 'One-time ticket for the realtime socket',
  response: z.object({ ticket: z.string() }),
});

/**
 * POST /setup: creates the first administrator of an empty installation. It requires the one-time link that
 * the server prints (decision 3).
 */
export const completeSetup = defineRoute({
  name: 'completeSetup',
  method: 'POST',
  path: '/setup',
  access: 'public',
  summary: 'Make the first administrator of an empty installation',
  encoding: 'multipart',
  body: z.object({
    setupToken: z.string().min(1).max(128),
    organizationName: label(),
    realname: fullName,
    username: loginAccount,
    password: encryptedPassword,
    serviceloginkey: z.string().max(128),
    timeZone: timeZone.default('UTC'),
  }),
  response: z.null(),
});
