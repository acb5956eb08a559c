import {
  type AnnouncementCategory,
  type AnnouncementGroup,
  type AnnouncementGroupInput,
  createAnnouncementCategory,
  createAnnouncementGroup,
  deleteAnnouncementCategory,
  deleteAnnouncementGroup,
  editAnnouncementCategory,
  editAnnouncementGroup,
  listAnnouncementCategories,
  listAnnouncementGroupRoles,
  listAnnouncementGroups,
} from '@isotherm/contracts/announcement-groups';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  type CategoryRow,
  deleteCategory,
  findOwnCategory,
  insertCategory,
  listCategoryRows,
  lockCategory,
  updateCategory,
} from './categories.repo.ts';
import {
  countOrganizations,
  deleteGroup,
  findGroup,
  type GroupFields,
  type GroupRow,
  insertGroup,
  isGroupUsed,
  listGroupRows,
  listRoleChoices,
  lockGroup,
  updateGroup,
} from './groups.repo.ts';

/** Mounts the routes of categories and user groups: each change with an audit entry. */
export function mountAnnouncementGroups(
  mount: Mount,
  { pool, audit, clock }: { pool: pg.Pool; audit: Pick<Audit, 'record'>; clock: Clock },
): void {
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  async function expectOrganization(db: Db, caller: Caller, id: number): Promise<void> {
    if ((await findOrganizationPath(db, caller.scope, id)) === null)
      throw new AppError('organization.not_found');
  }

  const categories = createKeptRecords<CategoryRow>(pool, audit, {
    async find(db, caller, id) {
      const row = await findOwnCategory(db, caller.scope, id);
      if (!row) throw new AppError('announcement_category.not_found');
      return row;
    },
    lock: lockCategory,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'announcement-category',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({ name, organizationName }) => ({ organization: organizationName, name }),
    taken: { constraint: 'announcement_category_name', code: 'announcement_category.taken' },
  });

  const groups = createKeptRecords<GroupRow>(pool, audit, {
    async find(db, caller, id) {
      const row = await findGroup(db, caller.scope, id);
      if (!row) throw new AppError('announcement_group.not_found');
      return row;
    },
    lock: lockGroup,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'announcement-group',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({ name, organizationName, organizationNames, roles }) => ({
      organization: organizationName,
      name,
      organizations: organizationNames,
      roles: roles.map(({ code, name: own }) => code ?? own),
    }),
    taken: { constraint: 'announcement_group_name', code: 'announcement_group.taken' },
  });

  async function checked(db: Db, caller: Caller, form: AnnouncementGroupInput): Promise<GroupFields> {
    await expectOrganization(db, caller, form.organizationId);
    const organizationIds = [...new Set(form.organizationIds)];
    const roleIds = [...new Set(form.roleIds)];
    if ((await countOrganizations(db, caller.scope, organizationIds)) < organizationIds.length)
      throw new AppError('organization.not_found');
    const known = new Set((await listRoleChoices(db, caller.scope)).map(({ id }) => id));
    if (roleIds.some((id) => !known.has(id))) throw new AppError('role.not_found');
    return { ...form, organizationIds, roleIds, ...trace(caller) };
  }

  mount(listAnnouncementCategories, async ({ caller, query: { page, pageSize, ...filter } }) => {
    const limit = { limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listCategoryRows(pool, caller.scope, { ...filter, ...limit });
    return { items: rows.map(categoryOf), total };
  });
  mount(createAnnouncementCategory, async ({ caller, body }) =>
    categoryOf(
      await categories.create(caller, async (tx) => {
        await expectOrganization(tx, caller, body.organizationId);
        return insertCategory(tx, { ...body, ...trace(caller) });
      }),
    ),
  );
  mount(editAnnouncementCategory, async ({ caller, params, body }) =>
    categoryOf(
      await categories.change(caller, params.id, async (tx) => {
        await expectOrganization(tx, caller, body.organizationId);
        await updateCategory(tx, params.id, { ...body, ...trace(caller) });
      }),
    ),
  );
  mount(deleteAnnouncementCategory, ({ caller, params, body }) =>
    categories.remove(caller, params.id, body.reason, (tx) => deleteCategory(tx, params.id)),
  );

  mount(listAnnouncementGroups, async ({ caller, query: { page, pageSize, ...filter } }) => {
    const limit = { limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listGroupRows(pool, caller.scope, { ...filter, ...limit });
    return { items: rows.map(groupOf), total };
  });
  mount(listAnnouncementGroupRoles, ({ caller }) => listRoleChoices(pool, caller.scope));
  mount(createAnnouncementGroup, async ({ caller, body }) =>
    groupOf(await groups.create(caller, async (tx) => insertGroup(tx, await checked(tx, caller, body)))),
  );
  mount(editAnnouncementGroup, async ({ caller, params, body }) =>
    groupOf(
      await groups.change(caller, params.id, async (tx) =>
        updateGroup(tx, params.id, await checked(tx, caller, body)),
      ),
    ),
  );
  mount(deleteAnnouncementGroup, ({ caller, params, body }) =>
    groups.remove(caller, params.id, body.reason, async (tx) => {
      // Without the group, they would be for everybody.
      if (await isGroupUsed(tx, params.id)) throw new AppError('announcement_group.in_use');
      await deleteGroup(tx, params.id);
    }),
  );
}

function categoryOf({ organizationPath: _, changedAt, ...row }: CategoryRow): AnnouncementCategory {
  return { ...row, changedAt: changedAt.toISOString() };
}

function groupOf({ organizationPath: _, changedAt, ...row }: GroupRow): AnnouncementGroup {
  return { ...row, changedAt: changedAt.toISOString() };
}
