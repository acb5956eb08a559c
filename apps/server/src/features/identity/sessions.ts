import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import { sessionProof } from '@isotherm/contracts/signing';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { FindCaller } from '../../platform/http/mount.ts';
import { equalText } from '../../platform/http/signature.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { UsedTokens } from '../../platform/used-tokens.ts';
import {
  type AccountRow,
  deleteSessions,
  findAccount,
  findSession,
  findSessions,
  insertSession,
  setSessionExpiry,
} from './identity.repo.ts';

/** Sessions slide for two hours (decision 15). */
export const SESSION_LIFE_S = 2 * 3600;
const EXTEND_AFTER_MS = 60_000;
/** A replaced session lives on for calls that were under way. */
const GRACE_MS = 60_000;
const CACHE_MS = 2_000;
const TICKET_LIFE_MS = 30_000;

/** What an account may still call while it must change its password. */
const ALLOWED_BEFORE_PASSWORD_CHANGE = new Set(['changePassword', 'logout', 'getProfile', 'refreshToken']);

export interface Sessions {
  open(
    account: AccountRow,
    identifier: string,
    address: string,
  ): Promise<{ token: string; tokentime: number }>;
  replace(
    sessionId: string,
    account: AccountRow,
    address: string,
  ): Promise<{ token: string; tokentime: number }>;
  close(sessionId: string, username: string): Promise<void>;
  closeAll(account: AccountRow): Promise<void>;
  findCaller: FindCaller;
  /** One-time ticket for the socket (decision 16). */
  createTicket(sessionId: string): string;
  /** The user that a ticket lets in, once; null when it is wrong, used or over. */
  redeemTicket(ticket: string): Promise<{ sessionId: string; username: string } | null>;
  isAlive(sessionId: string): Promise<boolean>;
}

interface Known {
  account: AccountRow;
  sessions: { id: string; token: string; expiresAt: number }[];
  until: number;
}

export function createSessions(
  pool: pg.Pool,
  sealing: Sealing,
  usedTokens: UsedTokens,
  clock: Clock,
): Sessions {
  const known = new Map<string, Known>();
  // The token is not stored: whoever reads the database still cannot call in anybody's name.
  const tokenOf = (sessionId: string) => sealing.mac('session-token', sessionId);

  async function know(username: string): Promise<Known | null> {
    const now = clock.now();
    const entry = known.get(username);
    if (entry && entry.until > now) return entry;
    const account = await findAccount(pool, username);
    if (!account || account.disabled) {
      known.delete(username);
      return null;
    }
    const rows = await findSessions(pool, account.id, new Date(now));
    const fresh: Known = {
      account,
      sessions: rows.map((row) => ({
        id: row.id,
        token: tokenOf(row.id),
        expiresAt: row.expires_at.getTime(),
      })),
      until: now + CACHE_MS,
    };
    if (known.size > 10_000) known.clear();
    known.set(username, fresh);
    return fresh;
  }

  async function open(account: AccountRow, identifier: string, address: string) {
    const id = randomUUID();
    const now = clock.now();
    const expiresAt = new Date(now + SESSION_LIFE_S * 1000);
    await insertSession(pool, {
      id,
      accountId: account.id,
      identifier,
      address,
      createdAt: new Date(now),
      expiresAt,
    });
    known.delete(account.username);
    return { token: tokenOf(id), tokentime: SESSION_LIFE_S };
  }

  return {
    open,
    async replace(sessionId, account, address) {
      const session = await open(account, '', address);
      await setSessionExpiry(pool, sessionId, new Date(clock.now() + GRACE_MS));
      known.delete(account.username);
      return session;
    },
    async close(sessionId, username) {
      await setSessionExpiry(pool, sessionId, new Date(clock.now()));
      known.delete(username);
    },
    async closeAll(account) {
      await deleteSessions(pool, account.id);
      known.delete(account.username);
    },
    async findCaller({ username, session, path, timestamp, signature, language, address, route }) {
      const entry = await know(username);
      const now = clock.now();
      const match = entry?.sessions.find((candidate) =>
        equalText(session, sessionProof(candidate.token, path, username, timestamp, signature)),
      );
      if (!entry || !match) throw new AppError('session.wrong');
      if (match.expiresAt <= now) throw new AppError('session.expired');
      const { account } = entry;
      if (account.must_change_password && !ALLOWED_BEFORE_PASSWORD_CHANGE.has(route))
        throw new AppError('session.password_change_due');
      const extended = now + SESSION_LIFE_S * 1000;
      // A session about to end on purpose (replaced) is not kept alive by its last calls.
      const isReplaced = match.expiresAt - now <= GRACE_MS;
      if (!isReplaced && extended - match.expiresAt > EXTEND_AFTER_MS) {
        match.expiresAt = extended;
        await setSessionExpiry(pool, match.id, new Date(extended));
      }
      return {
        accountId: account.id,
        sessionId: match.id,
        username,
        realname: account.realname,
        organizationId: account.organization_id,
        scope: account.organization_path,
        permissions: new Set(account.permissions),
        language,
        address,
      };
    },
    createTicket(sessionId) {
      const body = JSON.stringify({
        sessionId,
        expiresAt: clock.now() + TICKET_LIFE_MS,
        salt: randomBytes(8).toString('hex'),
      });
      return sealing.seal('socket-ticket', Buffer.from(body)).toString('base64url');
    },
    async redeemTicket(ticket) {
      const opened = sealing.open('socket-ticket', Buffer.from(ticket, 'base64url'));
      if (!opened) return null;
      const { sessionId, expiresAt } = JSON.parse(opened.toString('utf8')) as {
        sessionId: string;
        expiresAt: number;
      };
      if (expiresAt < clock.now()) return null;
      if (!(await usedTokens.use(`socket-ticket:${ticket}`, expiresAt))) return null;
      const session = await findSession(pool, sessionId, new Date(clock.now()));
      return session && { sessionId, username: session.username };
    },
    async isAlive(sessionId) {
      return (await findSession(pool, sessionId, new Date(clock.now()))) !== null;
    },
  };
}

/** Who a socket ticket lets in: the user it was made for, with scope and permissions; null otherwise. */
export async function findSocketUser(pool: pg.Pool, sessions: Sessions, username: string, ticket: string) {
  const redeemed = await sessions.redeemTicket(ticket);
  if (!redeemed || redeemed.username !== username) return null;
  const account = await findAccount(pool, username);
  if (!account || account.disabled || account.must_change_password) return null;
  return {
    sessionId: redeemed.sessionId,
    username,
    scope: account.organization_path,
    permissions: new Set(account.permissions),
  };
}
