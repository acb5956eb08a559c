import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  type createWebcam,
  editWebcam,
  type listWebcams,
  type testWebcam,
  type Webcam,
} from '@isotherm/contracts/webcams';
import { can } from '@isotherm/domain/access/can';
import { isWithin } from '@isotherm/domain/access/organization-tree';
import { isOfAccount, playOf } from '@isotherm/domain/assets/webcam';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { findAccount, lockAccount } from './accounts.repo.ts';
import type { LimitCalls } from './call-limits.ts';
import type { Cameras } from './cameras.ts';
import {
  findAssetPath,
  findWebcam,
  insertWebcam,
  listWebcamRows,
  lockWebcam,
  markWebcamDeleted,
  setChecked,
  updateWebcam,
  type WebcamRow,
} from './webcams.repo.ts';

type EditForm = z.output<(typeof editWebcam)['body']>;

export interface WebcamsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWebcams)['query']>,
  ): Promise<ResponseOf<typeof listWebcams>>;
  get(caller: Caller, id: number): Promise<Webcam>;
  create(caller: Caller, form: z.output<(typeof createWebcam)['body']>): Promise<Webcam>;
  edit(caller: Caller, id: number, form: EditForm): Promise<Webcam>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  test(caller: Caller, id: number): Promise<ResponseOf<typeof testWebcam>>;
}

/** Creates the webcam registry. */
export function createWebcamsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  cameras: Pick<Cameras, 'sourceOf' | 'test' | 'hasGateway'>,
  /** Called when a scheduled snapshot may be due. */
  onSchedule: () => void,
  limit: LimitCalls,
): WebcamsService {
  async function find(db: Db, caller: Caller, id: number): Promise<WebcamRow> {
    const row = await findWebcam(db, caller.scope, id);
    if (!row) throw new AppError('webcam.missing');
    return row;
  }
  const records = createKeptRecords<WebcamRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    lock: lockWebcam,
    taken: { constraint: 'webcam_name', code: 'webcam.taken' },
  });
  const viewOf = (caller: Caller, { organizationPath: _, ...row }: WebcamRow): Webcam => ({
    ...row,
    // The network address is shown only to users who may change the camera.
    address: can(caller.permissions, editWebcam.access) ? row.address : '',
    play: playOf(row.kind, cameras.hasGateway),
    checkedAt: row.checkedAt?.toISOString() ?? null,
    snapshotAt: row.snapshotAt?.toISOString() ?? null,
    changedAt: row.changedAt.toISOString(),
  });

  /**
   * Checks that asset and account belong to the camera's organisation, so that nobody reaches an asset or a
   * password of another organisation.
   */
  async function checkBonds(tx: Tx, caller: Caller, organizationPath: string, form: EditForm): Promise<void> {
    if (form.assetId !== null) {
      const assetPath = await findAssetPath(tx, caller.scope, form.assetId);
      if (assetPath === null) throw new AppError('asset.not_found');
      if (!isWithin(assetPath, organizationPath)) throw new AppError('webcam.asset_elsewhere');
    }
    if (form.accountId !== null) {
      await lockAccount(tx, form.accountId);
      const account = await findAccount(tx, caller.scope, form.accountId);
      if (!account) throw new AppError('webcam.account_missing');
      if (!isWithin(organizationPath, account.organizationPath) || !isOfAccount(form.address, account.url))
        throw new AppError('webcam.account_elsewhere');
    }
  }
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  return {
    async list(caller, query) {
      const { rows, total } = await listWebcamRows(pool, caller.scope, query);
      return { items: rows.map((row) => viewOf(caller, row)), total };
    },
    /** Throws `webcam.missing`. */
    get: async (caller, id) => viewOf(caller, await find(pool, caller, id)),
    /** Throws `organization.not_found`, `asset.not_found`, `webcam.account_missing|account_elsewhere|asset_elsewhere|taken`. */
    async create(caller, { organizationId, ...form }) {
      const row = await records.create(caller, async (tx) => {
        const path = await findOrganizationPath(tx, caller.scope, organizationId);
        if (path === null) throw new AppError('organization.not_found');
        await checkBonds(tx, caller, path, form);
        return insertWebcam(tx, organizationId, { ...form, ...trace(caller) });
      });
      onSchedule();
      return viewOf(caller, row);
    },
    /** Throws `webcam.missing` and what `create` throws. */
    async edit(caller, id, form) {
      const row = await records.change(caller, id, async (tx, before) => {
        await checkBonds(tx, caller, before.organizationPath, form);
        await updateWebcam(tx, id, { ...form, ...trace(caller) });
      });
      onSchedule();
      return viewOf(caller, row);
    },
    /** Throws `webcam.missing`. */
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, (tx) => markWebcamDeleted(tx, id, new Date(clock.now()))),
    /** Throws `webcam.missing`, `request.too_many`. */
    async test(caller, id) {
      const source = await cameras.sourceOf(caller.scope, id);
      await limit(caller, 'test');
      const fault = await cameras.test(source);
      await setChecked(pool, id, fault, new Date(clock.now()));
      return { fault };
    },
  };
}

function fieldsOf(row: WebcamRow) {
  return {
    name: row.name,
    kind: row.kind,
    address: row.address,
    account: row.accountName,
    asset: row.assetName,
    snapshotMinutes: row.snapshotMinutes,
    snapshotAtAlarm: row.snapshotAtAlarm,
  };
}

function objectOf(row: WebcamRow) {
  return {
    objectKind: 'webcam',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organizationPath,
  };
}
