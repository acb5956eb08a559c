import { AppError } from '@isotherm/contracts/errors';
import type { SignatureInput } from '@isotherm/contracts/signatures';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { canonicalJson, type Plain } from '../../../platform/audit/plain.ts';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { clearFailures, findAccount, releaseAttempt, reserveAttempt } from '../accounts.repo.ts';
import { accountSubject, FAILURE_WINDOW_MS, LOCKED_AFTER } from '../login/login.service.ts';
import type { Passwords } from '../login/passwords.ts';
import {
  insertSignature,
  listSignatureRows,
  type SignatureFacts,
  type SignatureRow,
} from './signatures.repo.ts';

/** What a signature is put under. */
export type Signed = Pick<SignatureFacts, 'kind' | 'subjectId' | 'content' | 'meaning' | 'level' | 'at'> & {
  /** Name of the record and path of its organisation, for the audit log. */
  objectName: string;
  organizationPath: string;
};

/** Signs a record in the transaction of the signed action, with an entry in the audit log. */
export type Sign = (tx: Tx, signed: Signed) => Promise<void>;

export type StoredSignature = SignatureRow & {
  /** True if the signature is as it was stored. Whether the record is as it was signed is for its feature to check. */
  isIntact: boolean;
};

/**
 * Electronic signatures. The signer is identified by the session, which was opened with account name and
 * password, and enters the password again for each signing: 21 CFR Part 11, § 11.200 (a)(1)(i). A signature
 * states printed name, time and meaning (§ 11.50 (a)), and its code binds it to the record, so that it can be
 * neither removed unnoticed nor moved to another record (§ 11.70). The application can append signatures, but neither
 * change nor delete them.
 */
export interface Signatures {
  /**
   * Verifies the password of the caller. Returns a function that signs what this request does. A wrong
   * password counts as a failed login of the account and of the address. Throws `signing.wrong`,
   * `login.locked|nonce|cipher`, `permission.denied` for API keys.
   */
  confirm(caller: Caller, input: SignatureInput): Promise<Sign>;
  /** Signatures under records of a kind, in the order of signing. */
  list(db: Db, kind: SignatureFacts['kind'], ids: readonly number[]): Promise<StoredSignature[]>;
}

export interface SignatureParts {
  pool: pg.Pool;
  passwords: Passwords;
  audit: Audit;
  sealing: Pick<Sealing, 'mac'>;
  clock: Clock;
}

export function createSignatures({ pool, passwords, audit, sealing, clock }: SignatureParts): Signatures {
  const codeOf = ({ at, ...facts }: SignatureFacts): string =>
    sealing.mac('electronic-signature', canonicalJson({ ...facts, at: at.toISOString() } as Plain));

  /** Counts the attempt before it is evaluated (docs/decisions/0004). */
  async function reserve(subject: string): Promise<void> {
    const now = clock.now();
    const before = await reserveAttempt(pool, [subject], new Date(now), new Date(now - FAILURE_WINDOW_MS));
    if ((before.get(subject) ?? 0) >= LOCKED_AFTER) throw new AppError('login.locked');
  }

  return {
    async confirm(caller, input) {
      const { accountId, username, realname } = caller;
      if (accountId === null) throw new AppError('permission.denied', { permission: 'signature' });
      const [password] = (await passwords.open(username, input.serviceloginkey, input.password)) as [string];
      const account = accountSubject(username);
      const address = `address:${sourceOf(caller.address)}`;
      await reserve(account);
      // Failures of an address are counted for its logins, but do not stop those who have a session there.
      await reserveAttempt(pool, [address], new Date(clock.now()), new Date(clock.now() - FAILURE_WINDOW_MS));
      const row = await findAccount(pool, username);
      if (
        !(await passwords.verify(username, row?.password_hash ?? null, password)) ||
        row?.id !== accountId
      ) {
        await audit.recordAlone(caller, {
          action: 'sign-failed',
          objectKind: 'user',
          objectId: accountId,
          objectName: username,
          organizationPath: caller.scope,
        });
        throw new AppError('signing.wrong');
      }
      await clearFailures(pool, account);
      await releaseAttempt(pool, [address]);
      return async (tx, { objectName, organizationPath, ...signed }) => {
        const facts = { ...signed, accountId, username, name: realname, roles: row.roles };
        const code = codeOf(facts);
        await insertSignature(tx, facts, code);
        await audit.record(tx, caller, {
          action: 'sign',
          objectKind: facts.kind,
          objectId: facts.subjectId,
          objectName,
          organizationPath,
          after: { meaning: facts.meaning, signer: realname, signatureCode: code },
        });
      };
    },
    async list(db, kind, ids) {
      const rows = await listSignatureRows(db, kind, ids);
      return rows.map((row) => {
        const { id: _, code, ...facts } = row;
        return { ...row, isIntact: codeOf(facts) === code };
      });
    },
  };
}
