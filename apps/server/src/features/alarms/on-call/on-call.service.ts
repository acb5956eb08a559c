import { AppError } from '@isotherm/contracts/errors';
import type { OnCallChangeInput, OnCallInput, OnCallScheduleView } from '@isotherm/contracts/on-call';
import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { countActive, findCandidates } from '../people.repo.ts';
import { namesOfUses } from '../policies/policy-uses.repo.ts';
import {
  deleteChange,
  deleteSchedule,
  insertChange,
  insertSchedule,
  listScheduleRows,
  lockSchedule,
  type ScheduleFields,
  type ScheduleRow,
  updateSchedule,
} from './on-call.repo.ts';

export interface OnCallService {
  list(caller: Caller): Promise<OnCallScheduleView[]>;
  candidates(caller: Caller, search: string): Promise<NamedPerson[]>;
  /** Throws `organization.not_found`, `on_call.taken`, `on_call.person`. */
  create(caller: Caller, form: OnCallInput): Promise<OnCallScheduleView>;
  /** Throws `organization.not_found`, `on_call.not_found|taken|person`. */
  edit(caller: Caller, id: number, form: OnCallInput): Promise<OnCallScheduleView>;
  /** Throws `on_call.not_found`, `on_call.used`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `on_call.not_found`, `on_call.person`. */
  addChange(caller: Caller, id: number, change: OnCallChangeInput): Promise<OnCallScheduleView>;
  /** Throws `on_call.not_found`, `on_call.change_not_found`. */
  removeChange(caller: Caller, id: number, changeId: number): Promise<OnCallScheduleView>;
}

const SCHEDULE_NAME = 'alarm_on_call_schedule_name';
/** How long overrides and leave are shown after their end. */
const SHOWN_FOR_MS = 35 * 86_400_000;

const nameOf = (person: NamedPerson) => person.name || personKey(person);

export function createOnCallService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): OnCallService {
  const shownFrom = () => new Date(clock.now() - SHOWN_FOR_MS);

  async function find(db: Db, caller: Caller, id: number): Promise<ScheduleRow> {
    const [row] = await listScheduleRows(db, caller.scope, shownFrom(), id);
    if (!row) throw new AppError('on_call.not_found');
    return row;
  }

  const records = createKeptRecords<ScheduleRow>(pool, audit, {
    find,
    lock: lockSchedule,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'on-call',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({ name, organizationName, description, people, changes, ...rota }) => {
      const spansOf = (kind: 'override' | 'leave') =>
        changes
          .filter((change) => change.kind === kind)
          .map(({ person, from, until }) => `${nameOf(person)} ${from} – ${until}`)
          .join(', ');
      return {
        name,
        organization: organizationName,
        description,
        people: people.map(nameOf).join(', '),
        startsOn: rota.startsOn,
        handoverAt: rota.handoverAt,
        timeZone: rota.timeZone,
        turnDays: rota.turnDays,
        overrides: spansOf('override'),
        leave: spansOf('leave'),
      };
    },
    taken: { constraint: SCHEDULE_NAME, code: 'on_call.taken' },
  });

  async function checked(
    db: Db,
    caller: Caller,
    form: OnCallInput,
    before: readonly Person[] = [],
  ): Promise<ScheduleFields> {
    const path = await findOrganizationPath(db, caller.scope, form.organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const known = new Set(before.map(personKey));
    const added = new Map(form.people.map((person) => [personKey(person), person]));
    for (const key of known) added.delete(key);
    if ((await countActive(db, path, [...added.values()])) < added.size) throw new AppError('on_call.person');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  return {
    list: async (caller) => (await listScheduleRows(pool, caller.scope, shownFrom())).map(viewOf),
    candidates: (caller, search) => findCandidates(pool, caller.scope, search),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertSchedule(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) =>
          updateSchedule(tx, id, await checked(tx, caller, form, before.people)),
        ),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, { policies }) => {
        if (policies > 0) {
          const names = await namesOfUses(tx, caller.scope, 'on-call', id);
          throw new AppError('on_call.used', { count: policies, names });
        }
        await deleteSchedule(tx, id);
      }),
    addChange: async (caller, id, change) =>
      viewOf(
        await records.change(caller, id, async (tx, before) => {
          const isKnown = before.people.some((person) => personKey(person) === personKey(change.person));
          if (!isKnown && (await countActive(tx, before.organizationPath, [change.person])) === 0)
            throw new AppError('on_call.person');
          await insertChange(tx, id, change);
        }),
      ),
    removeChange: async (caller, id, changeId) =>
      viewOf(
        await records.change(caller, id, async (tx) => {
          if (!(await deleteChange(tx, id, changeId))) throw new AppError('on_call.change_not_found');
        }),
      ),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: ScheduleRow): OnCallScheduleView {
  return { ...row, changedAt: changedAt.toISOString() };
}
