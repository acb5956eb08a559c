import { createHash } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import {
  type addFirmwareKey,
  type Firmware,
  type FirmwareKey,
  firmwareStatement,
  type uploadFirmware,
} from '@isotherm/contracts/firmware';
import { compareVersions } from '@isotherm/domain/devices/firmware-version';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  endKey,
  type FirmwareRow,
  findFirmware,
  findKey,
  firmwareView,
  insertFirmware,
  insertKey,
  type KeyRow,
  keyView,
  listFirmwareRows,
  listKeyRows,
  listKeysFor,
  markWithdrawn,
} from './firmware.repo.ts';
import { isSignedBy, readPublicKey } from './signature.ts';

export interface FirmwareService {
  list(caller: Caller): Promise<Firmware[]>;
  upload(caller: Caller, form: z.output<(typeof uploadFirmware)['body']>): Promise<Firmware>;
  withdraw(caller: Caller, id: number, reason: string): Promise<null>;
  keys(caller: Caller): Promise<FirmwareKey[]>;
  addKey(caller: Caller, form: z.output<(typeof addFirmwareKey)['body']>): Promise<FirmwareKey>;
  endKey(caller: Caller, id: number, reason: string): Promise<null>;
}

export function createFirmwareService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  /** Ends the roll-outs of a revoked firmware within the same transaction. */
  endRollouts: (tx: Tx, firmwareId: number) => Promise<void>,
): FirmwareService {
  async function pathOf(caller: Caller, organizationId: number): Promise<string> {
    const path = await findOrganizationPath(pool, caller.scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    return path;
  }

  return {
    async list(caller) {
      const rows = await listFirmwareRows(pool, caller.scope);
      return rows
        .sort((a, b) =>
          a.model < b.model ? -1 : a.model > b.model ? 1 : compareVersions(b.version, a.version),
        )
        .map(firmwareView);
    },
    /** Throws `organization.not_found`, `firmware.signature|version_taken`. */
    async upload(caller, { file, organizationId, model, version, signature, notes }) {
      const path = await pathOf(caller, organizationId);
      const { bytes } = file as UploadedFile;
      const checksum = createHash('sha256').update(bytes).digest('hex');
      const statement = firmwareStatement({ title: model, version, size: bytes.length, checksum });
      const key = (await listKeysFor(pool, path)).find((each) =>
        isSignedBy(each.public_key, statement, signature),
      );
      if (!key || bytes.length === 0) throw new AppError('firmware.signature');
      return transaction(pool, async (tx) => {
        const id = await insertFirmware(tx, {
          organizationId,
          keyId: key.id,
          model,
          version,
          notes,
          checksum,
          signature,
          bytes,
          uploadedBy: caller.username,
          uploadedAt: new Date(clock.now()),
        });
        const row = (await findFirmware(tx, caller.scope, id)) as FirmwareRow;
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: loggedOf(row) });
        return firmwareView(row);
      }).catch((error: unknown) => {
        if (isDuplicate(error, 'firmware_version'))
          throw new AppError('firmware.version_taken', { version }, { cause: error });
        throw error;
      });
    },
    /** Throws `firmware.not_found`. */
    withdraw: (caller, id, reason) =>
      transaction(pool, async (tx) => {
        const row = await findFirmware(tx, caller.scope, id, { own: true });
        if (!row || row.withdrawn_at !== null) throw new AppError('firmware.not_found');
        await markWithdrawn(tx, id, caller.username, new Date(clock.now()));
        await endRollouts(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: loggedOf(row), reason });
        return null;
      }),
    keys: async (caller) => (await listKeyRows(pool, caller.scope)).map(keyView),
    /** Throws `organization.not_found`, `firmware.key`. */
    async addKey(caller, { organizationId, name, publicKey }) {
      await pathOf(caller, organizationId);
      const bytes = readPublicKey(publicKey);
      if (!bytes) throw new AppError('firmware.key');
      return transaction(pool, async (tx) => {
        const id = await insertKey(tx, {
          organizationId,
          name,
          publicKey: bytes,
          addedBy: caller.username,
          addedAt: new Date(clock.now()),
        });
        const row = (await findKey(tx, caller.scope, id)) as KeyRow;
        const after = { name, publicKey: bytes.toString('base64') };
        await audit.record(tx, caller, { action: 'create', ...keyObject(row), after });
        return keyView(row);
      });
    },
    /** Throws `firmware.not_found`. */
    endKey: (caller, id, reason) =>
      transaction(pool, async (tx) => {
        const row = await findKey(tx, caller.scope, id);
        if (!row || row.ended_at !== null) throw new AppError('firmware.not_found');
        await endKey(tx, id, new Date(clock.now()));
        await audit.record(tx, caller, { action: 'disable', ...keyObject(row), reason });
        return null;
      }),
  };
}

const objectOf = (row: FirmwareRow) => ({
  objectKind: 'firmware',
  objectId: row.id,
  objectName: `${row.model} ${row.version}`,
  organizationPath: row.organization_path,
});
const loggedOf = ({ model, version, checksum, notes }: FirmwareRow) => ({ model, version, checksum, notes });
const keyObject = (row: KeyRow) => ({
  objectKind: 'firmware-key',
  objectId: row.id,
  objectName: row.name,
  organizationPath: row.organization_path,
});
