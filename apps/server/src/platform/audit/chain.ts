import { createHash } from 'node:crypto';
import type { AuditAction } from '@isotherm/domain/access/audit-actions';
import type { Sealing } from '../sealing.ts';
import { canonicalJson, type Plain } from './plain.ts';

/** Content of an entry, without its position in the chain. */
export interface Statement {
  at: Date;
  accountId: number | null;
  username: string;
  sessionId: string | null;
  address: string;
  organizationPath: string;
  action: string;
  objectKind: string;
  objectId: string;
  objectName: string;
  before: Plain;
  after: Plain;
  reason: string;
}

export interface Head {
  seq: number;
  hash: Buffer;
}

export interface SealedHead extends Head {
  mac: string;
}

/** Action of the entry that is written after an invalid seal of the previous entry was found. */
export const SEAL_BROKEN: AuditAction = 'seal-broken';

/** The head before the first entry. */
export const GENESIS: Head = { seq: 0, hash: Buffer.alloc(32) };

/** Returns the SHA-256 over the previous hash and the canonical JSON of number and statement. */
export function hashOf(previousHash: Buffer, seq: number, statement: Statement): Buffer {
  return createHash('sha256')
    .update(previousHash)
    .update(
      canonicalJson({
        seq,
        at: statement.at.toISOString(),
        accountId: statement.accountId,
        username: statement.username,
        sessionId: statement.sessionId,
        address: statement.address,
        organizationPath: statement.organizationPath,
        action: statement.action,
        objectKind: statement.objectKind,
        objectId: statement.objectId,
        objectName: statement.objectName,
        before: statement.before,
        after: statement.after,
        reason: statement.reason,
      }),
    )
    .digest();
}

/**
 * Returns the head (number and hash of the newest entry) with its seal, a MAC with the installation's secret.
 */
export function sealHead(sealing: Pick<Sealing, 'mac'>, { seq, hash }: Head): SealedHead {
  return { seq, hash, mac: sealing.mac('audit-head', `${seq}:${hash.toString('hex')}`) };
}

export function isSealed(sealing: Pick<Sealing, 'mac'>, head: SealedHead): boolean {
  return sealHead(sealing, head).mac === head.mac;
}
