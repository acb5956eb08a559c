import { createAuthorization, listAuthorizations } from '@isotherm/contracts/authorizations';
import { createReminder, listReminders } from '@isotherm/contracts/reminders';
import { listRoles } from '@isotherm/contracts/roles';
import { createUser, listUsers } from '@isotherm/contracts/users';
import type { SystemRole } from '@isotherm/domain/access/system-roles';
import type { Recording } from './recording.ts';

const PEOPLE: readonly {
  username: string;
  realname: string;
  role: SystemRole;
  organization: string;
  mobile: string;
}[] = [
  {
    username: 'demo.quality',
    realname: 'Wang Jing',
    role: 'quality-manager',
    organization: 'DEMO',
    mobile: '13900000011',
  },
  {
    username: 'demo.warehouse',
    realname: 'Sun Lei',
    role: 'operator',
    organization: 'DEMO-WAREHOUSE',
    mobile: '13900000012',
  },
  {
    username: 'demo.driver',
    realname: 'Xu Gang',
    role: 'driver',
    organization: 'DEMO-FLEET',
    mobile: '13900000013',
  },
];

/** Creates accounts of colleagues, an API client and a reminder. */
export async function registerPeople({ client, organization }: Recording): Promise<void> {
  const [users, roles, authorizations, reminders] = await Promise.all([
    client.call(listUsers, { query: { search: 'demo.', pageSize: '200' } }),
    client.call(listRoles),
    client.call(listAuthorizations, { query: { pageSize: '1' } }),
    client.call(listReminders, { query: { pageSize: '1' } }),
  ]);
  const known = new Set(users.items.map(({ username }) => username));
  for (const { username, realname, role, organization: code, mobile } of PEOPLE) {
    if (known.has(username)) continue;
    await client.call(createUser, {
      body: {
        username,
        realname,
        organizationId: organization(code),
        accountType: 'staff',
        roleIds: roles.filter((each) => each.code === role).map(({ id }) => id),
        mobile,
        email: `${username}@example.com`,
      },
    });
  }
  // The key of the API client is discarded, so that it cannot be used.
  if (authorizations.total === 0)
    await client.call(createAuthorization, {
      body: {
        name: 'Warehouse management system',
        organizationId: organization('DEMO-WAREHOUSE'),
        permissions: ['asset:view', 'monitor:view'],
        kind: 'key',
        validDays: 365,
      },
    });
  if (reminders.total === 0)
    await client.call(createReminder, {
      body: {
        organizationId: organization('DEMO'),
        kinds: ['calibration', 'validation', 'maintenance', 'document'],
        daysBefore: 30,
        repeatDays: 7,
        recipients: ['demo.quality@example.com'],
        enabled: true,
      },
    });
}
