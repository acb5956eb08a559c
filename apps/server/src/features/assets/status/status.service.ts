import type { changeAssetStatus, listStatusChanges, StatusChange } from '@isotherm/contracts/asset-status';
import { AppError } from '@isotherm/contracts/errors';
import { type AssetStatus, deedOf, mayBecome } from '@isotherm/domain/assets/asset-status';
import type pg from 'pg';
import type { z } from 'zod';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { findRecord } from '../registry/registry.repo.ts';
import { type ChangeRow, findChange, insertChange, listChangeRows, takeDue } from './status.repo.ts';

type ListQuery = z.output<(typeof listStatusChanges)['query']>;
type ChangeForm = z.output<(typeof changeAssetStatus)['body']>;

const MINUTE_MS = 60_000;
const DUE_AT_ONCE = 500;
const CLOCK: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };

export interface StatusService {
  list(caller: Caller, query: ListQuery): Promise<{ items: StatusChange[]; total: number }>;
  change(caller: Caller, id: number, form: ChangeForm): Promise<StatusChange>;
  /** Restores the previous status of assets whose defrost or maintenance has expired. */
  endDue(): Promise<void>;
  jobs: readonly Job[];
}

/**
 * Creates the status service. `onChange` is called after the commit, because the alarm rules that apply to
 * the asset may have changed.
 */
export function createStatusService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  onChange: () => void,
): StatusService {
  /** Ends some expired statuses and returns how many. */
  async function endSome(): Promise<number> {
    const ended = await transaction(pool, async (tx) => {
      const due = await takeDue(tx, new Date(clock.now()), DUE_AT_ONCE);
      for (const row of due)
        await insertChange(tx, {
          assetId: row.asset_id,
          from: row.to_status,
          to: row.from_status,
          deed: deedOf(row.to_status, row.from_status),
          reason: '',
          changedBy: '',
          changedAt: row.until_at,
          untilAt: null,
        });
      await audit.record(
        tx,
        CLOCK,
        ...due.map((row) => ({
          action: 'change' as const,
          objectKind: 'asset',
          objectId: row.asset_id,
          objectName: row.asset_name,
          before: { status: row.to_status },
          after: { status: row.from_status },
          organizationPath: row.organization_path,
        })),
      );
      return due.length;
    });
    if (ended > 0) onChange();
    return ended;
  }

  async function endDue(): Promise<void> {
    while ((await endSome()) === DUE_AT_ONCE);
  }

  return {
    async list(caller, { page, pageSize, order, ...query }) {
      const { rows, total } = await listChangeRows(
        pool,
        {
          scope: caller.scope,
          search: query.search.trim(),
          assetId: query.assetId ?? null,
          kind: query.kind ?? null,
          deed: query.deed ?? null,
          from: query.from ?? null,
          to: query.to ?? null,
        },
        { order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewOf), total };
    },
    /** Throws `asset.not_found|changed|status`. */
    async change(caller, id, { from, to, minutes, reason }) {
      const row = await transaction(pool, async (tx) => {
        const asset = await findRecord(tx, caller.scope, id, 'change');
        if (!asset || asset.deleted_at !== null) throw new AppError('asset.not_found');
        if (asset.status !== from) throw new AppError('asset.changed');
        if (!mayBecome(from, to)) throw new AppError('asset.status');
        const now = clock.now();
        const untilAt = minutes === null ? null : new Date(now + minutes * MINUTE_MS);
        const changeId = await insertChange(tx, {
          assetId: id,
          from,
          to,
          deed: deedOf(from, to),
          reason,
          untilAt,
          changedBy: caller.username,
          changedAt: new Date(now),
        });
        const until = untilAt?.toISOString() ?? null;
        await audit.record(tx, caller, {
          action: 'change',
          objectKind: 'asset',
          objectId: id,
          objectName: asset.name,
          before: { status: from },
          after: { status: to satisfies AssetStatus, ...(until === null ? {} : { until }) },
          reason,
          organizationPath: asset.organization_path,
        });
        return findChange(tx, changeId);
      });
      onChange();
      return viewOf(row);
    },
    endDue,
    jobs: [{ name: 'asset-status-ends', cron: '* * * * *', atStart: true, run: endDue }],
  };
}

function viewOf(row: ChangeRow): StatusChange {
  return {
    id: row.id,
    assetId: row.asset_id,
    assetName: row.asset_name,
    assetCode: row.asset_code,
    assetKind: row.asset_kind,
    organizationName: row.organization_name,
    from: row.from_status,
    to: row.to_status,
    deed: row.deed,
    reason: row.reason,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
    untilAt: row.until_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
