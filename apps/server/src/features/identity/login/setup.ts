import { AppError, invalidField } from '@isotherm/contracts/errors';
import { completeSetup } from '@isotherm/contracts/identity';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { equalText } from '../../../platform/http/signature.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { countAccounts, ensureOrganization, insertAccount } from '../accounts.repo.ts';
import type { Passwords } from './passwords.ts';

const SHORTEST_PASSWORD = 8;

/**
 * Creates the setup of the first administrator of an empty installation (decision 3). The link is valid
 * until an account exists.
 */
export function createSetup(
  pool: pg.Pool,
  passwords: Passwords,
  sealing: Sealing,
  audit: Pick<Audit, 'record'>,
) {
  const token = sealing.mac('setup', 'first-administrator').slice(0, 32);
  return {
    /** Returns the path of the one-time link, or null if the installation has accounts. */
    async link(): Promise<string | null> {
      return (await countAccounts(pool)) === 0 ? `/setup?token=${token}` : null;
    },
    mount(mount: Mount): void {
      mount(completeSetup, async ({ body, address }) => {
        if (!equalText(body.setupToken, token)) throw new AppError('setup.token');
        const [password] = (await passwords.open(sourceOf(address), body.serviceloginkey, body.password)) as [
          string,
        ];
        if (password.length < SHORTEST_PASSWORD)
          throw invalidField('password', 'too-short', { min: SHORTEST_PASSWORD });
        const passwordHash = await passwords.hash(sourceOf(address), password);
        await transaction(pool, async (tx) => {
          await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.seeds]);
          if ((await countAccounts(tx)) > 0) throw new AppError('setup.closed');
          const organizationId = await ensureOrganization(tx, {
            code: 'HQ',
            name: body.organizationName,
            level: 'hq',
            parentCode: null,
            timeZone: body.timeZone,
          });
          await insertAccount(tx, {
            username: body.username,
            realname: body.realname,
            passwordHash,
            mustChangePassword: false,
            accountType: 'administrator',
            isAdmin: 1,
            timeZone: body.timeZone,
            organizationId,
            role: 'platform-administrator',
          });
          await audit.record(
            tx,
            { accountId: null, username: body.username, sessionId: null, address },
            {
              action: 'setup',
              objectKind: 'organization',
              objectId: organizationId,
              objectName: body.organizationName,
              after: { username: body.username, realname: body.realname, timeZone: body.timeZone },
              organizationPath: `/${organizationId}/`,
            },
          );
        });
        return null;
      });
    },
  };
}
