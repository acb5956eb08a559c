import type { PushService } from '@isotherm/domain/notifications/mobile-push';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** What identifies the account of the installation at a push service. */
export interface FcmSettings {
  projectId: string;
  clientEmail: string;
  /** Address that exchanges signed assertions for access tokens. */
  tokenUrl: string;
}
export interface ApnsSettings {
  keyId: string;
  teamId: string;
  topic: string;
}

interface ServiceRow {
  enabled: boolean;
  url: string;
  /** Private key, encrypted. */
  sealedSecret: Buffer;
  secretChangedAt: Date;
  changedBy: string;
  changedAt: Date;
}
export type FcmRow = ServiceRow & { service: 'fcm'; settings: FcmSettings };
export type ApnsRow = ServiceRow & { service: 'apns'; settings: ApnsSettings };
export type PushServiceRow = FcmRow | ApnsRow;

/** The row type of a service. */
export type RowOf<S extends PushService> = Extract<PushServiceRow, { service: S }>;

export async function listServices(db: Db): Promise<PushServiceRow[]> {
  const { rows } = await db.query<PushServiceRow>(
    `select service, enabled, url, settings, sealed_secret as "sealedSecret", secret_changed_at as "secretChangedAt",
            changed_by as "changedBy", changed_at as "changedAt"
       from push_service order by service`,
  );
  return rows;
}

export async function findService<S extends PushService>(db: Db, service: S): Promise<RowOf<S> | null> {
  const row = (await listServices(db)).find((each) => each.service === service);
  return (row as RowOf<S> | undefined) ?? null;
}

/** Locks the services, so that two changes at once see each other. */
export async function lockServices(tx: Tx): Promise<void> {
  await tx.query('lock table push_service in share row exclusive mode');
}

export async function saveService(tx: Tx, row: PushServiceRow): Promise<void> {
  await tx.query(
    `insert into push_service (service, enabled, url, settings, sealed_secret, secret_changed_at, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (service) do update
        set enabled = excluded.enabled, url = excluded.url, settings = excluded.settings,
            sealed_secret = excluded.sealed_secret, secret_changed_at = excluded.secret_changed_at,
            changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
    [
      row.service,
      row.enabled,
      row.url,
      JSON.stringify(row.settings),
      row.sealedSecret,
      row.secretChangedAt,
      row.changedBy,
      row.changedAt,
    ],
  );
}

/** Number of apps that a service reaches. */
export async function countApps(db: Db, service: PushService): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from push_app where service = $1',
    [service],
  );
  return rows[0]?.count ?? 0;
}
