import { SIGNATURE_MEANINGS } from '@isotherm/domain/access/signature';
import { z } from 'zod';
import { encryptedPassword } from './identity.ts';
import { moment } from './route.ts';

/**
 * The signature of the caller under what the request does: the password, encrypted as for a login. Where it is
 * required and missing, the server answers `signing.required`. A wrong password is answered with
 * `signing.wrong` and counts as a failed login.
 */
export const signatureInput = z.strictObject({
  password: encryptedPassword,
  serviceloginkey: z.string().max(128),
});
export type SignatureInput = z.output<typeof signatureInput>;

/** An electronic signature as it is shown with what was signed (21 CFR Part 11, § 11.50). */
export const signature = z.object({
  id: z.number().int(),
  meaning: z.enum(SIGNATURE_MEANINGS),
  /** Printed name of the signer, and account and roles at the time of signing. */
  name: z.string(),
  username: z.string(),
  roles: z.array(z.string()),
  at: moment,
  /** Level of the alarm that was signed. */
  level: z.number().int().nullable(),
  /** Code that binds the signature to what was signed, hex. */
  code: z.string(),
  /** False if the signature or what was signed is not as it was. */
  isValid: z.boolean(),
});
export type Signature = z.output<typeof signature>;
