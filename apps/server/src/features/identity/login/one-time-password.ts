import { randomBytes } from 'node:crypto';

/** The alphabet does not contain 0, O, 1, l and I, because the password is read from a screen and typed. */
const PASSWORD_LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const ONE_TIME_PASSWORD_LENGTH = 12;

/** Returns the password for a reset: random, shown once, valid for one login (decision 13). */
export function oneTimePassword(): string {
  let password = '';
  // Bytes above the largest multiple of the alphabet's size are skipped, since they would make some letters
  // more likely.
  const limit = 256 - (256 % PASSWORD_LETTERS.length);
  while (password.length < ONE_TIME_PASSWORD_LENGTH)
    for (const byte of randomBytes(ONE_TIME_PASSWORD_LENGTH))
      if (byte < limit && password.length < ONE_TIME_PASSWORD_LENGTH)
        password += PASSWORD_LETTERS[byte % PASSWORD_LETTERS.length];
  return password;
}
