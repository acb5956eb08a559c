import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import type {
  exportInvoices,
  getInvoicePayer,
  Invoice,
  issueInvoice,
  listInvoices,
  requestInvoice,
} from '@isotherm/contracts/invoices';
import type { ResponseOf } from '@isotherm/contracts/route';
import { invoiceFault } from '@isotherm/domain/billing/invoice';
import { decimalText } from '@isotherm/domain/billing/money';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import {
  findInvoice,
  findLastPayer,
  type InvoiceRow,
  insertInvoice,
  listInvoiceRows,
  lockInvoice,
  lockOrders,
  lockUnpaidOrder,
  markCancelled,
  markIssued,
} from './invoices.repo.ts';

const EXPORTED_MOST = 10_000;
const FAULTS: Readonly<Record<NonNullable<ReturnType<typeof invoiceFault>>, ErrorCode>> = {
  unpaid: 'invoice.unpaid',
  invoiced: 'invoice.invoiced',
  payers: 'invoice.payers',
  currencies: 'invoice.currencies',
};

export interface InvoicesService {
  list(
    caller: Caller,
    query: z.output<(typeof listInvoices)['query']>,
  ): Promise<ResponseOf<typeof listInvoices>>;
  export(
    caller: Caller,
    query: z.output<(typeof exportInvoices)['query']>,
  ): Promise<ResponseOf<typeof exportInvoices>>;
  payer(caller: Caller): Promise<ResponseOf<typeof getInvoicePayer>>;
  /** Throws `billing.order_not_found`, `invoice.unpaid|invoiced|payers|currencies`. */
  request(caller: Caller, form: z.output<(typeof requestInvoice)['body']>): Promise<Invoice>;
  /** Throws `invoice.not_found|issued|cancelled|refunded`. */
  issue(caller: Caller, id: number, form: z.output<(typeof issueInvoice)['body']>): Promise<Invoice>;
  /** Throws `invoice.not_found|cancelled`. */
  cancel(caller: Caller, id: number, reason: string): Promise<Invoice>;
}

/** Creates the service of invoices: payers request them for paid orders, the operator notes when they are issued or cancelled. */
export function createInvoicesService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
}): InvoicesService {
  const { pool, audit, clock, translate } = parts;
  const by = (caller: Caller) => ({ name: caller.username, at: new Date(clock.now()) });
  const records = createKeptRecords<InvoiceRow>(pool, audit, {
    async find(db, caller, id) {
      const row = await findInvoice(db, caller.scope, id);
      if (!row) throw new AppError('invoice.not_found');
      return row;
    },
    lock: lockInvoice,
    objectOf: ({ id, title, organizationPath }) => ({
      objectKind: 'invoice',
      objectId: id,
      objectName: title,
      organizationPath,
    }),
    fieldsOf: ({ title, taxNumber, address, email, orders, number, issuedOn, cancelReason }) => ({
      title,
      taxNumber,
      address,
      email,
      orders,
      number,
      issuedOn,
      cancelReason,
    }),
  });
  const rowsOf = (
    caller: Caller,
    query: z.output<(typeof exportInvoices)['query']>,
    limit: number,
    offset: number,
  ) =>
    listInvoiceRows(
      pool,
      { scope: caller.scope, search: query.search.trim(), state: query.state ?? null },
      { sort: query.sort, order: query.order, limit, offset },
    );

  return {
    async list(caller, { page, pageSize, ...query }) {
      const { rows, total } = await rowsOf(caller, query, pageSize, (page - 1) * pageSize);
      return { items: rows.map(viewOf), total };
    },
    async export(caller, query) {
      const { rows } = await rowsOf(caller, query, EXPORTED_MOST + 1, 0);
      const say = (id: Parameters<Translate>[1]) => translate(caller.language, id);
      return exportSheet(audit, caller, {
        fileName: `invoices-${new Date(clock.now()).toISOString().slice(0, 10)}.xlsx`,
        objectKind: 'invoice',
        sheetName: say('invoices.title'),
        head: [
          say('invoices.requested-at'),
          say('invoices.organization'),
          say('invoices.payer'),
          say('invoices.tax-number'),
          say('invoices.address'),
          say('invoices.email'),
          say('invoices.amount'),
          say('invoices.currency'),
          say('invoices.orders'),
          say('invoices.state'),
          say('invoices.number'),
          say('invoices.issued-on'),
          say('invoices.cancel-reason'),
        ],
        widths: [24, 28, 32, 24, 40, 28, 12, 10, 40, 14, 20, 14, 40],
        found: rows,
        most: EXPORTED_MOST,
        cellsOf: (row) => [
          row.requestedAt.toISOString(),
          row.organizationName,
          row.title,
          row.taxNumber,
          row.address,
          row.email,
          decimalText(row.amountMinor, row.currency),
          row.currency,
          row.orders.join(' '),
          say(`invoices.state.${row.state}`),
          row.number ?? '',
          row.issuedOn ?? '',
          row.cancelReason ?? '',
        ],
      });
    },
    payer: (caller) => findLastPayer(pool, caller.organizationId),
    async request(caller, { orderIds, ...payer }) {
      const ids = [...new Set(orderIds)];
      return viewOf(
        await records.create(caller, async (tx) => {
          const orders = await lockOrders(tx, caller.scope, ids);
          if (orders.length < ids.length) throw new AppError('billing.order_not_found');
          const fault = invoiceFault(orders);
          if (fault) throw new AppError(FAULTS[fault]);
          return insertInvoice(tx, orders, payer, by(caller));
        }),
      );
    },
    async issue(caller, id, form) {
      return viewOf(
        await records.change(caller, id, async (tx, before) => {
          if (before.state === 'issued') throw new AppError('invoice.issued');
          if (before.state === 'cancelled') throw new AppError('invoice.cancelled');
          const refunded = await lockUnpaidOrder(tx, id);
          if (refunded !== null) throw new AppError('invoice.refunded', { order: refunded });
          await markIssued(tx, id, form, by(caller));
        }),
      );
    },
    async cancel(caller, id, reason) {
      return viewOf(
        await records.change(caller, id, async (tx, before) => {
          if (before.state === 'cancelled') throw new AppError('invoice.cancelled');
          await markCancelled(tx, id, reason, by(caller));
        }),
      );
    },
  };
}

function viewOf({ organizationPath: _, requestedAt, ...row }: InvoiceRow): Invoice {
  return { ...row, requestedAt: requestedAt.toISOString() };
}
