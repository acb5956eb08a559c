import { SYSTEM_ROLES } from '@isotherm/domain/access/roles';
import type { SystemRole } from '@isotherm/domain/access/system-roles';
import type pg from 'pg';
import { LOCK_KEYS } from '../../platform/db/lock-keys.ts';
import { transaction } from '../../platform/db/pool.ts';
import { ensureOrganization, insertAccount } from './accounts.repo.ts';
import type { Passwords } from './login/passwords.ts';
import { ensureRole } from './roles/roles.repo.ts';

/** Gives the system roles the permissions of the catalogue; called at every start. */
export async function seedRoles(pool: pg.Pool): Promise<void> {
  await transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.seeds]);
    for (const [code, permissions] of Object.entries(SYSTEM_ROLES)) await ensureRole(tx, code, permissions);
  });
}

const DEMO_PASSWORD = 'Isotherm-2026';
const DEMO_TIME_ZONE = 'Asia/Shanghai';

const DEMO_ACCOUNTS: readonly {
  username: string;
  realname: string;
  role: SystemRole;
  organization: string;
  isAdmin: number;
}[] = [
  {
    username: 'demo.manager',
    realname: 'Lin Yue',
    role: 'enterprise-administrator',
    organization: 'DEMO',
    isAdmin: 2,
  },
  {
    username: 'demo.keeper',
    realname: 'Chen Wei',
    role: 'operator',
    organization: 'DEMO-HOSPITAL',
    isAdmin: 2,
  },
  { username: 'demo.auditor', realname: 'Zhao Min', role: 'auditor', organization: 'DEMO', isAdmin: 2 },
  {
    username: 'demo.platform',
    realname: 'Platform',
    role: 'platform-administrator',
    organization: 'PLATFORM',
    isAdmin: 1,
  },
];

const DEMO_ORGANIZATIONS = [
  { code: 'PLATFORM', name: 'Overseas Cloud', level: 'hq', parentCode: null },
  { code: 'DEMO', name: 'Minhang Cold Chain', level: 'org', parentCode: 'PLATFORM' },
  { code: 'DEMO-HOSPITAL', name: 'Minhang District Centre', level: 'unit', parentCode: 'DEMO' },
  { code: 'DEMO-WAREHOUSE', name: 'Central Warehouse', level: 'unit', parentCode: 'DEMO' },
  { code: 'DEMO-FLEET', name: 'Huadong Carriers', level: 'unit', parentCode: 'DEMO' },
] as const;

export interface DemoAccount {
  username: string;
  password: string;
  role: string;
}

/**
 * Creates demo organisations and accounts (decision 3); existing ones are not changed. Returns the accounts
 * to print.
 */
export async function seedDemo(pool: pg.Pool, passwords: Passwords): Promise<DemoAccount[]> {
  const passwordHash = await passwords.hash('seed', DEMO_PASSWORD);
  await transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.seeds]);
    const ids = new Map<string, number>();
    for (const organization of DEMO_ORGANIZATIONS)
      ids.set(organization.code, await ensureOrganization(tx, { ...organization, timeZone: DEMO_TIME_ZONE }));
    for (const account of DEMO_ACCOUNTS)
      await insertAccount(tx, {
        ...account,
        passwordHash,
        mustChangePassword: false,
        accountType: account.isAdmin === 1 ? 'administrator' : 'staff',
        timeZone: DEMO_TIME_ZONE,
        organizationId: ids.get(account.organization) as number,
      });
  });
  return DEMO_ACCOUNTS.map(({ username, role }) => ({ username, password: DEMO_PASSWORD, role }));
}
