import { AppError } from '@isotherm/contracts/errors';
import { changedPassword } from '@isotherm/contracts/fields';
import type { changePassword, login, Profile } from '@isotherm/contracts/identity';
import { MAX_REPORT_DAYS } from '@isotherm/contracts/reports';
import { companyOf } from '@isotherm/domain/access/organization-tree';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Person } from '../../../platform/http/caller.ts';
import {
  type AccountRow,
  clearFailures,
  findAccount,
  findRootPath,
  noteLogin,
  releaseAttempt,
  reserveAttempt,
  updatePassword,
} from '../accounts.repo.ts';
import type { Attempts } from './attempts.ts';
import { checkNewPassword } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import type { Puzzles } from './puzzle.ts';
import type { SecondFactor } from './second-factor.ts';
import { isSecondFactorDue, type Origin, type Sessions } from './sessions.ts';

export const FAILURE_WINDOW_MS = 15 * 60_000;
const PUZZLE_AFTER = 3;
export const LOCKED_AFTER = 20;
/**
 * Failures of an address after which the puzzle is required. A hospital, or machines that log in
 * automatically, may share one address, so it is allowed more failures than an account
 * (docs/decisions/0004).
 */
const ADDRESS_PUZZLE_AFTER = 30;
const ADDRESS_LOCKED_AFTER = 200;

type LoginForm = z.output<(typeof login)['body']>;
type PasswordForm = z.output<(typeof changePassword)['body']>;
type SessionToken = { token: string; tokentime: number };
type From = Pick<Origin, 'address' | 'client'>;

export interface LoginService {
  login(form: LoginForm, from: From): Promise<Profile & SessionToken>;
  profile(caller: Person): Promise<Profile>;
  refresh(caller: Person, from: From): Promise<SessionToken>;
  changePassword(caller: Person, form: PasswordForm, from: From): Promise<SessionToken>;
  logout(caller: Person): Promise<null>;
}

/** The reason why a login was refused, as stored in the audit log (`logs.refused.<code>`). */
type Refusal = 'disabled' | 'password' | 'pending' | 'second-factor-missing' | 'second-factor-wrong';

export interface LoginParts {
  pool: pg.Pool;
  passwords: Passwords;
  sessions: Sessions;
  puzzles: Puzzles;
  secondFactor: SecondFactor;
  attempts: Attempts;
  audit: Audit;
  clock: Clock;
  /** Returns the address of the logo on printed reports of an organisation; '' if it has none. */
  reportLogo(organizationId: number): Promise<string>;
}

/** Subject of failed logins of an account; they are counted per account and per address. */
export const accountSubject = (username: string): string => `account:${username}`;

export function createLoginService(parts: LoginParts): LoginService {
  const { pool, passwords, sessions, puzzles, secondFactor, attempts, audit, clock, reportLogo } = parts;

  async function accountOf(caller: Person): Promise<AccountRow> {
    const account = await findAccount(pool, caller.username);
    if (!account) throw new AppError('session.wrong');
    return account;
  }

  async function isSolved({ puzzleId, puzzleX }: LoginForm): Promise<boolean> {
    return puzzleId !== undefined && puzzleX !== undefined && puzzles.solve(puzzleId, puzzleX);
  }

  async function noteFailure(
    username: string,
    row: AccountRow | null,
    address: string,
    refused: Refusal,
  ): Promise<void> {
    await audit.recordAlone(
      { accountId: row?.id ?? null, username, sessionId: null, address },
      {
        action: 'login-failed',
        objectKind: 'user',
        objectId: row?.id ?? '',
        objectName: username,
        after: { refused },
        // An attempt with an unknown name is logged at the root organisation.
        organizationPath: row?.organization_path ?? (await findRootPath(pool)),
      },
    );
  }

  /** Throws `login.second_factor` if a code is required, `login.second_factor_wrong` if it is wrong. */
  async function checkSecondFactor(row: AccountRow, form: LoginForm, from: From): Promise<void> {
    if (!row.second_factor_confirmed) return;
    if (!form.secondFactor) {
      await noteFailure(row.username, row, from.address, 'second-factor-missing');
      throw new AppError('login.second_factor');
    }
    await attempts.reserve('totp', row.username);
    if (!(await secondFactor.check(pool, row, form.secondFactor))) {
      await noteFailure(row.username, row, from.address, 'second-factor-wrong');
      throw new AppError('login.second_factor_wrong');
    }
    await attempts.release('totp', row.username);
  }

  async function admit(row: AccountRow, form: LoginForm, from: From): Promise<Profile & SessionToken> {
    const closed = row.disabled ? 'disabled' : row.pending ? 'pending' : null;
    if (closed) {
      await noteFailure(row.username, row, from.address, closed);
      throw new AppError(`login.${closed}`);
    }
    await checkSecondFactor(row, form, from);
    const now = clock.now();
    const session = await transaction(pool, async (tx) => {
      // The account's row is locked before the session references it, so that two simultaneous logins cannot
      // deadlock.
      await noteLogin(tx, row.id, new Date(now), from.address);
      const { id: sessionId, ...opened } = await sessions.open(
        tx,
        row,
        { ...from, identifier: form.identifier },
        { passwordHash: row.password_hash },
      );
      await audit.record(
        tx,
        { accountId: row.id, username: row.username, sessionId, address: from.address },
        { action: 'login', ...objectOf(row) },
      );
      return opened;
    });
    return { ...profileOf(row, now, await reportLogo(row.organization_id)), ...session };
  }

  async function judge(form: LoginForm, from: From): Promise<Profile & SessionToken> {
    const account = accountSubject(form.username);
    const source = sourceOf(from.address);
    const address = `address:${source}`;
    const now = clock.now();
    const failuresOf = async (subject: string) => {
      const before = await reserveAttempt(pool, [subject], new Date(now), new Date(now - FAILURE_WINDOW_MS));
      return before.get(subject) ?? 0;
    };
    // The address is checked first, so that attempts from a locked address leave no rows for invented user
    // names in the database.
    const ofAddress = await failuresOf(address);
    if (ofAddress >= ADDRESS_LOCKED_AFTER) throw new AppError('login.locked');
    const ofAccount = await failuresOf(account);
    if (ofAccount >= LOCKED_AFTER) throw new AppError('login.locked');
    if ((ofAccount >= PUZZLE_AFTER || ofAddress >= ADDRESS_PUZZLE_AFTER) && !(await isSolved(form))) {
      await releaseAttempt(pool, [account, address]);
      throw new AppError('-9');
    }
    const opening = passwords.open(source, form.serviceloginkey, form.password);
    const [password] = (await opening.catch(async (error) => {
      // A password that cannot be decrypted is not a guess at the account's password, but costs as much as
      // one, so it counts for the address only.
      await releaseAttempt(pool, isNoPassword(error) ? [account] : [account, address]);
      throw error;
    })) as [string];
    const row = await findAccount(pool, form.username);
    if (!(await passwords.verify(source, row?.password_hash ?? null, password)) || !row) {
      await noteFailure(form.username, row, from.address, 'password');
      throw new AppError(ofAccount + 1 >= PUZZLE_AFTER ? '-9' : 'login.wrong');
    }
    await clearFailures(pool, account);
    await releaseAttempt(pool, [address]);
    return admit(row, form, from);
  }

  return {
    /** Throws `-9` (puzzle required), `login.*`. */
    login: judge,
    async profile(caller) {
      const account = await accountOf(caller);
      return profileOf(account, clock.now(), await reportLogo(account.organization_id));
    },
    async refresh(caller, from) {
      return tokenOf(
        await sessions.replace(caller.sessionId, await accountOf(caller), { ...from, identifier: '' }),
      );
    },
    /** Throws `password.wrong|same`, `request.invalid` for one that breaks a rule (requirements §5). */
    async changePassword(caller, form, from) {
      const [oldPassword, newPassword] = (await passwords.open(
        caller.username,
        form.serviceloginkey,
        form.oldPassword,
        form.newPassword,
      )) as [string, string];
      const account = await accountOf(caller);
      await attempts.reserve('verify', caller.username);
      if (!(await passwords.verify(caller.username, account.password_hash, oldPassword)))
        throw new AppError('password.wrong');
      await attempts.release('verify', caller.username);
      if (newPassword === oldPassword) throw new AppError('password.same');
      checkNewPassword('newPassword', newPassword, changedPassword, [account.username, account.realname]);
      const hash = await passwords.hash(caller.username, newPassword);
      return transaction(pool, async (tx) => {
        await updatePassword(tx, account.id, hash, false);
        await sessions.closeAll(tx, account);
        const opened = await sessions.open(tx, account, { ...from, identifier: '' });
        await audit.record(tx, caller, { action: 'password-change', ...objectOf(account) });
        return tokenOf(opened);
      });
    },
    async logout(caller) {
      await transaction(pool, async (tx) => {
        await sessions.close(tx, caller.sessionId, caller.username);
        await audit.record(tx, caller, {
          action: 'logout',
          objectKind: 'user',
          objectId: caller.accountId,
          objectName: caller.username,
          organizationPath: caller.scope,
        });
      });
      return null;
    },
  };
}

/** Returns true if the encrypted password does not belong to this installation, or was used before. */
function isNoPassword(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'login.cipher' || error.code === 'login.nonce');
}

function tokenOf({ token, tokentime }: SessionToken): SessionToken {
  return { token, tokentime };
}

function objectOf(row: AccountRow) {
  return {
    objectKind: 'user',
    objectId: row.id,
    objectName: row.username,
    organizationPath: row.organization_path,
  };
}

/** Returns the offset of a zone from UTC at a moment, in minutes. */
export function offsetMinutes(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(name);
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function profileOf(account: AccountRow, now: number, defaultReportLogo: string): Profile {
  return {
    username: account.username,
    realname: account.realname,
    photo: account.avatar,
    isAdmin: account.is_admin,
    isShareBalance: account.settlement === 'shared' ? 1 : 0,
    accountType: account.account_type,
    organizationId: account.organization_id,
    organizationName: account.organization_name,
    companyId: companyOf(account.organization_path),
    organizationHierarchy: account.organization_level,
    webSetting: {},
    pageRefreshInterval: account.page_refresh_seconds,
    ReportCheckTimeRange: MAX_REPORT_DAYS,
    ShowReportWarningInfo: account.report_alarms,
    defaultReportLogo,
    timeZoneCode: account.time_zone,
    timeZoneOffset: offsetMinutes(account.time_zone, now),
    roles: account.roles,
    mustChangePassword: account.must_change_password,
    mustEnrolSecondFactor: isSecondFactorDue(account),
  };
}
