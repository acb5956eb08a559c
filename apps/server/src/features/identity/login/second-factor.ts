import { randomBytes } from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { AccountRow } from '../accounts.repo.ts';
import { advanceStep, replaceRecoveryCodes, useRecoveryCode } from './second-factor.repo.ts';

const PURPOSE = 'second-factor';
const RECOVERY_CODES = 10;
/** Tolerated clock difference of phones: one time step. */
const TOLERANCE_S = 30;

type Account = Pick<AccountRow, 'id' | 'second_factor' | 'second_factor_step'>;

/** Verifies time-based one-time passwords (RFC 6238), and recovery codes for a lost authenticator. */
export interface SecondFactor {
  /** Creates a new secret, in plain and encrypted form, and the URI that an authenticator reads. */
  create(username: string, issuer: string): { secret: string; uri: string; sealed: Buffer };
  /** Accepts a code of the authenticator or a recovery code; each is valid only once. */
  check(db: Db, account: Account, code: string): Promise<boolean>;
  /** Replaces the recovery codes. They are shown once: only hashes are stored. */
  renewRecoveryCodes(db: Db, accountId: number): Promise<string[]>;
}

export function createSecondFactor(sealing: Sealing, clock: Clock): SecondFactor {
  const hashOf = (accountId: number, code: string) => sealing.mac('recovery-code', `${accountId}:${code}`);

  return {
    create(username, issuer) {
      const secret = generateSecret();
      return {
        secret,
        uri: generateURI({ issuer, label: username, secret }),
        sealed: sealing.seal(PURPOSE, Buffer.from(secret)),
      };
    },
    async check(db, account, code) {
      const typed = code.replace(/[\s-]/g, '').toLowerCase();
      if (!/^\d{6}$/.test(typed))
        return useRecoveryCode(db, account.id, hashOf(account.id, typed), clock.now());
      const secret = account.second_factor && sealing.open(PURPOSE, account.second_factor);
      if (!secret) return false;
      const result = verifySync({
        secret: secret.toString(),
        token: typed,
        epoch: Math.floor(clock.now() / 1000),
        epochTolerance: TOLERANCE_S,
      });
      // The time step of an accepted code is stored, so that nobody can use the code again.
      return result.valid && 'timeStep' in result && advanceStep(db, account.id, result.timeStep);
    },
    async renewRecoveryCodes(db, accountId) {
      const codes = Array.from({ length: RECOVERY_CODES }, () => randomBytes(5).toString('hex'));
      await replaceRecoveryCodes(
        db,
        accountId,
        codes.map((code) => hashOf(accountId, code)),
      );
      return codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
    },
  };
}
