import type { PaymentProviderInput } from '@isotherm/contracts/payment-providers';
import type { PaymentProviderKind } from '@isotherm/domain/billing/payment-provider';
import type { Db, Tx } from '../../platform/db/pool.ts';

export type ProviderSettings = Pick<
  PaymentProviderInput,
  'appId' | 'merchantId' | 'serial' | 'publicKey' | 'publicKeyId'
>;

export interface PaymentProviderRow {
  id: number;
  name: string;
  kind: PaymentProviderKind;
  enabled: boolean;
  url: string;
  settings: ProviderSettings;
  sealedSecrets: Buffer;
  secretsChangedAt: Date;
  changedBy: string;
  changedAt: Date;
}

const COLUMNS = `id::float8 as id, name, kind, enabled, url, settings, sealed_secrets as "sealedSecrets",
  secrets_changed_at as "secretsChangedAt", changed_by as "changedBy", changed_at as "changedAt"`;

export async function listProviderRows(db: Db): Promise<PaymentProviderRow[]> {
  const { rows } = await db.query<PaymentProviderRow>(
    `select ${COLUMNS} from payment_provider order by enabled desc, id`,
  );
  return rows;
}

export async function findProviderRow(db: Db, id: number): Promise<PaymentProviderRow | null> {
  const { rows } = await db.query<PaymentProviderRow>(
    `select ${COLUMNS} from payment_provider where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

export async function lockProviderRow(tx: Tx, id: number): Promise<void> {
  await tx.query('select from payment_provider where id = $1 for no key update', [id]);
}

type Fields = Omit<PaymentProviderRow, 'id'>;
const valuesOf = (row: Fields): unknown[] => [
  row.name,
  row.kind,
  row.enabled,
  row.url,
  JSON.stringify(row.settings),
  row.sealedSecrets,
  row.secretsChangedAt,
  row.changedBy,
  row.changedAt,
];

export async function insertProviderRow(tx: Tx, row: Fields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into payment_provider (name, kind, enabled, url, settings, sealed_secrets, secrets_changed_at, changed_by,
                                   changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id::float8 as id`,
    valuesOf(row),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateProviderRow(tx: Tx, id: number, row: Fields): Promise<void> {
  await tx.query(
    `update payment_provider
        set name = $1, kind = $2, enabled = $3, url = $4, settings = $5, sealed_secrets = $6, secrets_changed_at = $7,
            changed_by = $8, changed_at = $9
      where id = $10`,
    [...valuesOf(row), id],
  );
}

export async function deleteProviderRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from payment_provider where id = $1', [id]);
}

/** True if there are orders that were created at this provider. */
export async function hasOrders(db: Db, provider: string): Promise<boolean> {
  const { rows } = await db.query('select from recharge_order where provider = $1 limit 1', [provider]);
  return rows.length > 0;
}
