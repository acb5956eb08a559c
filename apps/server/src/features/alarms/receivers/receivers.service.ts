import { AppError } from '@isotherm/contracts/errors';
import type { QuietHoursInput } from '@isotherm/contracts/quiet-hours';
import type { exportReceivers, listReceivers, Receiver, ReceiverInput } from '@isotherm/contracts/receivers';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  deleteReceiverRow,
  findReceiver,
  insertReceiver,
  listReceiverRows,
  type ReceiverFields,
  type ReceiverRow,
  setLinkPin,
  updateReceiver,
} from './receivers.repo.ts';

export type ReceiverQuery = z.output<(typeof exportReceivers)['query']>;

export interface ReceiversService {
  list(
    caller: Caller,
    query: z.output<(typeof listReceivers)['query']>,
  ): Promise<ResponseOf<typeof listReceivers>>;
  /** The first `limit` rows of the list, for a spreadsheet. */
  listAll(caller: Caller, query: ReceiverQuery, limit: number): Promise<ReceiverRow[]>;
  /** Throws `receiver.not_found`. */
  get(caller: Caller, id: number): Promise<Receiver>;
  /** Throws `organization.not_found`, `receiver.taken`, `receiver.unreachable`. */
  create(caller: Caller, form: ReceiverInput): Promise<Receiver>;
  /** Throws `organization.not_found`, `receiver.not_found`, `receiver.taken`, `receiver.unreachable`. */
  edit(caller: Caller, id: number, form: ReceiverInput): Promise<Receiver>;
  /** Throws `receiver.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Name of the unique index that allows a receiver name only once per organisation. */
export const RECEIVER_NAME = 'alarm_receiver_name';

export const isReachable = ({ mobile, email, wechat }: ReceiverInput) =>
  mobile !== '' || email !== '' || wechat !== '';

export function createReceiversService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  pinMacOf: (receiverId: number, pin: string) => string,
): ReceiversService {
  async function find(db: Db, caller: Caller, id: number): Promise<ReceiverRow> {
    const row = await findReceiver(db, caller.scope, id);
    if (!row) throw new AppError('receiver.not_found');
    return row;
  }

  const records = createKeptRecords<ReceiverRow>(pool, audit, {
    find,
    objectOf: (row) => ({ ...receiverObject(row), organizationPath: row.organizationPath }),
    fieldsOf: (row) => receiverFields(row, row.organizationName),
    taken: { constraint: RECEIVER_NAME, code: 'receiver.taken' },
  });

  async function checked(db: Db, caller: Caller, form: ReceiverInput): Promise<ReceiverFields> {
    if (!isReachable(form)) throw new AppError('receiver.unreachable');
    if ((await findOrganizationPath(db, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  /** Stores the PIN of a form that has one; an empty one removes it. */
  async function savePin(tx: Tx, id: number, { linkPin }: ReceiverInput): Promise<void> {
    if (linkPin === undefined) return;
    await setLinkPin(tx, id, linkPin === '' ? null : pinMacOf(id, linkPin), new Date(clock.now()));
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listReceiverRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async listAll(caller, { sort, order, ...filter }, limit) {
      const { rows } = await listReceiverRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return rows;
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(
        await records.create(caller, async (tx) => {
          const id = await insertReceiver(tx, await checked(tx, caller, form));
          await savePin(tx, id, form);
          return id;
        }),
      ),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx) => {
          await updateReceiver(tx, id, await checked(tx, caller, form));
          await savePin(tx, id, form);
        }),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteReceiverRow(tx, id)),
  };
}

function viewOf({
  organizationCode: _,
  organizationPath: __,
  changedAt,
  linkPinSetAt,
  ...row
}: ReceiverRow): Receiver {
  return { ...row, hasLinkPin: linkPinSetAt !== null, changedAt: changedAt.toISOString() };
}

/** Describes the receiver as the object of an audit entry. */
export function receiverObject({ id, name }: { id: number; name: string }) {
  return { objectKind: 'receiver', objectId: id, objectName: name };
}

/** Quiet hours in audit entries, such as `1,2,3,4,5 22:00–07:00`; empty for none. */
const quietHoursLogged = (hours: QuietHoursInput | undefined): string =>
  hours ? `${hours.days.join(',')} ${hours.from}–${hours.until}` : '';

/** Fields of a receiver in audit entries. */
export function receiverFields(
  fields: Omit<ReceiverInput, 'organizationId' | 'linkPin'> & { linkPinSetAt?: Date | null },
  organization: string,
) {
  const { name, countryCode, mobile, email, wechat, language, timeZone, quietHours, description } = fields;
  return {
    organization,
    name,
    countryCode,
    mobile,
    email,
    wechat,
    language,
    timeZone,
    quietHours: quietHoursLogged(quietHours),
    linkPin: fields.linkPinSetAt?.toISOString() ?? '',
    description,
  };
}
