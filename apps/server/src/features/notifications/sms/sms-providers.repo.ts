import type { SmsProviderInput, SmsProviderView } from '@isotherm/contracts/sms-providers';
import type { Db, Tx } from '../../../platform/db/pool.ts';

type GateFields = 'circuit' | 'circuitUntil' | 'failures' | 'lastError' | 'lastErrorAt' | 'lastSuccessAt';

export interface SmsProviderRow extends Omit<SmsProviderView, 'changedAt' | GateFields> {
  sealedSecret: Buffer | null;
  secretChangedAt: Date | null;
  changedAt: Date;
}

export interface SmsProviderFields extends Omit<SmsProviderInput, 'secret'> {
  /** Null keeps the stored one. */
  sealedSecret: Buffer | null;
  changedBy: string;
  changedAt: Date;
}

type Settings = Omit<SmsProviderInput, 'name' | 'kind' | 'enabled' | 'priority' | 'url' | 'secret'>;

const COLUMNS = `id, name, kind, enabled, priority, url, settings, sealed_secret as "sealedSecret",
  sealed_secret is not null as "hasSecret", secret_changed_at as "secretChangedAt", changed_by as "changedBy",
  changed_at as "changedAt"`;

/** Settings that providers which were stored before have not. */
const LATER_SETTINGS = { receiptSources: '', ratePerSecond: 0, appId: '', region: '', sender: '' };

const rowOf = ({
  settings,
  ...row
}: Omit<SmsProviderRow, keyof Settings> & { settings: Settings }): SmsProviderRow => ({
  ...LATER_SETTINGS,
  ...settings,
  ...row,
});

/** Providers in the order in which they are tried. */
export async function listProviders(db: Db): Promise<SmsProviderRow[]> {
  const { rows } = await db.query(`select ${COLUMNS} from sms_provider order by enabled desc, priority, id`);
  return rows.map(rowOf);
}

export async function findProvider(db: Db, id: number): Promise<SmsProviderRow | null> {
  const { rows } = await db.query(`select ${COLUMNS} from sms_provider where id = $1`, [id]);
  return rows[0] ? rowOf(rows[0]) : null;
}

export async function lockProvider(tx: Tx, id: number): Promise<void> {
  await tx.query('select from sms_provider where id = $1 for update', [id]);
}

function valuesOf(fields: SmsProviderFields): unknown[] {
  const { name, kind, enabled, priority, url, sealedSecret, changedBy, changedAt, ...settings } = fields;
  return [name, kind, enabled, priority, url, JSON.stringify(settings), sealedSecret, changedBy, changedAt];
}

export async function insertProvider(tx: Tx, fields: SmsProviderFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into sms_provider (name, kind, enabled, priority, url, settings, sealed_secret, changed_by, changed_at,
                               secret_changed_at)
     values ($1, $2, $3, $4, $5, $6, $7::bytea, $8, $9, case when $7::bytea is not null then $9::timestamptz end)
     returning id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateProvider(tx: Tx, id: number, fields: SmsProviderFields): Promise<void> {
  await tx.query(
    `update sms_provider
        set name = $1, kind = $2, enabled = $3, priority = $4, url = $5, settings = $6,
            sealed_secret = coalesce($7::bytea, sealed_secret), changed_by = $8, changed_at = $9,
            secret_changed_at = case when $7::bytea is not null then $9::timestamptz else secret_changed_at end
      where id = $10`,
    [...valuesOf(fields), id],
  );
}

export async function deleteProviderRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from sms_provider where id = $1', [id]);
}
