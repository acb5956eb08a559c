import { changePassword, login } from '@isotherm/contracts/identity';
import { call } from '../../shared/api/client.ts';
import { writeCookie } from '../../shared/api/cookies.ts';
import { browserIdentifier, readSession, setPasswordDue, writeSession } from '../../shared/api/session.ts';
import { encryptPasswords } from './encrypt-password.ts';

/** Status with which the server asks for the puzzle (decision 17). */
export const PUZZLE_NEEDED = '-9';

export interface Credentials {
  username: string;
  password: string;
  puzzle: { puzzleId: string; puzzleX: number } | null;
}

/** Logs in and remembers the session; answers whether the password must be changed first. */
export async function logIn(credentials: Credentials, version: string): Promise<'ready' | 'password-due'> {
  const { ciphers, nonce } = await encryptPasswords(credentials.password);
  const answer = await call(login, {
    quiet: true,
    body: {
      username: credentials.username,
      password: ciphers[0] ?? '',
      serviceloginkey: nonce,
      identifier: browserIdentifier(),
      v: version,
      ...(credentials.puzzle ?? {}),
    },
  });
  writeSession(answer.username, answer.token, answer.tokentime, Date.now());
  writeCookie('puzzle', '');
  writeCookie('timeZone', answer.timeZoneCode);
  setPasswordDue(answer.mustChangePassword);
  return answer.mustChangePassword ? 'password-due' : 'ready';
}

export async function replacePassword(oldPassword: string, newPassword: string): Promise<void> {
  const { ciphers, nonce } = await encryptPasswords(oldPassword, newPassword);
  const session = await call(changePassword, {
    quiet: true,
    body: { oldPassword: ciphers[0] ?? '', newPassword: ciphers[1] ?? '', serviceloginkey: nonce },
  });
  writeSession(readSession()?.username ?? '', session.token, session.tokentime, Date.now());
  setPasswordDue(false);
}
