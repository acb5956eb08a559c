import { AppError } from '@isotherm/contracts/errors';
import type { exportHolidays, Holiday, HolidayInput, listHolidays } from '@isotherm/contracts/holidays';
import type { ResponseOf } from '@isotherm/contracts/route';
import { hasBegun } from '@isotherm/domain/alarms/schedule';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  deleteHolidayRow,
  findHoliday,
  type HolidayFields,
  type HolidayRow,
  insertHoliday,
  listHolidayRows,
  updateHoliday,
} from './holidays.repo.ts';

export type HolidayQuery = z.output<(typeof exportHolidays)['query']>;

/**
 * Keeps the holidays of organisations. A date is added, changed and deleted only before it begins in any time
 * zone, so that the readings of a day are evaluated with the same holidays whenever they arrive.
 */
export interface HolidaysService {
  list(
    caller: Caller,
    query: z.output<(typeof listHolidays)['query']>,
  ): Promise<ResponseOf<typeof listHolidays>>;
  /** The first `limit` rows of the list, for a spreadsheet. */
  listAll(caller: Caller, query: HolidayQuery, limit: number): Promise<HolidayRow[]>;
  /** Throws `holiday.not_found`. */
  get(caller: Caller, id: number): Promise<Holiday>;
  /** Throws `organization.not_found`, `holiday.taken`, `holiday.past`. */
  create(caller: Caller, form: HolidayInput): Promise<Holiday>;
  /** Throws `organization.not_found`, `holiday.not_found|taken|past`. */
  edit(caller: Caller, id: number, form: HolidayInput): Promise<Holiday>;
  /** Throws `holiday.not_found|past`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Name of the unique index that allows a date only once per organisation. */
export const HOLIDAY_DATE = 'holiday_date';

export function createHolidaysService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): HolidaysService {
  async function find(db: Db, caller: Caller, id: number): Promise<HolidayRow> {
    const row = await findHoliday(db, caller.scope, id);
    if (!row) throw new AppError('holiday.not_found');
    return row;
  }

  function refusePast({ date }: Pick<HolidayInput, 'date'>): void {
    if (hasBegun(date, clock.now())) throw new AppError('holiday.past');
  }

  const records = createKeptRecords<HolidayRow>(pool, audit, {
    find,
    objectOf: (row) => ({ ...holidayObject(row), organizationPath: row.organizationPath }),
    fieldsOf: (row) => holidayFields(row, row.organizationName),
    taken: { constraint: HOLIDAY_DATE, code: 'holiday.taken' },
  });

  async function checked(db: Db, caller: Caller, form: HolidayInput): Promise<HolidayFields> {
    refusePast(form);
    if ((await findOrganizationPath(db, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  const viewOf = ({ organizationCode: _, organizationPath: __, changedAt, ...row }: HolidayRow): Holiday => ({
    ...row,
    isPast: hasBegun(row.date, clock.now()),
    changedAt: changedAt.toISOString(),
  });

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listHolidayRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async listAll(caller, { sort, order, ...filter }, limit) {
      const { rows } = await listHolidayRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return rows;
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertHoliday(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) => {
          refusePast(before);
          await updateHoliday(tx, id, await checked(tx, caller, form));
        }),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, row) => {
        refusePast(row);
        await deleteHolidayRow(tx, id);
      }),
  };
}

/** Describes the holiday as the object of an audit entry. */
export function holidayObject({ id, name }: { id: number; name: string }) {
  return { objectKind: 'holiday', objectId: id, objectName: name };
}

/** Fields of a holiday in audit entries. */
export function holidayFields({ name, date }: Omit<HolidayInput, 'organizationId'>, organization: string) {
  return { organization, name, date };
}
