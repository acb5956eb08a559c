import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { z } from 'zod';
import { fullName, label, loginAccount } from './fields.ts';
import { defineRoute, moment, timeZone } from './route.ts';

/** GET /auth/publickey: what a password is encrypted with. The nonce goes inside (decision 12). */
export const getPublicKey = defineRoute({
  name: 'getPublicKey',
  method: 'GET',
  path: '/auth/publickey',
  access: 'public',
  summary: 'SM2 public key and a one-time nonce for encrypting a password',
  response: z.object({ publicKey: z.string(), nonce: z.string(), expiresAt: moment }),
});

/** GET /auth/puzzle: a slider puzzle; the server alone knows where the piece belongs (decision 17). */
export const getPuzzle = defineRoute({
  name: 'getPuzzle',
  method: 'GET',
  path: '/auth/puzzle',
  access: 'public',
  summary: 'A slider puzzle for a login that needs one',
  response: z.object({
    puzzleId: z.string(),
    /** PNG data URLs: the picture with the gap, and the piece. */
    image: z.string(),
    piece: z.string(),
    width: z.number(),
    height: z.number(),
    pieceSize: z.number(),
    /** Where the piece stands vertically; its horizontal place is the answer. */
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
  /** IANA zone name and its offset from UTC in minutes, now. */
  timeZoneCode: z.string(),
  timeZoneOffset: z.number().int(),
  roles: z.array(z.string()),
  /** True when the password was an initial or reset one and must be changed before anything else. */
  mustChangePassword: z.boolean(),
  /** A role demands a second factor that the account does not have yet: nothing else works before. */
  mustEnrolSecondFactor: z.boolean(),
});
export type Profile = z.output<typeof profile>;

const session = z.object({
  /** Secret of the session; it never travels again (decision 14). */
  token: z.string(),
  /** Lifetime in seconds from now; every signed call extends it. */
  tokentime: z.number().int(),
});

/** What `password` holds before SM2: `<nonce>\n<password>`. Result: hex C1C3C2 with the leading `04`. */
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
    /** The nonce that was encrypted along with the password. */
    serviceloginkey: z.string().max(128),
    /** Names the browser, so that sessions can be told apart. */
    identifier: z.string().max(128).default(''),
    v: z.string().max(32).default(''),
    puzzleId: z.string().max(128).optional(),
    /** Left edge of the piece in picture pixels. */
    puzzleX: z.coerce.number().optional(),
    /** Six digits of the authenticator or a recovery code, after `login.second_factor`. */
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

/** POST /auth/socket-ticket: opens one socket once, within 30 s (decision 16). */
export const createSocketTicket = defineRoute({
  name: 'createSocketTicket',
  method: 'POST',
  path: '/auth/socket-ticket',
  access: 'signed-in',
  summary: 'One-time ticket for the realtime socket',
  response: z.object({ ticket: z.string() }),
});

/**
 * POST /setup: make the first administrator of an empty installation, by the one-time link that the server
 * prints when it starts without any account (decision 3).
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
