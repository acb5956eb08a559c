import { describe, expect, it } from 'vitest';
import { MENU, type MenuPage } from './menu.ts';
import { PERMISSIONS } from './permissions.ts';
import { SYSTEM_ROLES } from './roles.ts';

/** The menu table of existing installations: name, path, component, permission, and display options. */
const MENU_OF_INSTALLATIONS = `
monitoring monitoring /layout - icon=monitoring
  monitor monitor /monitor/wall monitor:view affix
  monitor-records monitor/records /monitor/records monitor-records:view icon=curve
  asset asset/:id /asset/detail asset:view hidden
alarms alarm /layout - icon=alarms
  alarm-current alarm/current /alarm/current alarm-current:view
devices device /layout - icon=devices
  device-list device/list /device/list device-list:view
  device device/list/:number /device/detail device-list:view hidden
  device-expired device/expired /device/expired device-expired:view
  device-calibration device/calibration /device/calibration device-calibration:view
  device-mappings device/mappings /device/mappings device-mappings:view
  device-commands device/commands /device/commands device-commands:view
  device-upgrade device/upgrade /device/upgrade device-upgrade:view
  device-rollout device/upgrade/:id /device/rollout device-upgrade:view hidden
  device-stats device/stats /device/stats device-stats:view
assets asset /layout - icon=assets
  asset-vehicles asset/vehicles /asset/vehicles asset:view
  asset-cold-stores asset/cold-stores /asset/cold-stores asset:view
  asset-refrigerators asset/refrigerators /asset/refrigerators asset:view
  asset-boxes asset/boxes /asset/boxes asset:view
  asset-containers asset/containers /asset/containers asset:view
  asset-maintenance asset/maintenance /asset/maintenance asset-maintenance:view
  asset-validation asset/validation /asset/validation asset-validation:view
  asset-floor-plans asset/floor-plans /asset/floor-plans asset-floor-plans:view
  asset-groups asset/groups /asset/groups asset-groups:view
  asset-group asset/groups/:id /asset/group asset-groups:view hidden
  asset-webcams asset/webcams /asset/webcams asset-webcams:view
  asset-nfc asset/nfc /asset/nfc asset-nfc:view
  asset-files asset/files /asset/files asset-files:view
  asset-history asset/history /asset/history asset:view
recharge recharge /layout - icon=recharge
  recharge-reminders recharge/reminders /recharge/reminders recharge-reminders:view
management management /layout - icon=management
  management-organizations management/organizations /management/organizations management-organizations:view
  management-users management/users /management/users management-users:view
  management-user management/users/:id /management/user management-users:view hidden
  management-roles management/roles /management/roles management-roles:view
  management-menus management/menus /management/menus management-menus:view
  management-dictionary management/dictionary /management/dictionary management-dictionary:view
  management-authorizations management/authorizations /management/authorizations management-authorizations:view
  management-logs management/logs /management/logs management-logs:view
  management-packets management/packets /management/packets management-packets:view
settings setting /layout - icon=settings
  management-account management/account /management/account -
  setting-timezone setting/timezone /setting/timezone -
  setting-website setting/website /setting/website setting-website:view
  setting-registration setting/registration /setting/registration setting-registration:view
  mailbox mailbox /mailbox mailbox:view sandboxOnly
`;

/** Roles, each followed by the permissions that only these roles have initially. */
const ROLES_OF_INSTALLATIONS = `
platform-administrator top-agent agent enterprise-administrator quality-manager auditor
  alarm-current:export asset-validation:view asset:export device-calibration:view device-commands:view
  device-expired:view device-list:export device-list:view device-stats:view device-upgrade:view
  management-logs:export management-logs:view management-organizations:view management-roles:view
  management-users:view monitor-records:export recharge-reminders:view
platform-administrator enterprise-administrator quality-manager operator
  alarm-current:acknowledge
platform-administrator top-agent agent enterprise-administrator quality-manager operator driver auditor
  alarm-current:view asset-files:view asset-floor-plans:view asset-groups:view asset-nfc:view
  asset:view monitor-records:view monitor:view
platform-administrator top-agent agent enterprise-administrator quality-manager
  asset-files:edit asset-floor-plans:edit asset-groups:edit asset-nfc:edit asset-validation:edit
  asset-webcams:edit asset:create asset:delete asset:edit asset:import device-calibration:edit
  recharge-reminders:edit
platform-administrator top-agent agent enterprise-administrator quality-manager operator
  asset-maintenance:edit asset-webcams:snapshot asset:status
platform-administrator top-agent agent enterprise-administrator quality-manager operator auditor
  asset-maintenance:view asset-webcams:view
platform-administrator top-agent agent enterprise-administrator
  device-commands:send device-list:bind device-list:create device-list:delete
  device-list:edit device-list:import device-list:key device-list:move device-list:replace
  device-mappings:edit device-mappings:receive device-upgrade:edit device-upgrade:keys
  device-upgrade:send management-authorizations:create management-authorizations:revoke
  management-organizations:create management-organizations:delete management-organizations:edit
  management-organizations:move management-packets:decrypt management-roles:create
  management-roles:delete management-roles:edit management-users:create management-users:delete
  management-users:disable management-users:edit management-users:export management-users:import
  management-users:reset management-users:unlock
platform-administrator top-agent agent enterprise-administrator auditor
  device-mappings:view management-authorizations:view management-packets:view
platform-administrator
  mailbox:view management-dictionary:edit management-dictionary:view management-menus:edit
  management-menus:view recharge-reminders:policy setting-registration:edit setting-website:edit
  setting-website:view system:view
platform-administrator top-agent agent
  device-expired:renew
platform-administrator top-agent
  setting-registration:approve setting-registration:view
`;

const lines = (table: string) => table.split('\n').filter((line) => line !== '');

/** Returns the permissions with the roles that have them. */
function holdersIn(table: string): [permission: string, roles: string[]][] {
  let roles: string[] = [];
  return lines(table).flatMap((line): [string, string[]][] => {
    if (line.startsWith(' '))
      return line
        .trim()
        .split(' ')
        .map((permission) => [permission, roles]);
    roles = line.split(' ').sort();
    return [];
  });
}

function rowsOf(pages: readonly MenuPage[], indent = ''): string[] {
  return pages.flatMap((page) => [
    indent +
      [
        page.name,
        page.path,
        page.component,
        page.permission ?? '-',
        page.icon && `icon=${page.icon}`,
        page.hidden && 'hidden',
        page.affix && 'affix',
        page.sandboxOnly && 'sandboxOnly',
      ]
        .filter(Boolean)
        .join(' '),
    ...rowsOf(page.children, `${indent}  `),
  ]);
}

const rolesHolding = (permission: string) =>
  Object.entries(SYSTEM_ROLES)
    .filter(([, held]) => held.some((each) => each === permission))
    .map(([role]) => role)
    .sort();

describe('the page catalogue and the tables of existing installations', () => {
  it('every page keeps its path and permission, in the same order', () => {
    const known = lines(MENU_OF_INSTALLATIONS);
    expect(rowsOf(MENU).filter((row) => known.includes(row))).toEqual(known);
  });
  it.each(holdersIn(ROLES_OF_INSTALLATIONS))(
    'the permission %s belongs to the same roles as in existing installations',
    (permission, roles) => {
      expect(PERMISSIONS).toContain(permission);
      expect(rolesHolding(permission)).toEqual(roles);
    },
  );
});
