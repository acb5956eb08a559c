import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { z } from 'zod';
import {
  AVATAR_MAX_BYTES,
  email,
  file,
  fullName,
  label,
  landline,
  mobile,
  orNone,
  prose,
  verificationCode,
} from './fields.ts';
import { encryptedPassword } from './identity.ts';
import { quietHours } from './quiet-hours.ts';
import { defineRoute, timeZone } from './route.ts';
import { userSession } from './users.ts';

/** Seconds after which visible pages load their data again (requirements §9: 300 by default); 0 means never. */
export const PAGE_REFRESHES = [0, 60, 300, 900, 1_800] as const;

/** How pages behave for one account (requirements §3). */
const pageSettings = {
  pageRefreshInterval: z.literal(PAGE_REFRESHES),
  /** Whether the report of records lists the alarms of its range. */
  ShowReportWarningInfo: z.boolean(),
};

/** Response of GET /account: the user's own account (requirements §7). */
export const accountInfo = z.object({
  username: z.string(),
  realname: z.string(),
  mobile: z.string(),
  landline: z.string(),
  email: z.string(),
  /** True if several e-mails to this address have bounced. */
  emailFails: z.boolean(),
  address: z.string(),
  description: z.string(),
  avatar: z.string(),
  organizationName: z.string(),
  roles: z.array(z.object({ code: z.string().nullable(), name: z.string() })),
  timeZoneCode: z.string(),
  /** Language code; '' means the language of the browser. */
  language: z.string(),
  quietHours,
  ...pageSettings,
  secondFactor: z.boolean(),
  /** True if a role of the account requires a second factor, so that it cannot be disabled. */
  secondFactorRequired: z.boolean(),
  recoveryCodesLeft: z.number().int(),
});
export type AccountInfo = z.output<typeof accountInfo>;

export const getAccount = defineRoute({
  name: 'getAccount',
  method: 'GET',
  path: '/account',
  access: 'signed-in',
  summary: 'Own account',
  response: accountInfo,
});

/**
 * Edits the account. The mobile number can only be changed by `PUT /account/telephone`, which requires a
 * code.
 */
export const editAccount = defineRoute({
  name: 'editAccount',
  method: 'PUT',
  path: '/account',
  access: 'signed-in',
  summary: 'Change own name and contacts',
  encoding: 'multipart',
  body: z.strictObject({
    realname: fullName,
    /** The current number; a different one is refused (`account.mobile_needs_code`). */
    mobile: orNone(mobile).default(''),
    landline: orNone(landline).default(''),
    email: orNone(email).default(''),
    address: orNone(label(200)).default(''),
    description: prose().default(''),
  }),
  response: accountInfo,
});

/** Uploads an avatar and returns the address of the image (requirements §7). */
export const uploadAvatar = defineRoute({
  name: 'uploadAvatar',
  method: 'POST',
  path: '/fileupload/avatar',
  access: 'signed-in',
  summary: 'Set own avatar: jpg, jpeg, png or gif, 5 MB at most; re-encoded',
  encoding: 'multipart',
  body: z.strictObject({ image: file(AVATAR_MAX_BYTES) }),
  response: z.string(),
});

export const changeTelephone = defineRoute({
  name: 'changeTelephone',
  method: 'PUT',
  path: '/account/telephone',
  access: 'signed-in',
  summary: 'Change own mobile number, with the code sent to the new one',
  encoding: 'multipart',
  body: z
    .strictObject({ oldPhone: orNone(mobile).default(''), newPhone: mobile, code: verificationCode })
    // Requirements §5: the new mobile number must differ from the old one.
    .refine((form) => form.newPhone !== form.oldPhone, { path: ['newPhone'], error: 'same-as-password' }),
  response: accountInfo,
});

export const zone = z.object({
  /** IANA name of the time zone. */
  code: z.string(),
  /** Current offset in minutes east of UTC. */
  offset: z.number().int(),
});

export const getTimeZone = defineRoute({
  name: 'getTimeZone',
  method: 'GET',
  path: '/account/timezone',
  access: 'signed-in',
  summary: 'Own time zone and those to choose from',
  response: z.object({ code: z.string(), zones: z.array(zone) }),
});

export const setTimeZone = defineRoute({
  name: 'setTimeZone',
  method: 'PUT',
  path: '/account/timezone',
  access: 'signed-in',
  summary: 'Set own time zone',
  encoding: 'multipart',
  body: z.strictObject({ code: timeZone }),
  response: z.object({ code: z.string(), offset: z.number().int() }),
});

export const setLanguage = defineRoute({
  name: 'setLanguage',
  method: 'PUT',
  path: '/account/language',
  access: 'signed-in',
  summary: 'Set the language of messages to oneself',
  body: z.strictObject({ language: z.enum(['', ...LANGUAGE_CODES]) }),
  response: z.null(),
});

export const setQuietHours = defineRoute({
  name: 'setQuietHours',
  method: 'PUT',
  path: '/account/quiet-hours',
  access: 'signed-in',
  summary: 'Set the hours in which alarms of levels 1 to 4 are not sent to oneself',
  body: z.strictObject({ quietHours }),
  response: z.null(),
});

export const setPageSettings = defineRoute({
  name: 'setPageSettings',
  method: 'PUT',
  path: '/account/pages',
  access: 'signed-in',
  summary: 'Set how often pages load their data again, and whether reports of records list alarms',
  body: z.strictObject(pageSettings),
  response: z.null(),
});
export type PageSettings = z.output<(typeof setPageSettings)['body']>;

export const listOwnSessions = defineRoute({
  name: 'listOwnSessions',
  method: 'GET',
  path: '/account/session',
  access: 'signed-in',
  summary: 'Where one is signed in',
  response: z.array(userSession),
});

export const endOtherSessions = defineRoute({
  name: 'endOtherSessions',
  method: 'DELETE',
  path: '/account/session',
  access: 'signed-in',
  summary: 'Sign out everywhere else',
  response: z.object({ ended: z.number().int() }),
});

/** Starts the set-up of a second factor. It is enabled only after a code was confirmed. */
export const beginSecondFactor = defineRoute({
  name: 'beginSecondFactor',
  method: 'POST',
  path: '/account/second-factor',
  access: 'signed-in',
  summary: 'A new TOTP secret to put into an authenticator, with the password',
  body: z.strictObject({ password: encryptedPassword, serviceloginkey: z.string().max(128) }),
  response: z.object({ secret: z.string(), uri: z.string() }),
});

export const confirmSecondFactor = defineRoute({
  name: 'confirmSecondFactor',
  method: 'PUT',
  path: '/account/second-factor',
  access: 'signed-in',
  summary: 'Turn the second factor on with a code of the authenticator; answers the recovery codes, once',
  body: z.strictObject({ code: verificationCode }),
  response: z.object({ recoveryCodes: z.array(z.string()) }),
});

export const endSecondFactor = defineRoute({
  name: 'endSecondFactor',
  method: 'DELETE',
  path: '/account/second-factor',
  access: 'signed-in',
  summary: 'Turn the second factor off, with the password',
  body: z.strictObject({ password: encryptedPassword, serviceloginkey: z.string().max(128) }),
  response: z.null(),
});

export const renewRecoveryCodes = defineRoute({
  name: 'renewRecoveryCodes',
  method: 'POST',
  path: '/account/second-factor/recovery-codes',
  access: 'signed-in',
  summary: 'New recovery codes, with the password; the old ones end',
  body: z.strictObject({ password: encryptedPassword, serviceloginkey: z.string().max(128) }),
  response: z.object({ recoveryCodes: z.array(z.string()) }),
});
