import type { listNfcTags, NfcTag } from '@isotherm/contracts/asset-nfc';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findRecord } from '../registry/registry.repo.ts';
import { deleteTag, findTag, insertTag, listTagRows, type TagRow } from './nfc.repo.ts';

type ListQuery = z.output<(typeof listNfcTags)['query']>;

export interface NfcService {
  list(caller: Caller, query: ListQuery): Promise<{ items: NfcTag[]; total: number }>;
  find(caller: Caller, uid: string): Promise<NfcTag>;
  bind(caller: Caller, form: { uid: string; assetId: number }): Promise<NfcTag>;
  unbind(caller: Caller, uid: string, reason: string): Promise<null>;
}

/** Creates the service for NFC tags that open the page of an asset. */
export function createNfcService(pool: pg.Pool, audit: Pick<Audit, 'record'>, clock: Clock): NfcService {
  async function find(db: Db, caller: Caller, uid: string): Promise<TagRow> {
    const row = await findTag(db, caller.scope, uid);
    if (!row) throw new AppError('nfc.not_found');
    return row;
  }

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listTagRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    /** Throws `nfc.not_found`. */
    find: async (caller, uid) => viewOf(await find(pool, caller, uid)),
    /** Throws `asset.not_found`, `nfc.bound`. */
    bind: (caller, { uid, assetId }) =>
      transaction(pool, async (tx) => {
        const asset = await findRecord(tx, caller.scope, assetId);
        if (!asset || asset.deleted_at !== null) throw new AppError('asset.not_found');
        const tag = { uid, assetId, boundBy: caller.username, boundAt: new Date(clock.now()) };
        if (!(await insertTag(tx, tag))) throw new AppError('nfc.bound');
        const row = await find(tx, caller, uid);
        const after = { asset: row.asset_name };
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after });
        return viewOf(row);
      }),
    /** Throws `nfc.not_found`. */
    unbind: (caller, uid, reason) =>
      transaction(pool, async (tx) => {
        const row = await find(tx, caller, uid);
        await deleteTag(tx, uid);
        const before = { asset: row.asset_name };
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before, reason });
        return null;
      }),
  };
}

function viewOf(row: TagRow): NfcTag {
  return {
    uid: row.uid,
    assetId: row.asset_id,
    assetName: row.asset_name,
    assetCode: row.asset_code,
    organizationName: row.organization_name,
    boundBy: row.bound_by,
    boundAt: row.bound_at.toISOString(),
  };
}

function objectOf(row: TagRow) {
  return {
    objectKind: 'nfc-tag',
    objectId: row.uid,
    objectName: row.uid,
    organizationPath: row.organization_path,
  };
}
