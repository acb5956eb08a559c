import { AppError } from '@isotherm/contracts/errors';
import {
  type Handover,
  type HandoverContent,
  type HandoverInput,
  type listHandovers,
  MAX_HANDOVER_DAYS,
  type previewHandover,
} from '@isotherm/contracts/handovers';
import { scheduleOf } from '@isotherm/contracts/on-call';
import type { ResponseOf } from '@isotherm/contracts/route';
import { handoverSections } from '@isotherm/domain/alarms/handover';
import { gapsOf } from '@isotherm/domain/alarms/on-call';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { listScheduleRows } from '../on-call/on-call.repo.ts';
import { listSuppressionRows } from '../suppressions/suppressions.repo.ts';
import {
  findHandover,
  findLastHandover,
  type HandoverRow,
  insertHandover,
  insertReceipt,
  listHandedOver,
  listHandoverRows,
  lockHandovers,
  readHandoverContent,
} from './handovers.repo.ts';

const DAY_MS = 86_400_000;
const MOST_SUPPRESSIONS = 200;

type Preview = ResponseOf<typeof previewHandover>;

/** Shift handovers. What was signed is never changed. */
export interface HandoversService {
  list(
    caller: Caller,
    query: z.output<(typeof listHandovers)['query']>,
  ): Promise<ResponseOf<typeof listHandovers>>;
  /** Throws `organization.not_found`, `handover.period`. */
  preview(caller: Caller, query: { organizationId: number; from?: string | undefined }): Promise<Preview>;
  /** Throws `handover.not_found`. */
  get(caller: Caller, id: number): Promise<Handover & { content: HandoverContent }>;
  /** Throws `organization.not_found`, `handover.period`, and `permission.denied` for API keys. */
  sign(caller: Caller, form: HandoverInput): Promise<Handover>;
  /** Throws `handover.not_found|taken|own`, and `permission.denied` for API keys. */
  take(caller: Caller, id: number): Promise<Handover>;
}

export function createHandoversService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): HandoversService {
  async function find(db: Db, caller: Caller, id: number): Promise<HandoverRow> {
    const row = await findHandover(db, caller.scope, id);
    if (!row) throw new AppError('handover.not_found');
    return row;
  }

  /** Signatures are of people; an API key is refused. */
  function personOf(caller: Caller): { id: number; name: string } {
    if (caller.accountId === null)
      throw new AppError('permission.denied', { permission: 'alarm-handover:sign' });
    return { id: caller.accountId, name: caller.realname };
  }

  async function compose(
    db: Db,
    caller: Caller,
    { organizationId, from: wanted }: { organizationId: number; from?: string | undefined },
  ) {
    const path = await findOrganizationPath(db, caller.scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const last = await findLastHandover(db, organizationId);
    const until = new Date(clock.now());
    const from =
      wanted === undefined ? (last?.until ?? new Date(until.getTime() - DAY_MS)) : new Date(wanted);
    const isTooLong = until.getTime() - from.getTime() > MAX_HANDOVER_DAYS * DAY_MS;
    if (from >= until || (isTooLong && wanted !== undefined)) throw new AppError('handover.period');
    const continues = last !== null && from.getTime() === last.until.getTime();
    const earlier = continues ? (await readHandoverContent(db, last.id)).sections : null;

    const rows = await listHandedOver(db, path, from);
    const sections = handoverSections(
      rows.map(({ id, raisedAt, endedMs, acknowledgedAt }) => ({
        id,
        raisedAt,
        endedAt: endedMs,
        acknowledgedAt,
      })),
      from.getTime(),
      earlier,
    );
    const shown = new Set(Object.values(sections).flat());
    const { rows: suppressions } = await listSuppressionRows(
      db,
      path,
      until,
      { search: '', state: 'active' },
      { sort: 'until', order: 'asc', limit: MOST_SUPPRESSIONS, offset: 0 },
    );
    const schedules = await listScheduleRows(db, path, until);
    const content: HandoverContent = {
      alarms: rows
        .filter(({ id }) => shown.has(id))
        .map(({ raisedAt: _, endedMs: __, acknowledgedAt: ___, since, endedAt, ...alarm }) => ({
          ...alarm,
          since: new Date(since).toISOString(),
          endedAt: endedAt && new Date(endedAt).toISOString(),
        })),
      sections,
      suppressions: suppressions.map((window) => ({
        id: window.id,
        targetName: window.targetName,
        kind: window.kind,
        reason: window.reason,
        until: window.until.toISOString(),
        owner: window.owner,
      })),
      gaps: schedules.flatMap((schedule) =>
        gapsOf(scheduleOf(schedule), until.getTime(), until.getTime() + DAY_MS).map((gap) => ({
          schedule: schedule.name,
          from: new Date(gap.from).toISOString(),
          until: new Date(gap.until).toISOString(),
        })),
      ),
    };
    return { from, until, last, content };
  }

  return {
    async list(caller, { page, pageSize, order, search, organizationId }) {
      const { rows, total } = await listHandoverRows(
        pool,
        caller.scope,
        { search, organizationId },
        { order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewOf), total };
    },
    async preview(caller, query) {
      const { from, until, last, content } = await compose(pool, caller, query);
      return {
        from: from.toISOString(),
        until: until.toISOString(),
        last: last?.organizationPath.startsWith(caller.scope) ? viewOf(last) : null,
        content,
      };
    },
    async get(caller, id) {
      const row = await find(pool, caller, id);
      return { ...viewOf(row), content: await readHandoverContent(pool, id) };
    },
    async sign(caller, form) {
      const { id: signedBy, name: signedName } = personOf(caller);
      return transaction(pool, async (tx) => {
        await lockHandovers(tx, form.organizationId);
        const { from, until, content } = await compose(tx, caller, form);
        const id = await insertHandover(tx, {
          organizationId: form.organizationId,
          from,
          until,
          content,
          comment: form.comment,
          signedBy,
          signedName,
        });
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'create',
          ...objectOf(row),
          after: {
            organization: row.organizationName,
            startsAt: from.toISOString(),
            endsAt: until.toISOString(),
            comment: row.comment,
            outgoing: signedName,
          },
        });
        return viewOf(row);
      });
    },
    async take(caller, id) {
      const person = personOf(caller);
      return transaction(pool, async (tx) => {
        const before = await find(tx, caller, id);
        if (before.outgoing.id === person.id) throw new AppError('handover.own');
        if (!(await insertReceipt(tx, id, person, new Date(clock.now())))) {
          const { incoming } = await find(tx, caller, id);
          throw new AppError('handover.taken', { name: incoming?.name ?? '' });
        }
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row),
          before: { incoming: '' },
          after: { incoming: person.name },
        });
        return viewOf(row);
      });
    },
  };
}

const objectOf = ({ id, organizationName, organizationPath }: HandoverRow) => ({
  objectKind: 'handover',
  objectId: id,
  objectName: organizationName,
  organizationPath,
});

function viewOf({ organizationPath: _, from, until, ...row }: HandoverRow): Handover {
  return { ...row, from: from.toISOString(), until: until.toISOString() };
}
