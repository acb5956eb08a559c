import { AppError } from '@isotherm/contracts/errors';
import { MAX_TABLE_REPORT_DAYS } from '@isotherm/contracts/table-reports';
import type pg from 'pg';
import type { Caller } from '../../../platform/http/caller.ts';
import { subjectOf } from '../../telemetry/index.ts';
import { findReportOrganization } from '../compliance/compliance.repo.ts';
import { reportAssets, reportRange } from '../record-report.ts';
import type { TableScope } from './tables.repo.ts';

export interface TableAsked {
  from?: string | undefined;
  to?: string | undefined;
  organizationId?: number | undefined;
  assets?: readonly number[] | undefined;
}

/** What a report of alarms or devices is about, with its name. */
export interface NamedScope extends TableScope {
  name: string;
  /** The object of the entry in the register and in the log. */
  object: { objectKind: string; objectId: number };
}

/** Throws the faults of the range, `asset.not_found`, `organization.not_found`. */
export async function tableScope(
  pool: pg.Pool,
  caller: Pick<Caller, 'scope' | 'organizationId'> & Caller,
  asked: TableAsked,
): Promise<NamedScope> {
  const range = reportRange(asked, MAX_TABLE_REPORT_DAYS);
  const dates = { from: new Date(range.from), to: new Date(range.to) };
  if (asked.assets) {
    const assets = await reportAssets(pool, caller, asked.assets);
    const ids = assets.map(({ id }) => id);
    return {
      ...dates,
      path: caller.scope,
      assets: ids,
      name: subjectOf(assets.map(({ name }) => name)),
      object: { objectKind: 'asset', objectId: ids[0] ?? 0 },
    };
  }
  const objectId = asked.organizationId ?? caller.organizationId;
  const own = await findReportOrganization(pool, caller.scope, objectId);
  if (!own) throw new AppError('organization.not_found');
  return {
    ...dates,
    path: own.path,
    assets: null,
    name: own.name,
    object: { objectKind: 'organization', objectId },
  };
}
