import type {
  AccountInfo,
  changeTelephone,
  editAccount,
  endSecondFactor,
  PageSettings,
} from '@isotherm/contracts/account';
import { AppError, invalidField } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import type { QuietHoursInput } from '@isotherm/contracts/quiet-hours';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit, AuditEvent } from '../../../platform/audit/audit.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Person } from '../../../platform/http/caller.ts';
import type { Images } from '../../../platform/images/images.ts';
import { findAccount, type AccountRow as LoginRow } from '../accounts.repo.ts';
import type { Attempts } from '../login/attempts.ts';
import type { Passwords } from '../login/passwords.ts';
import { confirmSecondFactorRow, countRecoveryCodes, setSecondFactor } from '../login/second-factor.repo.ts';
import type { SecondFactor } from '../login/second-factor.ts';
import type { Sessions } from '../login/sessions.ts';
import type { Verification } from '../verification/verification.service.ts';
import {
  type AccountRow,
  findOwn,
  updateAvatar,
  updateContacts,
  updateLanguage,
  updateMobile,
  updatePageSettings,
  updateQuietHours,
  updateTimeZone,
} from './account.repo.ts';

type PasswordForm = z.output<(typeof endSecondFactor)['body']>;

export interface AccountService {
  get(caller: Person): Promise<AccountInfo>;
  edit(caller: Person, form: z.output<(typeof editAccount)['body']>): Promise<AccountInfo>;
  setAvatar(caller: Person, file: UploadedFile): Promise<string>;
  changeTelephone(caller: Person, form: z.output<(typeof changeTelephone)['body']>): Promise<AccountInfo>;
  setTimeZone(caller: Person, code: string): Promise<void>;
  setLanguage(caller: Person, language: string): Promise<void>;
  setQuietHours(caller: Person, hours: QuietHoursInput): Promise<void>;
  setPageSettings(caller: Person, settings: PageSettings): Promise<void>;
  endOtherSessions(caller: Person): Promise<{ ended: number }>;
  beginSecondFactor(caller: Person, form: PasswordForm): Promise<{ secret: string; uri: string }>;
  confirmSecondFactor(caller: Person, code: string): Promise<{ recoveryCodes: string[] }>;
  endSecondFactor(caller: Person, form: PasswordForm): Promise<null>;
  renewRecoveryCodes(caller: Person, form: PasswordForm): Promise<{ recoveryCodes: string[] }>;
}

export interface AccountParts {
  pool: pg.Pool;
  audit: Audit;
  attempts: Attempts;
  images: Images;
  passwords: Passwords;
  secondFactor: SecondFactor;
  sessions: Sessions;
  verification: Verification;
  /** Name that the authenticator shows next to the account name. */
  issuer: string;
}

/** Creates the service for actions of users on their own account. */
export function createAccountService(parts: AccountParts): AccountService {
  const { pool, audit, attempts, images, passwords, secondFactor, sessions, verification, issuer } = parts;

  async function own(db: Db, caller: Person): Promise<AccountRow> {
    const row = await findOwn(db, caller.accountId);
    if (!row) throw new AppError('session.wrong');
    return row;
  }

  async function login(caller: Person): Promise<LoginRow> {
    const row = await findAccount(pool, caller.username);
    if (!row) throw new AppError('session.wrong');
    return row;
  }

  async function get(caller: Person): Promise<AccountInfo> {
    const [row, { second_factor_required }, recoveryCodesLeft] = await Promise.all([
      own(pool, caller),
      login(caller),
      countRecoveryCodes(pool, caller.accountId),
    ]);
    return {
      username: row.username,
      realname: row.realname,
      mobile: row.mobile,
      landline: row.landline,
      email: row.email,
      emailFails: row.email_fails,
      address: row.address,
      description: row.description,
      avatar: row.avatar,
      organizationName: row.organization_name,
      roles: row.roles,
      timeZoneCode: row.time_zone,
      language: row.language,
      quietHours: row.quiet_hours,
      pageRefreshInterval: row.page_refresh_seconds,
      ShowReportWarningInfo: row.report_alarms,
      secondFactor: row.second_factor_confirmed,
      secondFactorRequired: second_factor_required,
      recoveryCodesLeft,
    };
  }

  /** Changes the caller's own account and logs old and new values. */
  async function change(caller: Person, work: (tx: Tx, before: AccountRow) => Promise<void>): Promise<void> {
    await transaction(pool, async (tx) => {
      const before = await own(tx, caller);
      await work(tx, before);
      const after = await own(tx, caller);
      await audit.record(tx, caller, {
        action: 'change',
        ...objectOf(caller),
        before: contactsOf(before),
        after: contactsOf(after),
      });
    });
    sessions.forgetCallers();
  }

  /** Throws `password.wrong`, `request.too_many`. */
  async function checkPassword(caller: Person, form: PasswordForm): Promise<LoginRow> {
    const [password] = (await passwords.open(caller.username, form.serviceloginkey, form.password)) as [
      string,
    ];
    const row = await login(caller);
    await attempts.reserve('verify', caller.username);
    if (!(await passwords.verify(caller.username, row.password_hash, password)))
      throw new AppError('password.wrong');
    await attempts.release('verify', caller.username);
    return row;
  }

  return {
    get,
    /** Throws `account.mobile_needs_code`. */
    async edit(caller, form) {
      await change(caller, async (tx, before) => {
        if (form.mobile !== before.mobile) throw new AppError('account.mobile_needs_code');
        await updateContacts(tx, caller.accountId, form);
      });
      return get(caller);
    },
    /** Throws `upload.*`. */
    async setAvatar(caller, file) {
      const address = await images.store(pool, file.bytes, { use: 'avatar', caller });
      await change(caller, (tx) => updateAvatar(tx, caller.accountId, address));
      return address;
    },
    /** Throws `code.*`, and `request.invalid` when the old number is not the account's. */
    async changeTelephone(caller, form) {
      const { mobile } = await own(pool, caller);
      if (form.newPhone === mobile) throw invalidField('newPhone', 'same-as-password');
      if (form.oldPhone !== mobile) throw invalidField('oldPhone', 'choice');
      const code = await verification.judge(
        { purpose: 'changephone', subject: String(caller.accountId), phone: form.newPhone },
        form.code,
      );
      await change(caller, async (tx) => {
        await code.use(tx);
        await updateMobile(tx, caller.accountId, form.newPhone);
      });
      return get(caller);
    },
    setTimeZone: (caller, code) => change(caller, (tx) => updateTimeZone(tx, caller.accountId, code)),
    setLanguage: (caller, language) => change(caller, (tx) => updateLanguage(tx, caller.accountId, language)),
    setQuietHours: (caller, hours) => change(caller, (tx) => updateQuietHours(tx, caller.accountId, hours)),
    setPageSettings: (caller, settings) =>
      change(caller, (tx) => updatePageSettings(tx, caller.accountId, settings)),
    async endOtherSessions(caller) {
      const holder = { id: caller.accountId, username: caller.username };
      return transaction(pool, async (tx) => {
        const ended = await sessions.closeAll(tx, holder, caller.sessionId);
        await audit.record(tx, caller, { action: 'logout', ...objectOf(caller), after: { ended } });
        return { ended };
      });
    },
    /**
     * Throws `second_factor.standing`, `password.wrong`. The password is required, so that nobody can lock
     * the user out by using an unattended screen.
     */
    async beginSecondFactor(caller, form) {
      const row = await checkPassword(caller, form);
      if (row.second_factor_confirmed) throw new AppError('second_factor.standing');
      const { secret, uri, sealed } = secondFactor.create(caller.username, issuer);
      await setSecondFactor(pool, caller.accountId, sealed, false);
      return { secret, uri };
    },
    /** Throws `second_factor.none|standing`, `login.second_factor_wrong`. */
    async confirmSecondFactor(caller, code) {
      const row = await login(caller);
      if (row.second_factor_confirmed) throw new AppError('second_factor.standing');
      if (!row.second_factor) throw new AppError('second_factor.none');
      await attempts.reserve('totp', caller.username);
      const recoveryCodes = await transaction(pool, async (tx) => {
        if (!(await secondFactor.check(tx, row, code))) throw new AppError('login.second_factor_wrong');
        await confirmSecondFactorRow(tx, caller.accountId);
        const codes = await secondFactor.renewRecoveryCodes(tx, caller.accountId);
        await audit.record(tx, caller, changedSecondFactor(caller, true));
        return codes;
      });
      await attempts.release('totp', caller.username);
      sessions.forgetCallers();
      return { recoveryCodes };
    },
    /** Throws `second_factor.required|none`, `password.wrong`. */
    async endSecondFactor(caller, form) {
      const row = await checkPassword(caller, form);
      if (!row.second_factor_confirmed) throw new AppError('second_factor.none');
      if (row.second_factor_required) throw new AppError('second_factor.required');
      await transaction(pool, async (tx) => {
        await setSecondFactor(tx, caller.accountId, null, false);
        await audit.record(tx, caller, changedSecondFactor(caller, false));
      });
      sessions.forgetCallers();
      return null;
    },
    /** Throws `second_factor.none`, `password.wrong`. */
    async renewRecoveryCodes(caller, form) {
      const row = await checkPassword(caller, form);
      if (!row.second_factor_confirmed) throw new AppError('second_factor.none');
      return transaction(pool, async (tx) => {
        const recoveryCodes = await secondFactor.renewRecoveryCodes(tx, caller.accountId);
        await audit.record(tx, caller, {
          action: 'second-factor-change',
          ...objectOf(caller),
          after: { renewed: recoveryCodes.length },
        });
        return { recoveryCodes };
      });
    },
  };
}

function objectOf(caller: Person) {
  return {
    objectKind: 'user',
    objectId: caller.accountId,
    objectName: caller.username,
    organizationPath: caller.scope,
  };
}

function changedSecondFactor(caller: Person, on: boolean): AuditEvent {
  return { action: 'second-factor-change', ...objectOf(caller), before: { on: !on }, after: { on } };
}

function contactsOf(row: AccountRow) {
  return {
    realname: row.realname,
    mobile: row.mobile,
    landline: row.landline,
    email: row.email,
    address: row.address,
    description: row.description,
    avatar: row.avatar,
    timeZone: row.time_zone,
    language: row.language,
    quietHours: row.quiet_hours
      ? `${row.quiet_hours.days.join(',')} ${row.quiet_hours.from}–${row.quiet_hours.until}`
      : '',
    pageRefreshInterval: row.page_refresh_seconds,
    ShowReportWarningInfo: row.report_alarms,
  };
}
