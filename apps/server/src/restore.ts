import type pg from 'pg';
import { verifySealedDays } from './features/telemetry/index.ts';
import { verifyAudit } from './platform/audit/verify.ts';
import { type RestoreOptions, type RestoreReport, restoreBackup } from './platform/backup/restore-backup.ts';
import { createSealing } from './platform/sealing.ts';

/** Name of the installation's secret in a backup and in the data folder. */
export const SECRET_FILE = 'server-secret';

export interface Restored extends RestoreReport {
  auditEntries: number;
  sealedDays: number;
  sealedReadings: number;
}

/**
 * Restores a backup into an empty database and verifies it: every sealed day can be decoded, and the audit
 * chain is complete and sealed with the installation's secret. This is `secret`, or that of the backup if
 * `secret` is null.
 */
export async function restoreVerified(
  options: Omit<RestoreOptions, 'verify'>,
  secret: string | null,
): Promise<Restored> {
  const found = { auditEntries: 0, sealedDays: 0, sealedReadings: 0 };
  const verify = async (pool: pg.Pool, files: ReadonlyMap<string, Buffer>) => {
    const own = secret ?? files.get(SECRET_FILE)?.toString('utf8').trim();
    if (own === undefined) throw new Error('There is no secret to verify the audit log with.');
    const audit = await verifyAudit(pool, createSealing(own), () => undefined);
    if (audit.findings > 0)
      throw new Error(
        `The audit log has ${audit.findings} findings. If this is the secret of another installation, restore with the right one; ` +
          'otherwise the log was damaged before the backup: npm run audit:verify names the entries.',
      );
    const sealed = await verifySealedDays(pool);
    if (sealed.damaged.length > 0)
      throw new Error(`${sealed.damaged.length} sealed days do not decode. Use another backup.`);
    found.auditEntries = audit.entries;
    found.sealedDays = sealed.days;
    found.sealedReadings = sealed.readings;
  };
  return { ...(await restoreBackup({ ...options, verify })), ...found };
}
