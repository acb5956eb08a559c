import { changePassword, login } from '@isotherm/contracts/identity';
import { call } from '../../shared/api/client.ts';
import { writeCookie } from '../../shared/api/cookies.ts';
import {
  browserIdentifier,
  type EntryStep,
  entryStepDue,
  readSession,
  setEntryDue,
  writeSession,
} from '../../shared/api/session.ts';
import { encryptPasswords } from '../../shared/signature/encrypt-password.ts';

/** Result of a login: the console is ready, or a further step is required. */
export type LoginOutcome = 'ready' | EntryStep;

/** Status by which the server requires the slider puzzle (decision 17). */
export const PUZZLE_NEEDED = '-9';

export interface Credentials {
  username: string;
  password: string;
  puzzle: { puzzleId: string; puzzleX: number } | null;
  /** Code of the authenticator app, or a recovery code; empty until the server asks for it. */
  secondFactor: string;
}

/** Logs in and stores the session; returns the next mandatory step, if there is one. */
export async function logIn(credentials: Credentials, version: string): Promise<LoginOutcome> {
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
      ...(credentials.secondFactor ? { secondFactor: credentials.secondFactor } : {}),
    },
  });
  writeSession(answer.username, answer.token, answer.tokentime, Date.now());
  writeCookie('puzzle', '');
  writeCookie('timeZone', answer.timeZoneCode);
  setEntryDue('password', answer.mustChangePassword);
  setEntryDue('second-factor', answer.mustEnrolSecondFactor);
  return entryStepDue() ?? 'ready';
}

export async function replacePassword(oldPassword: string, newPassword: string): Promise<LoginOutcome> {
  const { ciphers, nonce } = await encryptPasswords(oldPassword, newPassword);
  const session = await call(changePassword, {
    quiet: true,
    body: { oldPassword: ciphers[0] ?? '', newPassword: ciphers[1] ?? '', serviceloginkey: nonce },
  });
  writeSession(readSession()?.username ?? '', session.token, session.tokentime, Date.now());
  setEntryDue('password', false);
  return entryStepDue() ?? 'ready';
}
