import type { BatchResult } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { listUsers, User, UserDetail, UserSession, userInput } from '@isotherm/contracts/users';
import { can, ungrantable } from '@isotherm/domain/access/can';
import { isWithin } from '@isotherm/domain/access/organization-tree';
import { ADMIN_VALUE, mayGiveAccountType, NOT_ADMIN_VALUE } from '@isotherm/domain/access/roles';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { mapRows } from '../../../platform/db/map-rows.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import { eachAlone, onceEach } from '../../../platform/http/each-alone.ts';
import { clearFailures, findAccount, updatePassword } from '../accounts.repo.ts';
import { accountSubject, FAILURE_WINDOW_MS, LOCKED_AFTER } from '../login/login.service.ts';
import { oneTimePassword } from '../login/one-time-password.ts';
import type { Passwords } from '../login/passwords.ts';
import { setSecondFactor } from '../login/second-factor.repo.ts';
import type { Sessions } from '../login/sessions.ts';
import { findOrganization } from '../organizations/organizations.repo.ts';
import { findRoles } from '../roles/roles.repo.ts';
import { fieldsOf, objectOf, rolesOf, shown } from './user-view.ts';
import {
  type AgentRow,
  countByState,
  countTraces,
  countUsers,
  deleteUserRow,
  findUser,
  insertUser,
  listAgentRows,
  listUserRows,
  setDisabled,
  setRoles,
  type UserFields,
  type UserFilter,
  type UserRow,
  updateUser,
  userRows,
} from './users.repo.ts';

const MOST_AGENTS = 50;
const NOBODY = 0;
export type UserForm = z.output<typeof userInput>;
export type UserQuery = Omit<z.output<(typeof listUsers)['query']>, 'page' | 'pageSize'>;

export interface UsersService {
  list(
    caller: Caller,
    query: z.output<(typeof listUsers)['query']>,
  ): Promise<{ items: User[]; total: number; counts: Record<User['state'], number> }>;
  /** Returns all filtered accounts for a spreadsheet. */
  listAll(caller: Caller, query: UserQuery, most: number): Promise<User[]>;
  get(caller: Caller, id: number): Promise<UserDetail>;
  create(caller: Caller, form: UserForm & { username: string }): Promise<UserDetail>;
  /**
   * Creates an account inside a transaction and returns its row; the caller writes the audit entry. The
   * caller hashes the first password before the transaction, because hashing takes long.
   */
  createIn(
    tx: Tx,
    caller: Caller,
    form: UserForm & { username: string },
    passwordHash: string,
  ): Promise<UserRow>;
  /** Returns the hash of the initial password, which equals the login account (decision 13). */
  initialHash(caller: Caller, username: string): Promise<string>;
  edit(caller: Caller, id: number, form: UserForm): Promise<UserDetail>;
  disable(caller: Caller, ids: readonly number[], reason: string): Promise<BatchResult>;
  enable(caller: Caller, ids: readonly number[]): Promise<BatchResult>;
  resetPassword(
    caller: Caller,
    id: number,
    form: { reason?: string | undefined; secondFactor: boolean },
  ): Promise<{ password: string }>;
  unlock(caller: Caller, id: number): Promise<UserDetail>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  sessions(caller: Caller, id: number): Promise<UserSession[]>;
  endSessions(caller: Caller, id: number): Promise<null>;
  agents(caller: Caller, search: string): Promise<AgentRow[]>;
}

export interface UsersParts {
  pool: pg.Pool;
  audit: Audit;
  clock: Clock;
  passwords: Passwords;
  sessions: Sessions;
  translate: Translate;
}

export function createUsersService(parts: UsersParts): UsersService {
  const { pool, audit, clock, passwords, sessions, translate } = parts;

  function lockWindow(caller: Caller) {
    return {
      scope: caller.scope,
      lockedSince: new Date(clock.now() - FAILURE_WINDOW_MS),
      lockedAfter: LOCKED_AFTER,
    };
  }

  function filterOf(caller: Caller, query: UserQuery): UserFilter {
    return {
      ...lockWindow(caller),
      search: query.search.trim(),
      organizationId: query.organizationId ?? null,
      roleId: query.roleId ?? null,
      state: query.state ?? null,
      accountType: query.accountType ?? null,
    };
  }

  async function find(db: Db, caller: Caller, id: number): Promise<UserRow> {
    const row = await findUser(db, lockWindow(caller), id);
    if (!row) throw new AppError('user.not_found');
    return row;
  }

  /**
   * Returns an account that the caller may act on: in scope, not their own, and with no permission that the
   * caller lacks. Otherwise resetting its password would give them its rights.
   */
  async function findBelow(db: Db, caller: Caller, id: number): Promise<UserRow> {
    const row = await find(db, caller, id);
    if (row.id === caller.accountId) throw new AppError('user.self');
    if (!mayGiveAccountType(await giverOf(db, caller), row.account_type)) throw new AppError('user.type');
    const missing = ungrantable(caller.permissions, row.permissions);
    if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
    return row;
  }

  async function detail(caller: Caller, row: UserRow): Promise<UserDetail> {
    return {
      ...shown(row),
      landline: row.landline,
      address: row.address,
      description: row.description,
      timeZone: row.time_zone,
      settlement: row.settlement,
      agent: row.agent_id === null ? null : { id: row.agent_id, realname: row.agent_name ?? '' },
      disabledReason: row.disabled_reason,
      lockedUntil:
        row.state === 'locked' && row.failing_since
          ? new Date(row.failing_since.getTime() + FAILURE_WINDOW_MS).toISOString()
          : null,
      lastLoginAddress: row.last_login_address,
      createdBy: row.created_by,
      self: row.id === caller.accountId,
    };
  }

  /** Checks that the caller may grant what a form contains. `standing` is what the account already has. */
  async function fieldsFrom(
    tx: Tx,
    caller: Caller,
    form: UserForm,
    standing: UserRow | null,
  ): Promise<UserFields> {
    const organization = await findOrganization(tx, caller.scope, form.organizationId);
    if (!organization) throw new AppError('organization.not_found');
    const giver = await giverOf(tx, caller);
    if (form.accountType !== standing?.account_type && !mayGiveAccountType(giver, form.accountType))
      throw new AppError('user.type');
    const roles = await findRoles(tx, caller.scope, caller.accountId ?? NOBODY, form.roleIds);
    if (roles.length < new Set(form.roleIds).size) throw new AppError('role.not_found');
    // A role applies in its organisation and below, so that it never gives rights over superiors.
    const fits = ({ organization_path }: { organization_path: string | null }) =>
      organization_path === null || isWithin(organization.path, organization_path);
    if (!roles.every(fits)) throw new AppError('role.not_found');
    const held = new Set(standing?.roles.map((role) => role.id));
    const missing = ungrantable(
      caller.permissions,
      roles.filter((role) => !held.has(role.id)).flatMap((role) => role.permissions),
    );
    if (missing.length > 0)
      throw new AppError('role.escalation', { permissions: [...new Set(missing)].join(', ') });
    if (form.agentId !== null && form.agentId !== standing?.agent_id) {
      const agent = await findUser(tx, lockWindow(caller), form.agentId);
      if (agent?.account_type !== 'agent' && agent?.account_type !== 'top-agent')
        throw new AppError('user.not_found');
    }
    const timeZone = form.timeZone ?? standing?.time_zone ?? organization.time_zone;
    return {
      ...form,
      timeZone,
      isAdmin: form.accountType === 'administrator' ? ADMIN_VALUE : NOT_ADMIN_VALUE,
    };
  }

  async function giverOf(db: Db, caller: Caller) {
    const account = caller.accountId === null ? null : await findAccount(db, caller.username);
    return {
      type: account?.account_type ?? ('staff' as const),
      isAdmin: (account?.is_admin ?? NOT_ADMIN_VALUE) <= ADMIN_VALUE,
    };
  }

  /** Applies a change to each account. Failures are reported by name and do not affect other accounts. */
  async function eachOf(
    caller: Caller,
    ids: readonly number[],
    work: (tx: Tx, row: UserRow) => Promise<void>,
  ): Promise<BatchResult> {
    return eachAlone(caller, translate, onceEach(ids), ({ id }, nameIt) =>
      transaction(pool, async (tx) => {
        nameIt((await find(tx, caller, id)).username);
        await work(tx, await findBelow(tx, caller, id));
      }),
    );
  }

  async function createIn(
    tx: Tx,
    caller: Caller,
    form: UserForm & { username: string },
    passwordHash: string,
  ) {
    const fields = await fieldsFrom(tx, caller, form, null);
    const id = await insertUser(tx, {
      ...fields,
      username: form.username,
      passwordHash,
      mustChangePassword: true,
      pending: false,
      createdBy: caller.username,
      createdAt: new Date(clock.now()),
    });
    if (id === null) throw new AppError('user.username_taken', { username: form.username });
    await setRoles(tx, id, form.roleIds);
    return find(tx, caller, id);
  }

  const initialHash = (caller: Caller, username: string) => passwords.hash(ownerOf(caller), username);

  return {
    createIn,
    initialHash,
    async list(caller, query) {
      const filter = filterOf(caller, query);
      const { page, pageSize, sort, order } = query;
      const { search, organizationId, roleId, accountType, state } = filter;
      // For an unfiltered list, the totals are known and not counted again.
      const isNarrowed = search !== '' || organizationId !== null || roleId !== null || accountType !== null;
      const [rows, counts, narrowed] = await Promise.all([
        listUserRows(pool, filter, { sort, order, limit: pageSize, offset: (page - 1) * pageSize }),
        countByState(pool, filter),
        isNarrowed ? countUsers(pool, filter) : null,
      ]);
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { items: rows.map(shown), total: narrowed ?? (state === null ? all : counts[state]), counts };
    },
    async listAll(caller, query, most) {
      const { sort, order } = query;
      const all = userRows(filterOf(caller, query), { sort, order, limit: most, offset: 0 });
      return mapRows(pool, all, shown);
    },
    async get(caller, id) {
      return detail(caller, await find(pool, caller, id));
    },
    /** Throws `organization.not_found`, `role.not_found|escalation`, `user.type|username_taken|not_found`. */
    async create(caller, form) {
      const passwordHash = await initialHash(caller, form.username);
      const row = await transaction(pool, async (tx) => {
        const made = await createIn(tx, caller, form, passwordHash);
        await audit.record(tx, caller, { action: 'create', ...objectOf(made), after: fieldsOf(made) });
        return made;
      });
      return detail(caller, row);
    },
    /** Throws what `create` throws, and `user.self` for a change of one's own roles, type or organisation. */
    async edit(caller, id, form) {
      const row = await transaction(pool, async (tx) => {
        const before = await find(tx, caller, id);
        if (before.id === caller.accountId) checkOwn(before, form);
        else await findBelow(tx, caller, id);
        checkMobile(caller, before, form);
        await updateUser(tx, id, await fieldsFrom(tx, caller, form, before));
        await setRoles(tx, id, form.roleIds);
        const after = await find(tx, caller, id);
        const rolesChanged = rolesOf(before) !== rolesOf(after);
        await audit.record(tx, caller, {
          action: rolesChanged ? 'permission-change' : 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return after;
      });
      sessions.forgetCallers();
      return detail(caller, row);
    },
    async disable(caller, ids, reason) {
      const result = await eachOf(caller, ids, async (tx, row) => {
        if (!(await setDisabled(tx, row.id, reason, new Date(clock.now())))) return;
        await sessions.closeAll(tx, row);
        await audit.record(tx, caller, { action: 'disable', ...objectOf(row), reason });
      });
      sessions.forgetCallers();
      return result;
    },
    async enable(caller, ids) {
      return eachOf(caller, ids, async (tx, row) => {
        if (await setDisabled(tx, row.id, null, new Date(clock.now())))
          await audit.record(tx, caller, { action: 'enable', ...objectOf(row) });
      });
    },
    async resetPassword(caller, id, form) {
      const password = oneTimePassword();
      const hash = await passwords.hash(caller.username, password);
      await transaction(pool, async (tx) => {
        const target = await findBelow(tx, caller, id);
        await updatePassword(tx, id, hash, true);
        if (form.secondFactor) await setSecondFactor(tx, id, null, false);
        await clearFailures(tx, accountSubject(target.username));
        await sessions.closeAll(tx, target);
        await audit.record(tx, caller, {
          action: 'password-reset',
          ...objectOf(target),
          after: { secondFactorTakenAway: form.secondFactor && target.second_factor_confirmed },
          ...(form.reason ? { reason: form.reason } : {}),
        });
      });
      return { password };
    },
    async unlock(caller, id) {
      await transaction(pool, async (tx) => {
        const row = await findBelow(tx, caller, id);
        await clearFailures(tx, accountSubject(row.username));
        await audit.record(tx, caller, { action: 'unlock', ...objectOf(row) });
      });
      return detail(caller, await find(pool, caller, id));
    },
    /** Throws `user.not_found|self|in_use`, `role.escalation`. */
    async remove(caller, id, reason) {
      await transaction(pool, async (tx) => {
        const row = await findBelow(tx, caller, id);
        const alarms = await countTraces(tx, id);
        if (alarms > 0) throw new AppError('user.in_use', { alarms });
        await deleteUserRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: fieldsOf(row), reason });
      });
      sessions.forgetCallers();
      return null;
    },
    async sessions(caller, id) {
      await find(pool, caller, id);
      return sessions.list(id, caller.sessionId);
    },
    async endSessions(caller, id) {
      await transaction(pool, async (tx) => {
        const row = await findBelow(tx, caller, id);
        await sessions.closeAll(tx, row);
        await audit.record(tx, caller, { action: 'logout', ...objectOf(row) });
      });
      return null;
    },
    agents: (caller, search) => listAgentRows(pool, caller.scope, search.trim(), MOST_AGENTS),
  };
}

/**
 * Checks changes of the mobile number, which is used to reset a forgotten password. Changing that of another
 * account therefore requires the right to reset passwords, and changing one's own requires a code.
 */
function checkMobile(caller: Caller, before: UserRow, form: UserForm): void {
  if (form.mobile === before.mobile) return;
  if (before.id === caller.accountId) throw new AppError('account.mobile_needs_code');
  const permission = 'management-users:reset';
  if (!can(caller.permissions, permission)) throw new AppError('permission.denied', { permission });
}

/** Nobody may change their own role, type or organisation (no privilege escalation). */
function checkOwn(before: UserRow, form: UserForm): void {
  const same =
    before.account_type === form.accountType &&
    before.organization_id === form.organizationId &&
    rolesOf(before) === [...form.roleIds].sort((a, b) => a - b).join();
  if (!same) throw new AppError('user.self');
}
