import { isExternalLink } from '@isotherm/domain/access/links';
import { z } from 'zod';

/**
 * The field rules of requirements §5, one schema each. Forms and the server use them with the same messages.
 * The `error` of a rule is the last part of its text key, `validation.<error>`.
 */

const NO_WHITESPACE = /^\S*$/;

/** Control characters, and invisible ones that break a line or turn the direction of the text after them. */
const UNSEEN = /[\p{Cc}\u200B\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/u;

/** Schema of a name: trimmed, without control characters, of limited length. */
export function label(max = 120) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !UNSEEN.test(text), { error: 'control-characters' });
}

/** Schema of free text with several lines. */
export function prose(max = 1000) {
  return z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/[^\P{Cc}\n\r\t]/u.test(text), { error: 'control-characters' });
}

/** Requirements §5: "Login account: no whitespace, at least 8 characters (user creation)." */
export const loginAccount = z
  .string()
  .min(8)
  .max(64)
  .regex(NO_WHITESPACE, { error: 'no-whitespace' })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' });

/**
 * Requirements §5: "Self-registration username: starts with a letter, 8 to 30 characters, limited special
 * characters."
 */
export const registrationName = z
  .string()
  .min(8)
  .max(30)
  .regex(/^\p{L}/u, { error: 'starts-with-letter' })
  .regex(/^[\p{L}\p{N}._@-]*$/u, { error: 'registration-name' });

/** Requirements §5: "Full name: letters and spaces (plus limited special characters)." */
export const fullName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[\p{L}\p{M}][\p{L}\p{M} .'’·-]*$/u, { error: 'full-name' });

/** Requirements §5: "Registration password 8 to 16 characters." */
export const registrationPassword = z
  .string()
  .min(8)
  .max(16)
  .regex(NO_WHITESPACE, { error: 'no-whitespace' });

/** Requirements §5: "Password change: at least 6 characters." The upper limit keeps hashing cheap. */
export const changedPassword = z.string().min(6).max(128);

/** Requirements §5: "Mainland: 1, then 3-9, then 9 digits; international: optional + and digits." */
export const MAINLAND_MOBILE = /^1[3-9]\d{9}$/;
const INTERNATIONAL_MOBILE = /^\+?\d{6,15}$/;
export const mobile = z
  .string()
  .trim()
  .refine(
    (text) => MAINLAND_MOBILE.test(text) || (INTERNATIONAL_MOBILE.test(text) && !/^1\d{10}$/.test(text)),
    {
      error: 'mobile',
    },
  );

/**
 * Requirements §5, "Landline with area code": mainland `021-12345678`, or international `+44 20 79460000`;
 * an extension is allowed.
 */
export const landline = z
  .string()
  .trim()
  .regex(/^(0\d{2,3}[- ]?\d{7,8}|\+\d{1,3}[- ]?\d{1,4}[- ]?\d{5,10})(-\d{1,6})?$/, { error: 'landline' });

/** Requirements §5: "E-mail pattern." */
export const email = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email({ error: 'email' }));

/** Makes a field optional: an empty text is accepted. */
export function orNone<T extends z.ZodType<string>>(schema: T) {
  return z.union([z.literal(''), schema]);
}

/** Currency code of ISO 4217. */
export const currency = z.string().regex(/^[A-Z]{3}$/, { error: 'format' });

/** Requirements §5: "Names, plates, action names, device numbers, asset codes: no whitespace". */
export const code = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(NO_WHITESPACE, { error: 'no-whitespace' })
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'control-characters' });

/** Requirements §5: "Device number: 8 digits." */
export const deviceNumber = z
  .string()
  .trim()
  .regex(/^\d{8}$/, { error: 'eight-digits' });

/** Requirements §5: "Device name: no special characters." */
export const deviceName = label().regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._#()·–−-]*$/u, {
  error: 'device-name',
});

/**
 * Requirements §5, "Asset size: exactly three comma-separated numbers": length, width and height in
 * millimetres.
 */
export const assetSize = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/\s*[,，]\s*/g, ','))
  .regex(/^\d{1,6}(\.\d{1,3})?(,\d{1,6}(\.\d{1,3})?){2}$/, { error: 'three-numbers' });

/** Requirements §5: "Volume: one decimal." */
export const volume = z
  .number()
  .min(0)
  .max(1_000_000)
  .refine((value) => Number(value.toFixed(1)) === value, { error: 'one-decimal' });

/** A permission code, which consists of page and action: `management-users:edit`. */
export const operationCode = code.regex(/^[a-z0-9-]+:[a-z0-9-]+$/, { error: 'operation-code' });

/** Requirements §5: "Route path must not start with a slash". External links are allowed as targets (§2). */
export const routePath = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((path) => !path.startsWith('/'), { error: 'no-leading-slash' })
  .refine((path) => isExternalLink(path) || /^[\w\-./:]+$/.test(path), { error: 'route-path' })
  .refine((path) => isExternalLink(path) || !/^[a-z][a-z0-9+.-]*:/i.test(path), { error: 'route-path' });

/** Path of a component, which starts with exactly one slash (requirements §5). */
export const componentName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((component) => component.startsWith('/'), { error: 'leading-slash' })
  .regex(/^[\w\-/]*$/, { error: 'route-path' });

/** A verification code has six digits. */
export const verificationCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, { error: 'six-digits' });

export const latitude = z.number().min(-90).max(90);
export const longitude = z.number().min(-180).max(180);

/** Reason for an action that requires one. */
export const reason = prose(500).min(1);

/** Requirements §5: "Files: avatar 2 MB or 5 MB, jpg, jpeg, png or gif"; "import files xls or xlsx". */
export const AVATAR_MAX_BYTES = 5 * 1024 * 1024;
export const LOGO_MAX_BYTES = 2 * 1024 * 1024;
/** Size limit of a snapshot as the camera delivers it. */
export const SNAPSHOT_MAX_BYTES = 10 * 1024 * 1024;
/** Requirements §5: "Files: 200 KB or 5 MB." */
export const ASSET_FILE_MAX_BYTES = 5 * 1024 * 1024;
/** Size limit of a photo of a hand-over. The phone scales it down before, to a tenth of this. */
export const HANDOVER_PHOTO_MAX_BYTES = 3 * 1024 * 1024;
/** Size limit of a floor plan; a rendered page of 4096 pixels is far smaller. */
export const FLOOR_PLAN_MAX_BYTES = 10 * 1024 * 1024;
export const IMPORT_MAX_BYTES = 5 * 1024 * 1024;
export const IMAGE_EXTENSIONS = ['jpg', 'jpeg', 'png', 'gif'] as const;
export const IMPORT_EXTENSIONS = ['xls', 'xlsx'] as const;

/** An uploaded file as the server receives it. The console passes a `File` or `Blob`. */
export interface UploadedFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * File field of a multipart body. Its bytes are part of the request's signature as `sha256:<hex>`. A larger
 * file is refused during the upload (`upload.too_large`).
 */
export function file(maxBytes: number) {
  return (
    z
      // Text that was sent in a file field is not accepted as a file.
      .custom<Blob>((value) => typeof value === 'object' && value !== null, { error: 'required' })
      .transform((value) => value as unknown as UploadedFile)
      .meta({ type: 'string', format: 'binary', maxBytes })
  );
}
