import { AppError } from '@isotherm/contracts/errors';
import type {
  exportProductProfiles,
  listProductProfiles,
  ProductProfile,
  ProfileInput,
} from '@isotherm/contracts/product-profiles';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  deleteProfileRow,
  findProfile,
  insertProfile,
  listProfileRows,
  lockProfile,
  type ProfileFields,
  type ProfileRow,
  updateProfile,
} from './profiles.repo.ts';

export type ProfileQuery = z.output<(typeof exportProductProfiles)['query']>;

/** Keeps the product profiles of organisations. Organisations below can use those that are shared. */
export interface ProfilesService {
  list(
    caller: Caller,
    query: z.output<(typeof listProductProfiles)['query']>,
  ): Promise<ResponseOf<typeof listProductProfiles>>;
  /** The first `limit` rows of the list, for a spreadsheet. */
  listAll(caller: Caller, query: ProfileQuery, limit: number): Promise<ProfileRow[]>;
  /** Throws `profile.not_found`. */
  get(caller: Caller, id: number): Promise<ProductProfile>;
  /** Throws `organization.not_found`, `profile.taken`. */
  create(caller: Caller, form: ProfileInput): Promise<ProductProfile>;
  /** Throws `organization.not_found`, `profile.not_found|taken`. */
  edit(caller: Caller, id: number, form: ProfileInput): Promise<ProductProfile>;
  /** Throws `profile.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Name of the unique index on the code. */
export const PROFILE_CODE = 'product_profile_code';

export function createProfilesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): ProfilesService {
  async function findUsable(db: Db, caller: Caller, id: number): Promise<ProfileRow> {
    const row = await findProfile(db, caller.scope, id);
    if (!row) throw new AppError('profile.not_found');
    return row;
  }

  async function find(db: Db, caller: Caller, id: number): Promise<ProfileRow> {
    const row = await findUsable(db, caller, id);
    // A shared profile of an organisation above can be used, but not changed.
    if (!row.editable) throw new AppError('profile.not_found');
    return row;
  }

  const records = createKeptRecords<ProfileRow>(pool, audit, {
    find,
    lock: lockProfile,
    objectOf: (row) => ({ ...profileObject(row), organizationPath: row.organizationPath }),
    fieldsOf: (row) => profileFields(row, row.organizationName),
    taken: { constraint: PROFILE_CODE, code: 'profile.taken' },
  });

  async function checked(db: Db, caller: Caller, form: ProfileInput): Promise<ProfileFields> {
    if ((await findOrganizationPath(db, caller.scope, form.organizationId)) === null)
      throw new AppError('organization.not_found');
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listProfileRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async listAll(caller, { sort, order, ...filter }, limit) {
      const { rows } = await listProfileRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return rows;
    },
    get: async (caller, id) => viewOf(await findUsable(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertProfile(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx) =>
          updateProfile(tx, id, await checked(tx, caller, form)),
        ),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteProfileRow(tx, id)),
  };
}

const viewOf = ({
  organizationCode: _,
  organizationPath: __,
  changedAt,
  ...row
}: ProfileRow): ProductProfile => ({ ...row, changedAt: changedAt.toISOString() });

/** Describes the profile as the object of an audit entry. */
export function profileObject({ id, name }: { id: number; name: string }) {
  return { objectKind: 'product-profile', objectId: id, objectName: name };
}

/** Fields of a profile in audit entries. */
export function profileFields(form: Omit<ProfileInput, 'organizationId'>, organization: string) {
  return {
    organization,
    name: form.name,
    code: form.code,
    temperatureLow: form.temperatureLow,
    temperatureHigh: form.temperatureHigh,
    humidityLow: form.humidityLow,
    humidityHigh: form.humidityHigh,
    budget: budgetText(form.budget),
    mktLimit: form.mktLimit,
    activationKj: form.activationKj,
    preCoolMinutes: form.preCoolMinutes,
    note: form.note,
    shared: form.shared,
    enabled: form.enabled,
  };
}

/** A stability budget as one line, as in spreadsheets: `8/25/12; 25//0`. */
export function budgetText(budget: ProfileInput['budget']): string {
  return budget.map(({ low, high, hours }) => `${low ?? ''}/${high ?? ''}/${hours}`).join('; ');
}
