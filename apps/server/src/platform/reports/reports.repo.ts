import type { ReportKind } from '@isotherm/domain/reports/report-number';
import type { Db, Tx } from '../db/pool.ts';

export interface NewReport {
  id: number;
  number: string;
  kind: ReportKind;
  organizationId: number;
  subjectId: number;
  subjectName: string;
  sha256: Buffer;
  sizeBytes: number;
  language: string;
  createdBy: string;
  createdAt: Date;
}

/** Takes the next id of the register. It stays unused if the report cannot be written. */
export async function takeReportId(db: Db): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `select nextval(pg_get_serial_sequence('report', 'id'))::float8 as id`,
  );
  return (rows[0] as { id: number }).id;
}

export async function insertReport(tx: Tx, report: NewReport): Promise<void> {
  await tx.query(
    `insert into report (id, number, kind, organization_id, issuer, subject_id, subject_name, sha256, size_bytes, language,
                         created_by, created_at)
       overriding system value
     select $1, $2, $3, o.id, o.name, $5, $6, $7, $8, $9, $10, $11 from organization o where o.id = $4`,
    [
      report.id,
      report.number,
      report.kind,
      report.organizationId,
      report.subjectId,
      report.subjectName,
      report.sha256,
      report.sizeBytes,
      report.language,
      report.createdBy,
      report.createdAt,
    ],
  );
}

export interface ReportRow {
  number: string;
  kind: ReportKind;
  issuer: string;
  sha256: Buffer;
  createdAt: Date;
}

export async function findReport(db: Db, id: number): Promise<ReportRow | null> {
  const { rows } = await db.query<ReportRow>(
    'select number, kind, issuer, sha256, created_at as "createdAt" from report where id = $1',
    [id],
  );
  return rows[0] ?? null;
}
