import type { Organization, OrganizationNode } from '@isotherm/contracts/organizations';
import type { Role } from '@isotherm/contracts/roles';
import type { User, UserDetail } from '@isotherm/contracts/users';

export function anOrganizationNode(changes: Partial<OrganizationNode> = {}): OrganizationNode {
  return { id: 1, parentId: null, code: 'HQ', name: 'Head office', level: 'hq', ...changes };
}

export function anOrganization(changes: Partial<Organization> = {}): Organization {
  return {
    ...anOrganizationNode({ id: 2, parentId: 1, code: 'MH', name: 'Minhang District Centre', level: 'org' }),
    location: 'Shanghai',
    latitude: 31.1,
    longitude: 121.4,
    description: '',
    signatureFromLevel: null,
    timeZone: 'Asia/Shanghai',
    createdAt: '2026-01-05T02:00:00.000Z',
    ancestors: [{ id: 1, name: 'Head office' }],
    counts: { organizations: 3, users: 12, assets: 8, devices: 9 },
    ...changes,
  };
}

export function aRole(changes: Partial<Role> = {}): Role {
  return {
    id: 5,
    code: 'operator',
    name: '',
    description: '',
    systemDefault: true,
    organizationId: null,
    organizationName: '',
    pagePermissions: ['monitor:view', 'alarm-current:view'],
    requiresSecondFactor: false,
    holders: 4,
    grantable: true,
    editable: false,
    updatedAt: '2026-10-05T02:00:00.000Z',
    ...changes,
  };
}

export function aUser(changes: Partial<User> = {}): User {
  return {
    id: 7,
    username: 'lin.yue.01',
    realname: 'Lin Yue',
    state: 'active',
    accountType: 'staff',
    organizationId: 2,
    organizationName: 'Minhang District Centre',
    roles: [{ id: 5, code: 'operator', name: '' }],
    mobile: '13812345678',
    email: 'lin.yue@example.org',
    avatar: '',
    lastLoginAt: '2026-11-20T01:30:00.000Z',
    createdAt: '2026-03-02T01:30:00.000Z',
    mustChangePassword: false,
    secondFactor: false,
    ...changes,
  };
}

export function aUserDetail(changes: Partial<UserDetail> = {}): UserDetail {
  return {
    ...aUser(),
    landline: '',
    address: '',
    description: '',
    timeZone: 'Asia/Shanghai',
    settlement: 'shared',
    agent: null,
    disabledReason: '',
    lockedUntil: null,
    lastLoginAddress: '10.0.0.8',
    createdBy: 'demo.admin',
    self: false,
    ...changes,
  };
}
