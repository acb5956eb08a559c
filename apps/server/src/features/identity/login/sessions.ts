import { randomBytes, randomUUID } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import { sessionProof } from '@isotherm/contracts/signing';
import type { UserSession } from '@isotherm/contracts/users';
import type { Language } from '@isotherm/i18n/languages';
import type pg from 'pg';
import { createCache } from '../../../platform/cache/cache.ts';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { FindCaller } from '../../../platform/http/mount.ts';
import { equalText } from '../../../platform/http/signature.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { UsedTokens } from '../../../platform/used-tokens.ts';
import { type AccountRow, findAccount } from '../accounts.repo.ts';
import { clientName } from './client-name.ts';
import {
  deleteSessions,
  endSession,
  extendSession,
  findSession,
  findSessions,
  insertSession,
  listSessionViews,
} from './sessions.repo.ts';

/** Sessions end after two hours without use (decision 15). */
export const SESSION_LIFE_S = 2 * 3600;
const EXTEND_AFTER_MS = 60_000;
/** Time for which a replaced session stays valid, for requests in flight. */
const GRACE_MS = 60_000;
const MAX_CALLERS = 10_000;
const TICKET_LIFE_MS = 30_000;
const MAX_CLIENT = 400;

/** Routes that stay allowed while a mandatory step, such as a password change, is pending. */
const ALWAYS_ALLOWED = ['logout', 'getProfile', 'refreshToken'];
const ALLOWED_BEFORE_PASSWORD_CHANGE = new Set([...ALWAYS_ALLOWED, 'changePassword']);
const ALLOWED_BEFORE_SECOND_FACTOR = new Set([
  ...ALWAYS_ALLOWED,
  'beginSecondFactor',
  'changePassword',
  'confirmSecondFactor',
  'getAccount',
]);

/** The origin from which a session was opened. */
export interface Origin {
  identifier: string;
  address: string;
  /** User-Agent of the browser. */
  client: string;
}

type Holder = Pick<AccountRow, 'id' | 'username'>;

export interface OpenedSession {
  /** Id of the session for the audit log; the client only gets the token. */
  id: string;
  token: string;
  tokentime: number;
}

export interface Sessions {
  /** Throws `session.wrong` if the account was disabled, or its password is no longer `passwordHash`. */
  open(tx: Tx, account: Holder, origin: Origin, rests?: { passwordHash?: string }): Promise<OpenedSession>;
  /**
   * Opens a session with a new token that replaces one in use; the old one stays valid for requests in
   * flight.
   */
  replace(sessionId: string, account: Holder, origin: Origin): Promise<OpenedSession>;
  /** Ends a session within the transaction of its audit entry, like `closeAll`. */
  close(tx: Tx, sessionId: string, username: string): Promise<void>;
  /**
   * Ends the sessions of an account except `kept`; returns the number of ended sessions that were still
   * valid.
   */
  closeAll(tx: Tx, account: Holder, kept?: string): Promise<number>;
  list(accountId: number, current: string | null): Promise<UserSession[]>;
  /** Invalidates cached callers in this process at once; other processes are notified by triggers. */
  forgetCallers(): void;
  findCaller: FindCaller;
  /** Creates a one-time ticket for the WebSocket (decision 16). */
  createTicket(sessionId: string): string;
  /** Returns the user of a ticket, once; null if it is wrong, used or expired. */
  redeemTicket(ticket: string): Promise<{ sessionId: string; username: string } | null>;
  /** Returns the current user of a session's WebSocket; null if none may use it. */
  current(sessionId: string, username: string): Promise<SocketUser | null>;
  /**
   * Returns an account with its current rights for work that continues without a session; null if it may no longer
   * sign in. It is read from the database, not from the cache.
   */
  callerNow(username: string, language: Language): Promise<Caller | null>;
}

interface Known {
  account: AccountRow;
  sessions: { id: string; token: string; expiresAt: number }[];
}

export function createSessions(
  pool: pg.Pool,
  sealing: Sealing,
  usedTokens: UsedTokens,
  invalidations: Invalidations,
  clock: Clock,
): Sessions {
  const callers = createCache<string, Known, void>({
    invalidations,
    topic: 'caller',
    keyOf: (username) => username,
    max: MAX_CALLERS,
    async load(usernames) {
      const found = new Map<string, Known>();
      for (const username of usernames) {
        const known = await read(username);
        if (known) found.set(username, known);
      }
      return found;
    },
  });
  const forget = (username: string) => invalidations.invalidate('caller', [username]);
  // The token is derived and not stored, so that the database contains no valid token.
  const tokenOf = (sessionId: string) => sealing.mac('session-token', sessionId);

  async function read(username: string): Promise<Known | null> {
    const account = await findAccount(pool, username);
    if (!account || account.disabled || account.pending) return null;
    const rows = await findSessions(pool, account.id, new Date(clock.now()));
    return {
      account,
      sessions: rows.map((row) => ({
        id: row.id,
        token: tokenOf(row.id),
        expiresAt: row.expires_at.getTime(),
      })),
    };
  }

  /**
   * Returns an account with a session that `wanted` accepts, from the cache or the database; another process
   * may have extended a session that is cached as expired.
   */
  async function know(
    username: string,
    wanted: (session: Known['sessions'][number]) => boolean,
  ): Promise<{ account: AccountRow; session: Known['sessions'][number] } | null> {
    const find = async () => {
      const known = await callers.get(username);
      const session = known?.sessions.find(wanted);
      return known && session ? { account: known.account, session } : null;
    };
    const found = await find();
    if (!found || found.session.expiresAt > clock.now()) return found;
    forget(username);
    return find();
  }

  async function open(
    db: Db,
    account: Holder,
    origin: Origin,
    rests: { replaces?: { id: string; until: Date }; passwordHash?: string } = {},
  ) {
    const id = randomUUID();
    const now = clock.now();
    const expiresAt = new Date(now + SESSION_LIFE_S * 1000);
    const client = origin.client.slice(0, MAX_CLIENT);
    const fresh = { ...origin, client, id, accountId: account.id, createdAt: new Date(now), expiresAt };
    if (!(await insertSession(db, fresh, rests))) throw new AppError('session.wrong');
    forget(account.username);
    return { id, token: tokenOf(id), tokentime: SESSION_LIFE_S };
  }

  return {
    open,
    replace: (sessionId, account, origin) =>
      open(pool, account, origin, { replaces: { id: sessionId, until: new Date(clock.now() + GRACE_MS) } }),
    async close(tx, sessionId, username) {
      await endSession(tx, sessionId);
      forget(username);
    },
    async closeAll(tx, account, kept) {
      const ended = await deleteSessions(tx, account.id, new Date(clock.now()), kept ?? null);
      forget(account.username);
      return ended;
    },
    async list(accountId, current) {
      const views = await listSessionViews(pool, accountId, new Date(clock.now()));
      return views.map((view) => ({
        id: view.id,
        address: view.address,
        client: clientName(view.client),
        createdAt: view.created_at.toISOString(),
        lastSeenAt: view.last_seen_at.toISOString(),
        current: view.id === current,
      }));
    },
    forgetCallers: () => invalidations.invalidate('caller', null),
    async findCaller({ username, session, path, timestamp, signature, language, address, route }) {
      const found = await know(username, (candidate) =>
        equalText(session, sessionProof(candidate.token, path, username, timestamp, signature)),
      );
      const now = clock.now();
      if (!found) throw new AppError('session.wrong');
      const { account, session: match } = found;
      if (match.expiresAt <= now) throw new AppError('session.expired');
      if (account.must_change_password && !ALLOWED_BEFORE_PASSWORD_CHANGE.has(route))
        throw new AppError('session.password_change_due');
      if (isSecondFactorDue(account) && !ALLOWED_BEFORE_SECOND_FACTOR.has(route))
        throw new AppError('session.second_factor_due');
      const extended = now + SESSION_LIFE_S * 1000;
      // The last requests of a replaced session do not extend it.
      const isReplaced = match.expiresAt - now <= GRACE_MS;
      if (!isReplaced && extended - match.expiresAt > EXTEND_AFTER_MS) {
        match.expiresAt = extended;
        await extendSession(pool, match.id, new Date(extended), new Date(now));
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
      return sealing.sealText('socket-ticket', body);
    },
    async redeemTicket(ticket) {
      const opened = sealing.openText('socket-ticket', ticket);
      if (!opened) return null;
      const { sessionId, expiresAt } = JSON.parse(opened) as {
        sessionId: string;
        expiresAt: number;
      };
      if (expiresAt < clock.now()) return null;
      if (!(await usedTokens.use(`socket-ticket:${ticket}`, expiresAt))) return null;
      const session = await findSession(pool, sessionId, new Date(clock.now()));
      return session && { sessionId, username: session.username };
    },
    async current(sessionId, username) {
      const found = await know(username, ({ id }) => id === sessionId);
      if (!found || found.session.expiresAt <= clock.now()) return null;
      return mayListen(found.account) ? socketUser(sessionId, found.account) : null;
    },
    async callerNow(username, language) {
      const account = await findAccount(pool, username);
      if (!account || !mayListen(account)) return null;
      return {
        accountId: account.id,
        sessionId: null,
        username,
        realname: account.realname,
        organizationId: account.organization_id,
        scope: account.organization_path,
        permissions: new Set(account.permissions),
        language,
        address: '',
      };
    },
  };
}

/** Returns whether a role requires a second factor that the account has not set up. */
export function isSecondFactorDue(account: AccountRow): boolean {
  return account.second_factor_required && !account.second_factor_confirmed;
}

export interface SocketUser {
  sessionId: string;
  username: string;
  scope: string;
  permissions: ReadonlySet<string>;
}

/** Returns the user of a WebSocket ticket with scope and permissions; null if the ticket is invalid. */
export async function findSocketUser(
  pool: pg.Pool,
  sessions: Sessions,
  username: string,
  ticket: string,
): Promise<SocketUser | null> {
  const redeemed = await sessions.redeemTicket(ticket);
  if (!redeemed || redeemed.username !== username) return null;
  const account = await findAccount(pool, username);
  return account && mayListen(account) ? socketUser(redeemed.sessionId, account) : null;
}

/** Returns whether an account may receive events, which it may not while a mandatory step is pending. */
function mayListen(account: AccountRow): boolean {
  return (
    !account.disabled && !account.pending && !account.must_change_password && !isSecondFactorDue(account)
  );
}

function socketUser(sessionId: string, account: AccountRow): SocketUser {
  return {
    sessionId,
    username: account.username,
    scope: account.organization_path,
    permissions: new Set(account.permissions),
  };
}
