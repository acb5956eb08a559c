import { createHash, randomBytes } from 'node:crypto';
import type { Alertor, AlertorInput, createAlertor, listAlertors } from '@isotherm/contracts/alertors';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  type AlertorFields,
  type AlertorRow,
  deleteAlertorRow,
  findAlertorRow,
  insertAlertor,
  listAlertorRows,
  lockAlertor,
  updateAlertor,
  updateAlertorKey,
} from './alertors.repo.ts';

/** Registry of alertors. Keys are stored as hashes and returned once. */
export interface AlertorsService {
  list(
    caller: Caller,
    query: z.output<(typeof listAlertors)['query']>,
  ): Promise<ResponseOf<typeof listAlertors>>;
  /** Throws `alertor.not_found`. */
  get(caller: Caller, id: number): Promise<Alertor>;
  /** Throws `organization.not_found`, `alertor.taken`, `alertor.serial_taken`. */
  create(
    caller: Caller,
    form: z.output<(typeof createAlertor)['body']>,
  ): Promise<ResponseOf<typeof createAlertor>>;
  /** Throws `organization.not_found`, `alertor.not_found|taken|serial_taken`. */
  edit(caller: Caller, id: number, form: AlertorInput): Promise<Alertor>;
  /** Throws `alertor.not_found`. */
  renewKey(caller: Caller, id: number, reason: string): Promise<ResponseOf<typeof createAlertor>>;
  /** Throws `alertor.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Hash under which the key of an alertor is stored. Keys are random, so no slow hash is needed. */
export const hashAlertorKey = (key: string): Buffer => createHash('sha256').update(key).digest();
const newKey = () => randomBytes(32).toString('base64url');

const objectOf = ({ id, name, organizationPath }: AlertorRow) => ({
  objectKind: 'alertor',
  objectId: id,
  objectName: name,
  organizationPath,
});

export function createAlertorsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): AlertorsService {
  const records = createKeptRecords<AlertorRow>(pool, audit, {
    async find(db, caller, id) {
      const row = await findAlertorRow(db, caller.scope, id, new Date(clock.now()));
      if (!row) throw new AppError('alertor.not_found');
      return row;
    },
    lock: lockAlertor,
    objectOf,
    fieldsOf: ({ name, organizationName, serial, kind, place }) => ({
      name,
      organization: organizationName,
      serial,
      kind,
      place,
    }),
    taken: { constraint: 'alertor_name', code: 'alertor.taken' },
  });

  async function checked(tx: Tx, caller: Caller, form: AlertorInput): Promise<AlertorFields> {
    if ((await findOrganizationPath(tx, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  async function keepingSerial<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isDuplicate(error, 'alertor_serial'))
        throw new AppError('alertor.serial_taken', {}, { cause: error });
      throw error;
    }
  }

  async function find(caller: Caller, id: number): Promise<AlertorRow> {
    const row = await findAlertorRow(pool, caller.scope, id, new Date(clock.now()));
    if (!row) throw new AppError('alertor.not_found');
    return row;
  }

  return {
    async list(caller, query) {
      const { rows, total } = await listAlertorRows(pool, caller.scope, query, new Date(clock.now()));
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await find(caller, id)),
    async create(caller, { key = newKey(), ...form }) {
      const row = await keepingSerial(() =>
        records.create(caller, async (tx) =>
          insertAlertor(tx, await checked(tx, caller, form), hashAlertorKey(key)),
        ),
      );
      return { alertor: viewOf(row), key };
    },
    edit: async (caller, id, form) =>
      viewOf(
        await keepingSerial(() =>
          records.change(caller, id, async (tx) => updateAlertor(tx, id, await checked(tx, caller, form))),
        ),
      ),
    async renewKey(caller, id, reason) {
      const key = newKey();
      await transaction(pool, async (tx) => {
        await lockAlertor(tx, id);
        const row = await findAlertorRow(tx, caller.scope, id, new Date(clock.now()));
        if (!row) throw new AppError('alertor.not_found');
        await updateAlertorKey(tx, id, hashAlertorKey(key), {
          changedBy: caller.username,
          changedAt: new Date(clock.now()),
        });
        await audit.record(tx, caller, { action: 'key-change', ...objectOf(row), reason });
      });
      return { alertor: viewOf(await find(caller, id)), key };
    },
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteAlertorRow(tx, id)),
  };
}

function viewOf({ organizationPath: _, changedAt, seenAt, ...row }: AlertorRow): Alertor {
  return { ...row, changedAt: changedAt.toISOString(), seenAt: seenAt?.toISOString() ?? null };
}
