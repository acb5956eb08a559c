import type { SignatureMeaning } from '@isotherm/domain/access/signature';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Kinds of records that are signed. */
export type SignedKind = 'alarm';

/** Everything that the code of a signature covers. */
export interface SignatureFacts {
  kind: SignedKind;
  subjectId: number;
  /** What was signed, as plain JSON. */
  content: Record<string, unknown>;
  meaning: SignatureMeaning;
  level: number | null;
  accountId: number;
  username: string;
  name: string;
  roles: string[];
  at: Date;
}

export interface SignatureRow extends SignatureFacts {
  id: number;
  code: string;
}

export async function insertSignature(tx: Tx, facts: SignatureFacts, code: string): Promise<void> {
  await tx.query(
    `insert into electronic_signature (subject_kind, subject_id, content, meaning, level, account_id, username, name, roles,
                                       signed_at, code)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      facts.kind,
      facts.subjectId,
      JSON.stringify(facts.content),
      facts.meaning,
      facts.level,
      facts.accountId,
      facts.username,
      facts.name,
      facts.roles,
      facts.at,
      code,
    ],
  );
}

/** Signatures under records of a kind, in the order of signing. */
export async function listSignatureRows(
  db: Db,
  kind: SignedKind,
  subjectIds: readonly number[],
): Promise<SignatureRow[]> {
  const { rows } = await db.query<SignatureRow>(
    `select id::float8 as id, subject_kind as kind, subject_id::float8 as "subjectId", content, meaning, level,
            account_id::float8 as "accountId", username, name, roles, signed_at as at, code
       from electronic_signature where subject_kind = $1 and subject_id = any($2::bigint[])
      order by signed_at, id`,
    [kind, subjectIds],
  );
  return rows;
}
