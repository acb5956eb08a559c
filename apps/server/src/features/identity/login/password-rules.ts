import { InvalidFieldsError, invalidField } from '@isotherm/contracts/errors';
import { judgePassword } from '@isotherm/contracts/password-strength';
import { wordIssues } from '@isotherm/contracts/validation';
import type { z } from 'zod';

/**
 * Checks a chosen password after decryption against the rules of requirements §5 and the list of common
 * passwords. `own` are words connected with the user, such as the name.
 *
 * @throws {InvalidFieldsError} for `field`
 */
export function checkNewPassword(
  field: string,
  password: string,
  schema: z.ZodType<string>,
  own: readonly string[],
): void {
  const result = schema.safeParse(password);
  if (!result.success)
    throw new InvalidFieldsError(wordIssues(result.error, password).map((fault) => ({ ...fault, field })));
  if (judgePassword(password, own).common) throw invalidField(field, 'password-common');
}
