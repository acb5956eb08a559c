import { AppError } from '@isotherm/contracts/errors';
import type { changePassword, login, Profile } from '@isotherm/contracts/identity';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import {
  type AccountRow,
  clearFailures,
  findAccount,
  releaseAttempt,
  reserveAttempt,
  updatePassword,
} from './identity.repo.ts';
import type { Passwords } from './passwords.ts';
import type { Puzzles } from './puzzle.ts';
import type { Sessions } from './sessions.ts';

const FAILURE_WINDOW_MS = 15 * 60_000;
const PUZZLE_AFTER = 3;
const LOCKED_AFTER = 20;
/**
 * A hospital, and machines that log in by themselves, may sit behind one address: it takes more failures
 * there than of one account (docs/decisions/0004).
 */
const ADDRESS_PUZZLE_AFTER = 30;
const ADDRESS_LOCKED_AFTER = 200;

type LoginForm = z.output<(typeof login)['body']>;
type PasswordForm = z.output<(typeof changePassword)['body']>;
type SessionToken = { token: string; tokentime: number };

export interface IdentityService {
  login(form: LoginForm, address: string): Promise<Profile & SessionToken>;
  profile(caller: Caller): Promise<Profile>;
  refresh(caller: Caller): Promise<SessionToken>;
  changePassword(caller: Caller, form: PasswordForm): Promise<SessionToken>;
}

export function createIdentityService(
  pool: pg.Pool,
  passwords: Passwords,
  sessions: Sessions,
  puzzles: Puzzles,
  clock: Clock,
): IdentityService {
  async function accountOf(caller: Caller): Promise<AccountRow> {
    const account = await findAccount(pool, caller.username);
    if (!account) throw new AppError('session.wrong');
    return account;
  }

  async function isSolved({ puzzleId, puzzleX }: LoginForm): Promise<boolean> {
    return puzzleId !== undefined && puzzleX !== undefined && puzzles.solve(puzzleId, puzzleX);
  }

  return {
    /** Throws `-9` (puzzle needed), `login.locked|wrong|disabled|cipher|nonce`. */
    async login(form, address) {
      const account = `account:${form.username}`;
      const from = `address:${address}`;
      const now = clock.now();
      const failures = await reserveAttempt(
        pool,
        [account, from],
        new Date(now),
        new Date(now - FAILURE_WINDOW_MS),
      );
      const ofAccount = failures.get(account) ?? 0;
      const ofAddress = failures.get(from) ?? 0;
      if (ofAccount >= LOCKED_AFTER || ofAddress >= ADDRESS_LOCKED_AFTER) throw new AppError('login.locked');
      if ((ofAccount >= PUZZLE_AFTER || ofAddress >= ADDRESS_PUZZLE_AFTER) && !(await isSolved(form))) {
        await releaseAttempt(pool, [account, from]);
        throw new AppError('-9');
      }
      // What does not open was no guess at the password.
      const [password] = (await passwords.open(form.serviceloginkey, form.password).catch(async (error) => {
        await releaseAttempt(pool, [account, from]);
        throw error;
      })) as [string];
      const row = await findAccount(pool, form.username);
      if (!(await passwords.verify(row?.password_hash ?? null, password)) || !row)
        throw new AppError(ofAccount + 1 >= PUZZLE_AFTER ? '-9' : 'login.wrong');
      await clearFailures(pool, account);
      await releaseAttempt(pool, [from]);
      if (row.disabled) throw new AppError('login.disabled');
      const session = await sessions.open(row, form.identifier, address);
      return { ...profileOf(row, now), ...session };
    },
    async profile(caller) {
      return profileOf(await accountOf(caller), clock.now());
    },
    async refresh(caller) {
      return sessions.replace(caller.sessionId, await accountOf(caller), caller.address);
    },
    /** Throws `password.wrong|same`, `request.invalid` for one that is too short (requirements §5). */
    async changePassword(caller, form) {
      const [oldPassword, newPassword] = (await passwords.open(
        form.serviceloginkey,
        form.oldPassword,
        form.newPassword,
      )) as [string, string];
      const account = await accountOf(caller);
      if (!(await passwords.verify(account.password_hash, oldPassword))) throw new AppError('password.wrong');
      if (newPassword === oldPassword) throw new AppError('password.same');
      if (newPassword.length < 6 || newPassword.length > 128)
        throw new AppError('request.invalid', { field: 'newPassword' });
      await updatePassword(pool, account.id, await passwords.hash(newPassword), false);
      await sessions.closeAll(account);
      return sessions.open(account, '', caller.address);
    },
  };
}

/** Offset of a zone from UTC at a moment, in minutes. */
export function offsetMinutes(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(name);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function profileOf(account: AccountRow, now: number): Profile {
  return {
    username: account.username,
    realname: account.realname,
    photo: account.avatar,
    isAdmin: account.is_admin,
    isShareBalance: 1,
    accountType: account.account_type,
    organizationId: account.organization_id,
    organizationName: account.organization_name,
    companyId: Number(account.organization_path.split('/')[1]),
    organizationHierarchy: account.organization_level,
    webSetting: {},
    pageRefreshInterval: 300,
    ReportCheckTimeRange: 31,
    ShowReportWarningInfo: false,
    defaultReportLogo: '',
    timeZoneCode: account.time_zone,
    timeZoneOffset: offsetMinutes(account.time_zone, now),
    roles: account.roles,
    mustChangePassword: account.must_change_password,
    mustEnrolSecondFactor: false,
  };
}
