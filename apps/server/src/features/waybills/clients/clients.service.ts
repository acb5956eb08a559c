import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  ClientInput,
  exportWaybillClients,
  listWaybillClients,
  WaybillClient,
} from '@isotherm/contracts/waybill-clients';
import { DEFAULT_LANGUAGE } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
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

const MAX_EXPORT = 50_000;
const CLIENT_NAME = 'waybill_client_name';

/** The book of consignors and consignees. Organisations below can use those that are shared. */
export interface ClientsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWaybillClients)['query']>,
  ): Promise<ResponseOf<typeof listWaybillClients>>;
  export(
    caller: Caller,
    query: z.output<(typeof exportWaybillClients)['query']>,
  ): Promise<ResponseOf<typeof exportWaybillClients>>;
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
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
}): ClientsService {
  const { pool, audit, clock, translate } = parts;

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
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'waybill-client',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: (row) => ({
      organization: row.organizationName,
      name: row.name,
      kind: row.kind,
      sites: siteLines(row).join('\n'),
      contacts: contactLines(row).join('\n'),
      note: row.note,
      shared: row.shared,
      notices: row.notices,
    }),
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
    async export(caller, { sort, order, ...filter }) {
      const text = (id: Parameters<Translate>[1]) => translate(caller.language, id);
      const limit = MAX_EXPORT + 1;
      const { rows } = await listClientRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return exportSheet(audit, caller, {
        fileName: 'waybill-clients.xlsx',
        objectKind: 'waybill-client',
        sheetName: 'Clients',
        head: [
          text('clients.name'),
          text('clients.kind'),
          text('clients.sites'),
          text('clients.contacts'),
          text('clients.organization'),
          text('clients.note'),
        ],
        widths: [28, 14, 40, 40, 24, 32],
        found: rows,
        most: MAX_EXPORT,
        cellsOf: (row) => [
          row.name,
          text(`clients.kind.${row.kind}`),
          siteLines(row).join('\n'),
          contactLines(row).join('\n'),
          row.organizationName,
          row.note,
        ],
      });
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

const viewOf = ({ organizationPath: _, changedAt, ...row }: ClientRow): WaybillClient => ({
  ...row,
  // Contacts of earlier releases have no language.
  contacts: row.contacts.map((contact) => ({ ...contact, language: contact.language ?? DEFAULT_LANGUAGE })),
  changedAt: changedAt.toISOString(),
});

const siteLines = ({ sites }: Pick<ClientInput, 'sites'>) =>
  sites.map(({ name, address }) => [name, address].filter(Boolean).join(', '));

const contactLines = ({ contacts }: Pick<ClientInput, 'contacts'>) =>
  contacts.map(({ name, phone, email }) => [name, phone, email].filter(Boolean).join(', '));
