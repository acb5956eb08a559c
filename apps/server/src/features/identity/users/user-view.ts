import type { User } from '@isotherm/contracts/users';
import type { UserRow } from './users.repo.ts';

/** Returns the roles of an account as text, for comparison. */
export function rolesOf(row: UserRow): string {
  return row.roles
    .map((role) => role.id)
    .sort((a, b) => a - b)
    .join();
}

/** Returns the object of an audit entry. */
export function objectOf(row: UserRow) {
  return {
    objectKind: 'user',
    objectId: row.id,
    objectName: row.username,
    organizationPath: row.organization_path,
  };
}

/** Returns the fields of an audit entry. */
export function fieldsOf(row: UserRow) {
  return {
    realname: row.realname,
    organization: row.organization_name,
    accountType: row.account_type,
    roles: row.roles.map((role) => role.code ?? role.name),
    mobile: row.mobile,
    landline: row.landline,
    email: row.email,
    address: row.address,
    description: row.description,
    timeZone: row.time_zone,
    settlement: row.settlement,
    agent: row.agent_name,
  };
}

/** Returns a row of the list. */
export function shown(row: UserRow): User {
  return {
    id: row.id,
    username: row.username,
    realname: row.realname,
    state: row.state,
    accountType: row.account_type,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    roles: row.roles,
    mobile: row.mobile,
    email: row.email,
    avatar: row.avatar,
    lastLoginAt: row.last_login_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    mustChangePassword: row.must_change_password,
    secondFactor: row.second_factor_confirmed,
  };
}
