import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { ClientInput, listWaybillClients, WaybillClient } from '@isotherm/contracts/waybill-clients';
import { DEFAULT_LANGUAGE } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  type ClientFields,
  type ClientRow,
  deleteClientRow,
  findClient,
  insertClient,
  listClientRows,
  lockClient,
  updateClient,
} from './clients.repo.ts';

/** Name of the unique index on the name. */
export const CLIENT_NAME = 'waybill_client_name';

/** The book of consignors and consignees. Organisations below can use those that are shared. */
export interface ClientsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWaybillClients)['query']>,
  ): Promise<ResponseOf<typeof listWaybillClients>>;
  /** Throws `client.not_found`. */
  get(caller: Caller, id: number): Promise<WaybillClient>;
  /** Throws `organization.not_found`, `client.taken`. */
  create(caller: Caller, form: ClientInput): Promise<WaybillClient>;
  /** Throws `organization.not_found`, `client.not_found|taken`. */
  edit(caller: Caller, id: number, form: ClientInput): Promise<WaybillClient>;
  /** Throws `client.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

export function createClientsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
}): ClientsService {
  const { pool, audit, clock } = parts;

  async function findUsable(db: Db, caller: Caller, id: number): Promise<ClientRow> {
    const row = await findClient(db, caller.scope, id);
    if (!row) throw new AppError('client.not_found');
    return row;
  }

  const records = createKeptRecords<ClientRow>(pool, audit, {
    async find(db, caller, id) {
      const row = await findUsable(db, caller, id);
      // A shared client of an organisation above can be used, but not changed.
      if (!row.editable) throw new AppError('client.not_found');
      return row;
    },
    lock: lockClient,
    objectOf: (row) => ({ ...clientObject(row), organizationPath: row.organizationPath }),
    fieldsOf: (row) => clientFields(row, row.organizationName),
    taken: { constraint: CLIENT_NAME, code: 'client.taken' },
  });

  async function checked(db: Db, caller: Caller, form: ClientInput): Promise<ClientFields> {
    if ((await findOrganizationPath(db, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listClientRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await findUsable(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertClient(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx) => updateClient(tx, id, await checked(tx, caller, form))),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteClientRow(tx, id)),
  };
}

/** Describes the client as the object of an audit entry. */
export const clientObject = ({ id, name }: { id: number; name: string }) => ({
  objectKind: 'waybill-client',
  objectId: id,
  objectName: name,
});

/** Fields of a client in audit entries. */
export const clientFields = (form: ClientInput, organization: string) => ({
  organization,
  name: form.name,
  kind: form.kind,
  sites: siteLines(form).join('\n'),
  contacts: contactLines(form).join('\n'),
  note: form.note,
  shared: form.shared,
  notices: form.notices,
});

const viewOf = ({
  organizationPath: _,
  organizationCode: __,
  changedAt,
  ...row
}: ClientRow): WaybillClient => ({
  ...row,
  // Contacts of earlier releases have no language.
  contacts: row.contacts.map((contact) => ({ ...contact, language: contact.language ?? DEFAULT_LANGUAGE })),
  changedAt: changedAt.toISOString(),
});

const siteLines = ({ sites }: Pick<ClientInput, 'sites'>) =>
  sites.map(({ name, address }) => [name, address].filter(Boolean).join(', '));

const contactLines = ({ contacts }: Pick<ClientInput, 'contacts'>) =>
  contacts.map(({ name, phone, email }) => [name, phone, email].filter(Boolean).join(', '));
