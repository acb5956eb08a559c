import { AppError } from '@isotherm/contracts/errors';
import type {
  exportRecipientGroups,
  listRecipientGroups,
  NamedPerson,
  RecipientGroup,
  RecipientGroupInput,
} from '@isotherm/contracts/recipient-groups';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
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
import { countActive, findCandidates } from '../people.repo.ts';
import { namesOfUses } from '../policies/policy-uses.repo.ts';
import {
  deleteGroupRow,
  findGroup,
  type GroupFields,
  type GroupRow,
  insertGroup,
  listGroupRows,
  lockGroup,
  updateGroup,
} from './recipient-groups.repo.ts';

type GroupQuery = z.output<(typeof exportRecipientGroups)['query']>;

export interface RecipientGroupsService {
  list(
    caller: Caller,
    query: z.output<(typeof listRecipientGroups)['query']>,
  ): Promise<ResponseOf<typeof listRecipientGroups>>;
  export(caller: Caller, query: GroupQuery): Promise<ResponseOf<typeof exportRecipientGroups>>;
  candidates(caller: Caller, search: string): Promise<NamedPerson[]>;
  /** Throws `recipient_group.not_found`. */
  get(caller: Caller, id: number): Promise<RecipientGroup>;
  /** Throws `organization.not_found`, `recipient_group.taken`, `recipient_group.member`. */
  create(caller: Caller, form: RecipientGroupInput): Promise<RecipientGroup>;
  /** Throws `organization.not_found`, `recipient_group.not_found|taken|member`. */
  edit(caller: Caller, id: number, form: RecipientGroupInput): Promise<RecipientGroup>;
  /** Throws `recipient_group.not_found`, `recipient_group.used`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

const GROUP_NAME = 'alarm_recipient_group_name';
const MAX_EXPORT = 10_000;
const COLUMNS = [
  { title: 'receivers.name', width: 24 },
  { title: 'receivers.organization', width: 24 },
  { title: 'recipient-groups.member', width: 24 },
  { title: 'recipient-groups.member.type', width: 14 },
  { title: 'recipient-groups.member.organization', width: 24 },
  { title: 'recipient-groups.member.notified', width: 14 },
  { title: 'receivers.description', width: 32 },
] as const;

export function createRecipientGroupsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record' | 'recordAlone'>,
  clock: Clock,
  translate: Translate,
): RecipientGroupsService {
  async function find(db: Db, caller: Caller, id: number): Promise<GroupRow> {
    const row = await findGroup(db, caller.scope, id);
    if (!row) throw new AppError('recipient_group.not_found');
    return row;
  }

  const records = createKeptRecords<GroupRow>(pool, audit, {
    find,
    lock: lockGroup,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'recipient-group',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({ name, organizationName, description, members }) => ({
      name,
      organization: organizationName,
      description,
      members: members.map((member) => member.name || personKey(member)).join(', '),
    }),
    taken: { constraint: GROUP_NAME, code: 'recipient_group.taken' },
  });

  async function checked(
    db: Db,
    caller: Caller,
    form: RecipientGroupInput,
    before: readonly Person[] = [],
  ): Promise<GroupFields> {
    const path = await findOrganizationPath(db, caller.scope, form.organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const known = new Set(before.map(personKey));
    const members = [...new Map(form.members.map((member) => [personKey(member), member])).values()];
    const added = members.filter((member) => !known.has(personKey(member)));
    if ((await countActive(db, path, added)) < added.length) throw new AppError('recipient_group.member');
    return { ...form, members, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listGroupRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async export(caller, { sort, order, ...filter }) {
      const page = { sort, order, limit: MAX_EXPORT, offset: 0 };
      const { rows } = await listGroupRows(pool, caller.scope, filter, page);
      const say = (key: Parameters<Translate>[1]) => translate(caller.language, key);
      return exportSheet(audit, caller, {
        fileName: 'recipient-group-list.xlsx',
        objectKind: 'recipient-group',
        sheetName: 'Recipient groups',
        head: COLUMNS.map(({ title }) => say(title)),
        widths: COLUMNS.map(({ width }) => width),
        found: rows.flatMap((group) => group.members.map((member) => ({ group, member }))),
        most: MAX_EXPORT,
        cellsOf: ({ group, member }) => [
          group.name,
          group.organizationName,
          member.name || `#${member.id}`,
          say(`recipient-groups.type.${member.type}`),
          member.organizationName,
          say(member.isActive ? 'recipient-groups.member.active' : 'recipient-groups.member.inactive'),
          group.description,
        ],
      });
    },
    candidates: (caller, search) => findCandidates(pool, caller.scope, search),
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertGroup(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) =>
          updateGroup(tx, id, await checked(tx, caller, form, before.members)),
        ),
      ),
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, { policies }) => {
        if (policies > 0) {
          const names = await namesOfUses(tx, caller.scope, 'groups', id);
          throw new AppError('recipient_group.used', { count: policies, names });
        }
        await deleteGroupRow(tx, id);
      }),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: GroupRow): RecipientGroup {
  return { ...row, changedAt: changedAt.toISOString() };
}
