import { z } from 'zod';
import { mobile, verificationCode } from './fields.ts';
import { encryptedPassword } from './identity.ts';
import { defineRoute, id } from './route.ts';

/** Purposes of a verification code. A code is valid for its purpose only. */
export const CODE_PURPOSES = ['forgetpassword', 'register', 'changephone'] as const;
export type CodePurpose = (typeof CODE_PURPOSES)[number];

/**
 * A code is valid for five minutes and five attempts; another one can be requested after 60 s (requirements
 * §9: value not shown).
 */
export const CODE_LIFE_S = 300;
export const CODE_TRIES = 5;
export const RESEND_AFTER_S = 60;

const sent = z.object({
  /** Seconds until another code may be requested. */
  resendAfter: z.number().int(),
});

/**
 * Sends a verification code. The response is the same whether or not the account has that number, so that it
 * does not reveal accounts.
 */
export const sendCode = defineRoute({
  name: 'sendCode',
  method: 'POST',
  path: '/sms/code',
  access: 'public',
  summary: 'Send a verification code to a mobile number',
  encoding: 'multipart',
  body: z.strictObject({
    username: z.string().trim().min(1).max(64),
    phone: mobile,
    actiontype: z.enum(['forgetpassword', 'register']),
  }),
  response: sent,
});

export const sendCodeToNewPhone = defineRoute({
  name: 'sendCodeToNewPhone',
  method: 'POST',
  path: '/sms/codewithauth',
  access: 'signed-in',
  summary: 'Send a verification code to the new number of one’s own account',
  encoding: 'multipart',
  body: z
    .strictObject({
      /**
       * The user's own id; another id is refused. It is optional, because the session identifies the user.
       */
      userId: id.optional(),
      oldPhone: z.string().max(20).default(''),
      newPhone: mobile,
      actiontype: z.enum(['changephone']).default('changephone'),
    })
    .refine((form) => form.newPhone !== form.oldPhone, { path: ['newPhone'], error: 'same-as-password' }),
  response: sent,
});

export const forgetPassword = defineRoute({
  name: 'forgetPassword',
  method: 'POST',
  path: '/auth/forgetpassword',
  access: 'public',
  summary: 'Set a new password with a code; every session of the account ends',
  encoding: 'multipart',
  body: z.strictObject({
    username: z.string().trim().min(1).max(64),
    phone: mobile,
    code: verificationCode,
    password: encryptedPassword,
    serviceloginkey: z.string().max(128),
  }),
  response: z.null(),
});
