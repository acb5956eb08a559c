import {
  type AssetFile,
  type AssetFileDetail,
  type addFileVersion,
  type listAssetFiles,
  MOST_FILE_VERSIONS,
  type uploadAssetFile,
} from '@isotherm/contracts/asset-files';
import { AppError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import type { Download } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import { downloadOf, fileTypeOf } from '../../../platform/documents/file-type.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findRecord } from '../registry/registry.repo.ts';
import {
  type FileRow,
  findFile,
  insertFile,
  insertVersion,
  listFileRows,
  listVersions,
  lockFile,
  markDeleted,
  readBytes,
  setValidUntil,
  type VersionRow,
} from './files.repo.ts';

type ListQuery = z.output<(typeof listAssetFiles)['query']>;
type UploadForm = z.output<(typeof uploadAssetFile)['body']>;
type VersionForm = z.output<(typeof addFileVersion)['body']>;

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

export interface FilesService {
  list(caller: Caller, query: ListQuery): Promise<{ items: AssetFile[]; total: number }>;
  get(caller: Caller, id: number): Promise<AssetFileDetail>;
  upload(caller: Caller, assetId: number, form: UploadForm): Promise<AssetFileDetail>;
  addVersion(caller: Caller, id: number, form: VersionForm): Promise<AssetFileDetail>;
  read(caller: Caller, id: number, number: number): Promise<Download>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/**
 * Creates the service for documents and photos of assets. The type of an upload is detected from its
 * content, and the file is served with that type only.
 */
export function createFilesService(pool: pg.Pool, audit: Pick<Audit, 'record'>, clock: Clock): FilesService {
  async function find(db: Db, caller: Caller, id: number): Promise<FileRow> {
    const row = await findFile(db, caller.scope, id);
    if (!row) throw new AppError('file.not_found');
    return row;
  }

  const detail = async (db: Db, row: FileRow): Promise<AssetFileDetail> => ({
    ...viewOf(row),
    versions: (await listVersions(db, row.id)).map(versionOf),
  });

  async function store(tx: Tx, caller: Caller, id: number, number: number, file: UploadedFile, note: string) {
    const mediaType = fileTypeOf(file.bytes);
    if (!mediaType) throw new AppError('upload.format');
    await insertVersion(tx, id, {
      number,
      mediaType,
      bytes: file.bytes,
      note,
      uploadedBy: caller.username,
      uploadedAt: new Date(clock.now()),
    });
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...query }) {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const today = day(clock.now());
      const { rows, total } = await listFileRows(
        pool,
        {
          scope: caller.scope,
          search: query.search.trim(),
          assetId: query.assetId ?? null,
          kind: query.kind ?? null,
          validFrom: query.due === 'soon' ? today : null,
          validTo:
            query.due === 'expired'
              ? day(clock.now() - DAY_MS)
              : query.due === 'soon'
                ? day(clock.now() + SOON_DAYS * DAY_MS)
                : null,
        },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => detail(pool, await find(pool, caller, id)),
    /** Throws `asset.not_found`, `upload.format`. */
    upload: (caller, assetId, { file, note, ...form }) =>
      transaction(pool, async (tx) => {
        const asset = await findRecord(tx, caller.scope, assetId);
        if (!asset || asset.deleted_at !== null) throw new AppError('asset.not_found');
        const id = await insertFile(tx, { ...form, assetId, validUntil: form.validUntil || null });
        await store(tx, caller, id, 1, file, note);
        const row = await find(tx, caller, id);
        const answer = await detail(tx, row);
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: fieldsOf(row) });
        return answer;
      }),
    /** Throws `file.not_found`, `file.too_many_versions`, `upload.format`. */
    addVersion: (caller, id, { file, note, validUntil }) =>
      transaction(pool, async (tx) => {
        await lockFile(tx, id);
        const before = await find(tx, caller, id);
        if (before.number >= MOST_FILE_VERSIONS)
          throw new AppError('file.too_many_versions', { most: MOST_FILE_VERSIONS });
        await store(tx, caller, id, before.number + 1, file, note);
        await setValidUntil(tx, id, validUntil || null);
        const after = await find(tx, caller, id);
        const answer = await detail(tx, after);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return answer;
      }),
    /** Throws `file.not_found`. */
    async read(caller, id, number) {
      await find(pool, caller, id);
      const stored = await readBytes(pool, id, number);
      if (!stored) throw new AppError('file.not_found');
      return downloadOf(`document-${id}-${number}`, stored.media_type, stored.bytes);
    },
    /** Throws `file.not_found`. */
    remove: (caller, id, reason) =>
      transaction(pool, async (tx) => {
        const row = await find(tx, caller, id);
        await markDeleted(tx, id, new Date(clock.now()));
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: fieldsOf(row), reason });
        return null;
      }),
  };
}

function versionOf(row: VersionRow) {
  return {
    number: row.number,
    mediaType: row.media_type,
    sizeBytes: row.size_bytes,
    note: row.note,
    uploadedBy: row.uploaded_by,
    uploadedAt: row.uploaded_at.toISOString(),
  };
}

function viewOf(row: FileRow): AssetFile {
  return {
    id: row.id,
    assetId: row.asset_id,
    assetName: row.asset_name,
    assetCode: row.asset_code,
    kind: row.kind,
    name: row.name,
    validUntil: row.valid_until ?? '',
    ...versionOf(row),
  };
}

function fieldsOf(row: FileRow) {
  return {
    asset: row.asset_name,
    fileKind: row.kind,
    validUntil: row.valid_until ?? '',
    version: row.number,
  };
}

function objectOf(row: FileRow) {
  return {
    objectKind: 'asset-file',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organization_path,
  };
}
