import { setTimeout } from 'node:timers/promises';
import { AppError } from '@isotherm/contracts/errors';
import { changedPassword } from '@isotherm/contracts/fields';
import { forgetPassword, sendCode, sendCodeToNewPhone } from '@isotherm/contracts/verification';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { clearFailures, findAccount, updatePassword } from '../accounts.repo.ts';
import type { Attempts } from '../login/attempts.ts';
import { accountSubject } from '../login/login.service.ts';
import { checkNewPassword } from '../login/password-rules.ts';
import type { Passwords } from '../login/passwords.ts';
import type { Sessions } from '../login/sessions.ts';
import type { Verification } from './verification.service.ts';

/** Response time: far longer than writing a code takes, and too short for a user to notice. */
const ANSWER_AFTER_MS = 150;

export interface VerificationParts {
  pool: pg.Pool;
  attempts: Attempts;
  audit: Audit;
  passwords: Passwords;
  sessions: Sessions;
  verification: Verification;
  /** Returns whether self-registration is enabled. */
  registrationIsOpen(): Promise<boolean>;
}

/** Mounts routes for SMS codes, and for resetting a forgotten password with them. */
export function mountVerification(mount: Mount, parts: VerificationParts): void {
  const { pool, attempts, audit, passwords, sessions, verification, registrationIsOpen } = parts;

  mount(sendCode, async ({ body, address, language }) => {
    const { username, phone, actiontype } = body;
    const account = await findAccount(pool, username);
    if (actiontype === 'register' && !(await registrationIsOpen())) throw new AppError('registration.closed');
    // A code for an account is sent to the account's own number only, so that a stranger learns nothing
    // about it.
    const owns = account !== null && account.mobile === phone && !account.disabled && !account.pending;
    const sent = verification.send(
      { purpose: actiontype, subject: username, phone },
      {
        address,
        language,
        organizationId: account?.organization_id ?? null,
        silent: actiontype === 'forgetpassword' && !owns,
      },
    );
    // The response time is constant, so that it does not reveal whether a message was sent.
    const [answer] = await Promise.allSettled([sent, setTimeout(ANSWER_AFTER_MS)]);
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  });

  mount(sendCodeToNewPhone, async ({ body, caller }) => {
    if (body.userId !== undefined && body.userId !== caller.accountId) throw new AppError('user.not_found');
    return verification.send(
      { purpose: 'changephone', subject: String(caller.accountId), phone: body.newPhone },
      {
        address: caller.address,
        language: caller.language,
        organizationId: caller.organizationId,
        silent: false,
      },
    );
  });

  mount(forgetPassword, async ({ body, address }) => {
    const source = sourceOf(address);
    await attempts.reserve('form', source);
    const [password] = (await passwords.open(source, body.serviceloginkey, body.password)) as [string];
    checkNewPassword('password', password, changedPassword, [body.username, body.phone]);
    const asked = { purpose: 'forgetpassword', subject: body.username, phone: body.phone } as const;
    const code = await verification.judge(asked, body.code);
    const hash = await passwords.hash(source, password);
    await transaction(pool, async (tx) => {
      await code.use(tx);
      const row = await findAccount(tx, body.username);
      // The number may have changed since the code was sent.
      if (!row || row.mobile !== body.phone) throw new AppError('code.expired');
      await updatePassword(tx, row.id, hash, false);
      await clearFailures(tx, accountSubject(row.username));
      await sessions.closeAll(tx, row);
      await audit.record(
        tx,
        { accountId: row.id, username: row.username, sessionId: null, address },
        {
          action: 'password-reset',
          objectKind: 'user',
          objectId: row.id,
          objectName: row.username,
          organizationPath: row.organization_path,
        },
      );
    });
    return null;
  });
}
