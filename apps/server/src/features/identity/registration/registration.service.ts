import { randomBytes } from 'node:crypto';
import { AppError, invalidField } from '@isotherm/contracts/errors';
import { registrationPassword } from '@isotherm/contracts/fields';
import type {
  listRegistrations,
  Registration,
  RegistrationSettings,
  register,
} from '@isotherm/contracts/registration';
import { ungrantable } from '@isotherm/domain/access/can';
import { NOT_ADMIN_VALUE } from '@isotherm/domain/access/roles';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { updateLanguage } from '../account/account.repo.ts';
import type { Attempts } from '../login/attempts.ts';
import { checkNewPassword } from '../login/password-rules.ts';
import type { Passwords } from '../login/passwords.ts';
import {
  countHoldings,
  countOthers,
  deleteOrganizationRow,
  findOrganization,
  insertOrganization,
  lockTree,
  type OrganizationRow,
} from '../organizations/organizations.repo.ts';
import { findRoles } from '../roles/roles.repo.ts';
import { deleteUserRow, insertUser, setRoles } from '../users/users.repo.ts';
import type { Verification } from '../verification/verification.service.ts';
import {
  type Agent,
  admitAccount,
  decide,
  findLanguage,
  findRegistration,
  insertRegistration,
  listOpenAgents,
  listOpenRoles,
  listRegistrationRows,
  type OpenRole,
  type RegistrationRow,
  readSettings,
  writeSettings,
} from './registration.repo.ts';

type Form = z.output<(typeof register)['body']>;

export interface RegistrationService {
  isOpen(): Promise<boolean>;
  roles(): Promise<OpenRole[]>;
  agents(): Promise<{ id: number; name: string }[]>;
  register(form: Form, address: string, language: Language): Promise<{ approval: 'none' | 'pending' }>;
  settings(): Promise<RegistrationSettings>;
  setSettings(caller: Caller, settings: RegistrationSettings): Promise<RegistrationSettings>;
  list(
    caller: Caller,
    query: z.output<(typeof listRegistrations)['query']>,
  ): Promise<{ items: Registration[]; total: number; pending: number }>;
  approve(caller: Caller, id: number): Promise<Registration>;
  reject(caller: Caller, id: number, reason: string): Promise<Registration>;
}

export interface RegistrationParts {
  pool: pg.Pool;
  attempts: Attempts;
  audit: Audit;
  clock: Clock;
  passwords: Passwords;
  messages: Messages;
  verification: Verification;
}

export function createRegistrationService(parts: RegistrationParts): RegistrationService {
  const { pool, attempts, audit, clock, passwords, messages, verification } = parts;

  /**
   * Returns the settings of open registration, with the parent organisation. Throws `registration.closed`.
   */
  async function openSettings(db: Db): Promise<{ settings: RegistrationSettings; parent: OrganizationRow }> {
    const settings = await readSettings(db);
    const { parentOrganizationId } = settings;
    const parent =
      parentOrganizationId === null ? null : await findOrganization(db, '/', parentOrganizationId);
    if (!settings.enabled || !parent) throw new AppError('registration.closed');
    return { settings, parent };
  }

  async function isOpen(): Promise<boolean> {
    return openSettings(pool).then(
      () => true,
      (error) => {
        if (error instanceof AppError) return false;
        throw error;
      },
    );
  }

  async function agentNamed(db: Db, parent: OrganizationRow, agentId: number | null): Promise<Agent | null> {
    if (agentId === null) return null;
    const agent = (await listOpenAgents(db, parent.id)).find((each) => each.id === agentId);
    if (!agent) throw invalidField('agentId', 'choice');
    return agent;
  }

  async function deciding(
    caller: Caller,
    id: number,
    work: (tx: Tx, row: RegistrationRow) => Promise<void>,
  ): Promise<Registration> {
    return transaction(pool, async (tx) => {
      const row = await findRegistration(tx, caller.scope, id);
      if (!row) throw new AppError('registration.not_found');
      if (row.state !== 'pending') throw new AppError('registration.decided');
      await work(tx, row);
      return shown((await findRegistration(tx, caller.scope, id)) as RegistrationRow);
    });
  }

  /** Notifies the applicant by SMS if a transport is configured; the decision is valid without it. */
  async function tell(tx: Tx, caller: Caller, row: RegistrationRow, reason: string | null): Promise<void> {
    if (!messages.canDeliver('sms')) return;
    await messages.enqueue(tx, {
      channel: 'sms',
      recipient: row.mobile,
      template: reason === null ? 'registration-approved' : 'registration-rejected',
      params: reason === null ? { username: row.username } : { username: row.username, reason },
      language: await findLanguage(tx, row.account_id),
      organizationId: caller.organizationId,
    });
  }

  function eventOf(row: RegistrationRow, action: 'approve' | 'reject', reason?: string) {
    return {
      action,
      objectKind: 'registration',
      objectId: row.id,
      objectName: row.username,
      ...(reason === undefined ? {} : { reason }),
      organizationPath: row.parent_path,
    };
  }

  return {
    isOpen,
    async roles() {
      return (await isOpen()) ? listOpenRoles(pool) : [];
    },
    async agents() {
      if (!(await isOpen())) return [];
      const { parent } = await openSettings(pool);
      return (await listOpenAgents(pool, parent.id)).map(({ id, name }) => ({ id, name }));
    },
    /** Throws `registration.closed|role`, `code.*`, `user.username_taken`, `request.invalid`. */
    async register(form, address, language) {
      const open = await openSettings(pool);
      if (!open.settings.roleIds.includes(form.roleId)) throw new AppError('registration.role');
      await agentNamed(pool, open.parent, form.agentId);
      const source = sourceOf(address);
      await attempts.reserve('form', source);
      const [password] = (await passwords.open(source, form.serviceloginkey, form.password)) as [string];
      checkNewPassword('password', password, registrationPassword, [
        form.username,
        form.realname,
        form.phone,
      ]);
      const code = await verification.judge(
        { purpose: 'register', subject: form.username, phone: form.phone },
        form.code,
      );
      const passwordHash = await passwords.hash(source, password);
      const now = new Date(clock.now());
      return transaction(pool, async (tx) => {
        await lockTree(tx);
        const { settings, parent } = await openSettings(tx);
        if (!settings.roleIds.includes(form.roleId)) throw new AppError('registration.role');
        const agent = await agentNamed(tx, parent, form.agentId);
        const above = agent ? { id: agent.organization_id, path: agent.organization_path } : parent;
        await code.use(tx);
        const organization = await insertOrganization(tx, above, {
          code: `R-${randomBytes(4).toString('hex').toUpperCase()}`,
          name: form.organizationName,
          level: 'org',
          location: '',
          latitude: null,
          longitude: null,
          description: '',
          timeZone: form.timeZone,
        });
        const accountId = await insertUser(tx, {
          username: form.username,
          realname: form.realname,
          passwordHash,
          mustChangePassword: false,
          pending: settings.approval,
          createdBy: form.username,
          createdAt: now,
          organizationId: organization.id,
          accountType: 'enterprise',
          isAdmin: NOT_ADMIN_VALUE,
          mobile: form.phone,
          landline: '',
          email: '',
          address: '',
          description: '',
          timeZone: form.timeZone,
          settlement: 'independent',
          agentId: agent?.id ?? null,
        });
        if (accountId === null) throw new AppError('user.username_taken', { username: form.username });
        await setRoles(tx, accountId, [form.roleId]);
        const id = await insertRegistration(tx, {
          accountId,
          organizationId: organization.id,
          parentOrganizationId: above.id,
          username: form.username,
          realname: form.realname,
          organizationName: form.organizationName,
          mobile: form.phone,
          roleId: form.roleId,
          agentName: agent?.name ?? '',
          timeZone: form.timeZone,
          address,
          state: settings.approval ? 'pending' : 'approved',
          createdAt: now,
        });
        await updateLanguage(tx, accountId, language);
        await audit.record(
          tx,
          { accountId, username: form.username, sessionId: null, address },
          {
            action: 'create',
            objectKind: 'registration',
            objectId: id,
            objectName: form.username,
            after: { organization: form.organizationName, realname: form.realname, agent: agent?.name ?? '' },
            organizationPath: organization.path,
          },
        );
        return { approval: settings.approval ? ('pending' as const) : ('none' as const) };
      });
    },
    settings: () => readSettings(pool),
    /** Throws `organization.not_found`, `role.not_found|escalation`. */
    async setSettings(caller, settings) {
      await transaction(pool, async (tx) => {
        const before = await readSettings(tx);
        const { parentOrganizationId, roleIds, enabled } = settings;
        if (enabled && parentOrganizationId === null) throw invalidField('parentOrganizationId', 'required');
        if (enabled && roleIds.length === 0) throw invalidField('roleIds', 'required');
        const parent =
          parentOrganizationId === null
            ? null
            : await findOrganization(tx, caller.scope, parentOrganizationId);
        if (parentOrganizationId !== null && !parent) throw new AppError('organization.not_found');
        // New organisations have the level org, so their parent must be of that level or above.
        if (parent && parent.level !== 'hq' && parent.level !== 'org')
          throw new AppError('organization.level');
        const roles = await findRoles(tx, caller.scope, caller.accountId ?? 0, roleIds);
        if (roles.length < new Set(roleIds).size) throw new AppError('role.not_found');
        const missing = ungrantable(
          caller.permissions,
          roles.flatMap((role) => role.permissions),
        );
        if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
        await writeSettings(tx, settings);
        await audit.record(tx, caller, {
          action: 'change',
          objectKind: 'registration-settings',
          objectId: '',
          objectName: 'registration',
          before,
          after: settings,
          organizationPath: caller.scope,
        });
      });
      return readSettings(pool);
    },
    async list(caller, { page, pageSize, state, search }) {
      const { rows, ...counts } = await listRegistrationRows(
        pool,
        { scope: caller.scope, state: state ?? null, search: search.trim() },
        pageSize,
        (page - 1) * pageSize,
      );
      return { items: rows.map(shown), ...counts };
    },
    approve: (caller, id) =>
      deciding(caller, id, async (tx, row) => {
        await decide(tx, id, {
          state: 'approved',
          by: caller.username,
          at: new Date(clock.now()),
          reason: '',
        });
        if (row.account_id !== null) await admitAccount(tx, row.account_id);
        await tell(tx, caller, row, null);
        await audit.record(tx, caller, eventOf(row, 'approve'));
      }),
    reject: (caller, id, reason) =>
      deciding(caller, id, async (tx, row) => {
        await decide(tx, id, { state: 'rejected', by: caller.username, at: new Date(clock.now()), reason });
        await tell(tx, caller, row, reason);
        if (row.account_id !== null) await deleteUserRow(tx, row.account_id);
        if (row.organization_id !== null) await removeIfEmpty(tx, row.organization_id);
        await audit.record(tx, caller, eventOf(row, 'reject', reason));
      }),
  };
}

/** Deletes the organisation of a rejected registration unless it contains anything. */
async function removeIfEmpty(tx: Tx, id: number): Promise<void> {
  const organization = await findOrganization(tx, '/', id);
  if (!organization) return;
  const holdings = await countHoldings(tx, organization.path);
  const isEmpty = Object.values(holdings).every((count) => count === 0) && (await countOthers(tx, id)) === 0;
  if (isEmpty) await deleteOrganizationRow(tx, id);
}

function shown(row: RegistrationRow): Registration {
  return {
    id: row.id,
    username: row.username,
    realname: row.realname,
    organizationName: row.organization_name,
    mobile: row.mobile,
    role: row.role ?? { id: 0, code: null, name: '' },
    agentName: row.agent_name,
    timeZone: row.time_zone,
    address: row.address,
    createdAt: row.created_at.toISOString(),
    state: row.state,
    decidedAt: row.decided_at?.toISOString() ?? null,
    decidedBy: row.decided_by,
    reason: row.reason,
  };
}
