import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { exportStatement } from '@isotherm/contracts/statements';
import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import { statementLines } from '@isotherm/domain/billing/statement';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { facts, grid } from '../../platform/documents/pdf.ts';
import { createGate } from '../../platform/gate.ts';
import { type Caller, ownerOf } from '../../platform/http/caller.ts';
import { clockIn, offsetIn } from '../../platform/local-time.ts';
import type { ReportRegister } from '../../platform/reports/reports.ts';
import { writeBook } from '../../platform/sheets/sheets.ts';
import { findOrganizationPath } from '../identity/index.ts';
import type { Ledger } from './ledger.ts';
import { findOrganizationName } from './organizations.repo.ts';
import { findBalancesBefore, listStatementEntries } from './statements.repo.ts';

/** The layout of a PDF blocks the event loop, so it has fewer entries, and one is written at a time. */
const MOST = { pdf: 2_000, xlsx: 100_000 };
const WRITING = { atOnce: 1, waiting: 10 };

type StatementQuery = z.output<(typeof exportStatement)['query']>;

export interface StatementsService {
  /** Throws `organization.not_found`, `billing.statement_long`, `request.too_many`. */
  export(caller: Caller, query: StatementQuery, host: string): Promise<ResponseOf<typeof exportStatement>>;
}

/** Statements of prepaid balances for a month, in the caller's language and a time zone. */
export function createStatementsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'recordAlone'>;
  reports: Pick<ReportRegister, 'write'>;
  ledger: Pick<Ledger, 'payerOf'>;
  clock: Clock;
  translate: Translate;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
}): StatementsService {
  const { pool, audit, reports, ledger, clock, translate, brandOf } = parts;
  const gate = createGate(WRITING, () => new AppError('request.too_many'));

  /** Reads the balances and entries of a payer; one block of rows for each commodity. */
  async function read(caller: Caller, payerId: number, { month, zone, format }: StatementQuery) {
    const from = startOf(month, 0, zone);
    const until = startOf(month, 1, zone);
    const [opening, entries] = await Promise.all([
      findBalancesBefore(pool, payerId, from),
      listStatementEntries(pool, payerId, { from, until }, MOST[format]),
    ]);
    if (entries.length > MOST[format]) throw new AppError('billing.statement_long', { most: MOST[format] });
    const { language } = caller;
    const clockAt = clockIn(zone);
    const time = (at: Date) => clockAt(at).replace('T', ' ');
    return COMMODITIES.map((commodity) => {
      // Without an account nothing was ever recharged.
      const opens = opening.find((each) => each.commodity === commodity)?.balance ?? 0;
      const { lines, closing } = statementLines(
        opens,
        entries.filter((each) => each.commodity === commodity),
      );
      const rows = lines.map(({ entry, balance }) => [
        time(entry.at),
        translate(language, `billing.ledger.kind.${entry.kind}`),
        translate(language, `billing.ledger.cause.${entry.causeKind}`, { id: entry.causeId }),
        entry.organizationName,
        String(entry.change),
        String(balance),
      ]);
      const edge = (id: 'statements.opening' | 'statements.closing', at: Date, balance: number) => [
        time(at),
        translate(language, id),
        '',
        '',
        '',
        String(balance),
      ];
      return {
        title: translate(language, `billing.commodity.${commodity}`),
        rows: [
          edge('statements.opening', from, opens),
          ...rows, // A month that has not ended closes now.
          edge('statements.closing', new Date(Math.min(until.getTime(), clock.now())), closing),
        ],
      };
    });
  }

  return {
    export: (caller, query, host) =>
      gate.pass(async () => {
        const organizationId = query.organizationId ?? caller.organizationId;
        if ((await findOrganizationPath(pool, caller.scope, organizationId)) === null)
          throw new AppError('organization.not_found');
        const payerId = await ledger.payerOf(pool, organizationId);
        // Entries of other organisations of the payer are for those who may see the payer.
        const path = await findOrganizationPath(pool, caller.scope, payerId);
        if (path === null) throw new AppError('organization.not_found');
        const payer = (await findOrganizationName(pool, payerId)) ?? '';
        const blocks = await read(caller, payerId, query);
        const text = (id: Parameters<Translate>[1]) => translate(caller.language, id);
        const head = [
          text('billing.ledger.at'),
          text('billing.ledger.kind'),
          text('statements.cause'),
          text('billing.organization'),
          text('billing.ledger.change'),
          text('billing.ledger.balance'),
        ];
        const fileName = `statement-${query.month}.${query.format}`;
        const object = {
          objectKind: 'balance',
          objectId: payerId,
          objectName: `${payer} · ${query.month}`,
          organizationPath: path,
        };
        if (query.format === 'xlsx') {
          const bytes = await writeBook(
            ownerOf(caller),
            ...blocks.map(({ title, rows }) => ({
              name: title,
              rows: [head, ...rows],
              widths: [28, 24, 18, 28, 12, 12],
            })),
          );
          await audit.recordAlone(caller, { action: 'export', ...object, after: { format: query.format } });
          return { fileName, content: bytes.toString('base64') };
        }
        const at = new Date(clock.now());
        const brand = await brandOf(host);
        const bytes = await reports.write(caller, async () => ({
          entry: { kind: 'balance-statement', organizationId: payerId, object },
          document: {
            title: text('statements.title'),
            brand,
            foot: `${payer} · ${query.month}`,
            language: caller.language,
            at,
            content: [
              { text: text('statements.title'), style: 'title' },
              facts([
                [text('billing.organization'), payer],
                [text('statements.month'), query.month],
                [text('statements.zone'), query.zone],
                [
                  text('statements.written'),
                  `${clockIn(query.zone)(at)} · ${caller.realname || caller.username}`,
                ],
              ]),
              ...blocks.flatMap(({ title, rows }) => [
                { text: title, style: 'heading' },
                grid(
                  head.map((each, column) => ({
                    title: each,
                    width: [104, 84, 64, '*' as const, 48, 52][column] ?? '*',
                    figure: column > 3,
                  })),
                  rows,
                ),
              ]),
            ],
          },
        }));
        return { fileName, content: bytes.toString('base64') };
      }),
  };
}

/** When a month begins in a time zone, or one that is some months later. */
function startOf(month: string, later: number, zone: string): Date {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const local = Date.UTC(year, number - 1 + later, 1);
  const offsetAt = offsetIn(zone);
  // The offset at midnight may differ from the one at midnight UTC.
  return new Date(local - offsetAt(local - offsetAt(local).ms).ms);
}
