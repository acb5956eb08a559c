import { createHash, randomBytes } from 'node:crypto';
import {
  API_KEY_PREFIX,
  type Authorization,
  type createAuthorization,
  type listAuthorizations,
} from '@isotherm/contracts/authorizations';
import { AppError } from '@isotherm/contracts/errors';
import { ungrantable } from '@isotherm/domain/access/can';
import { PERSONAL_PERMISSIONS } from '@isotherm/domain/access/permissions';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { FindMachine } from '../../../platform/http/mount.ts';
import type { Attempts } from '../login/attempts.ts';
import { findOrganization } from '../organizations/organizations.repo.ts';
import {
  type AuthorizationRow,
  exchangeCode,
  extendKey,
  findAuthorization,
  findByKey,
  insertAuthorization,
  isUsername,
  listAuthorizationRows,
  markRevoked,
  noteUse,
} from './authorizations.repo.ts';

const CODE_LIFE_MS = 24 * 3_600_000;
const DAY_MS = 86_400_000;
/** Number of characters that are shown: enough to recognise a key, too few to guess the rest. */
const SHOWN_CHARACTERS = 10;
const NOTE_USE_EVERY_MS = 60_000;
/** Letters and digits that are not confused with each other when read aloud. */
const CODE_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const CODE_LENGTH = 12;

export interface AuthorizationsService {
  list(
    caller: Caller,
    query: z.output<(typeof listAuthorizations)['query']>,
  ): Promise<{ items: Authorization[]; total: number }>;
  create(
    caller: Caller,
    form: z.output<(typeof createAuthorization)['body']>,
  ): Promise<{ authorization: Authorization; secret: string }>;
  renew(caller: Caller, id: number): Promise<Authorization>;
  revoke(caller: Caller, id: number, reason: string): Promise<Authorization>;
  redeem(code: string, address: string): Promise<{ key: string; expiresAt: string | null }>;
  findMachine: FindMachine;
}

export function createAuthorizationsService(
  pool: pg.Pool,
  audit: Audit,
  attempts: Attempts,
  clock: Clock,
): AuthorizationsService {
  const now = () => new Date(clock.now());

  async function get(caller: Caller, id: number): Promise<AuthorizationRow> {
    const row = await findAuthorization(pool, now(), caller.scope, id);
    if (!row) throw new AppError('authorization.not_found');
    return row;
  }

  return {
    async list(caller, { page, pageSize, sort, order, search, state }) {
      const { rows, total } = await listAuthorizationRows(
        pool,
        { now: now(), scope: caller.scope, search: search.trim(), state: state ?? null },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(shown), total };
    },
    /** Throws `authorization.username`, `organization.not_found`, `role.escalation`. */
    async create(caller, form) {
      // API keys cannot create API keys, so that revoking a key leaves no other key behind.
      const makerId = caller.accountId;
      if (makerId === null)
        throw new AppError('permission.denied', { permission: 'management-authorizations:create' });
      const missing = [
        ...ungrantable(caller.permissions, form.permissions),
        ...PERSONAL_PERMISSIONS.filter((permission) => form.permissions.includes(permission)),
      ];
      if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
      const secret = form.kind === 'key' ? newKey() : newCode();
      const at = now();
      const id = await transaction(pool, async (tx) => {
        const organization = await findOrganization(tx, caller.scope, form.organizationId);
        if (!organization) throw new AppError('organization.not_found');
        if (await isUsername(tx, form.name))
          throw new AppError('authorization.username', { name: form.name });
        const isKey = form.kind === 'key';
        const made = await insertAuthorization(tx, {
          organizationId: organization.id,
          name: form.name,
          permissions: [...new Set(form.permissions)].sort(),
          codeHash: isKey ? null : hashOf(normalCode(secret)),
          codeExpiresAt: isKey ? null : new Date(at.getTime() + CODE_LIFE_MS),
          keyHash: isKey ? hashOf(secret) : null,
          keyPrefix: isKey ? secret.slice(0, SHOWN_CHARACTERS) : '',
          validDays: form.validDays,
          expiresAt:
            isKey && form.validDays !== null ? new Date(at.getTime() + form.validDays * DAY_MS) : null,
          makerId,
          createdBy: caller.username,
          createdAt: at,
        });
        await audit.record(tx, caller, {
          action: 'create',
          objectKind: 'authorization',
          objectId: made,
          objectName: form.name,
          after: { kind: form.kind, permissions: form.permissions, validDays: form.validDays },
          organizationPath: organization.path,
        });
        return made;
      });
      return { authorization: shown(await get(caller, id)), secret };
    },
    /** Throws `authorization.not_found|not_renewable`, `role.escalation`. */
    async renew(caller, id) {
      // An API key cannot extend its own validity.
      if (caller.accountId === null)
        throw new AppError('permission.denied', { permission: 'management-authorizations:create' });
      const row = await get(caller, id);
      const missing = ungrantable(caller.permissions, row.permissions);
      if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
      if (row.state !== 'active') throw new AppError('authorization.not_renewable');
      await transaction(pool, async (tx) => {
        const expiresAt = await extendKey(tx, id, now());
        if (!expiresAt) throw new AppError('authorization.not_renewable');
        await audit.record(tx, caller, {
          action: 'change',
          objectKind: 'authorization',
          objectId: id,
          objectName: row.name,
          before: { expiresAt: row.expires_at?.toISOString() },
          after: { expiresAt: expiresAt.toISOString() },
          organizationPath: row.organization_path,
        });
      });
      return shown(await get(caller, id));
    },
    /** Throws `authorization.not_found|ended`. */
    async revoke(caller, id, reason) {
      const row = await get(caller, id);
      await transaction(pool, async (tx) => {
        if (!(await markRevoked(tx, id, now()))) throw new AppError('authorization.ended');
        await audit.record(tx, caller, {
          action: 'disable',
          objectKind: 'authorization',
          objectId: id,
          objectName: row.name,
          reason,
          organizationPath: row.organization_path,
        });
      });
      return shown(await get(caller, id));
    },
    /** Throws `authorization.code`, or `request.too_many` after too many wrong codes from one address. */
    async redeem(code, address) {
      await attempts.reserve('redeem', sourceOf(address));
      const key = newKey();
      const at = now();
      const expiresAt = await transaction(pool, async (tx) => {
        const exchanged = await exchangeCode(tx, hashOf(normalCode(code)), at, {
          hash: hashOf(key),
          prefix: key.slice(0, SHOWN_CHARACTERS),
        });
        if (!exchanged) throw new AppError('authorization.code');
        const row = (await findAuthorization(tx, at, '/', exchanged.id)) as AuthorizationRow;
        await audit.record(
          tx,
          { accountId: null, username: row.name, sessionId: null, address },
          {
            action: 'enable',
            objectKind: 'authorization',
            objectId: row.id,
            objectName: row.name,
            organizationPath: row.organization_path,
          },
        );
        return exchanged.expires_at;
      });
      await attempts.release('redeem', sourceOf(address));
      return { key, expiresAt: expiresAt?.toISOString() ?? null };
    },
    async findMachine(key, address, language) {
      const at = now();
      const row = key.startsWith(API_KEY_PREFIX) ? await findByKey(pool, at, hashOf(key)) : null;
      if (row?.state !== 'active' || row.maker_permissions === null)
        throw new AppError('authorization.wrong');
      const usedBefore = row.last_used_at?.getTime() ?? 0;
      if (at.getTime() - usedBefore > NOTE_USE_EVERY_MS || row.last_used_address !== address)
        await noteUse(pool, row.id, at, address);
      return {
        accountId: null,
        sessionId: null,
        username: row.name,
        realname: row.name,
        organizationId: row.organization_id,
        scope: row.organization_path,
        // The permissions are limited to the current permissions of its creator.
        permissions: new Set(ofMaker(row.permissions, row.maker_permissions)),
        language,
        address,
      };
    },
  };
}

function ofMaker(permissions: readonly string[], held: readonly string[]): string[] {
  return permissions.filter((permission) => held.includes(permission));
}

function hashOf(secret: string): Buffer {
  // Secrets are random, so a slow hash function would add no security.
  return createHash('sha256').update(secret).digest();
}

function newKey(): string {
  return API_KEY_PREFIX + randomBytes(24).toString('base64url');
}

function newCode(): string {
  const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => CODE_LETTERS[byte % CODE_LETTERS.length]);
  return (letters.join('').match(/.{4}/g) as string[]).join('-');
}

function normalCode(code: string): string {
  return code.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

function shown(row: AuthorizationRow): Authorization {
  return {
    id: row.id,
    name: row.name,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    permissions: row.permissions,
    state: row.state,
    endReason: row.state === 'ended' ? row.maker_fault : null,
    keyPrefix: row.key_prefix,
    validDays: row.valid_days,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: (row.key_hash ? row.expires_at : row.code_expires_at)?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    lastUsedAddress: row.last_used_address,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}
