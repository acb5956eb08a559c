import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkTableOwners } from './check-table-owners.ts';

const OWNERS = { alarm: 'alarms', device: 'devices' };
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-owners-'));
  write(
    'migrations/0001_first.sql',
    'create table alarm (id int);\n-- create table dream\nCREATE TABLE device (id int);',
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  const path = join(root, 'apps/server', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

test('writes by the owner of a table and reads by others are allowed', () => {
  write('src/features/alarms/alarms.repo.ts', '`insert into alarm … on conflict do update set x = 1`');
  write('src/features/devices/devices.repo.ts', '`select * from alarm join device … for update of device`');
  expect(checkTableOwners(root, OWNERS)).toEqual([]);
});

test.each([
  ['insert into alarm (id)'],
  ['UPDATE alarm SET id = 1'],
  ['update only alarm a'],
  ['delete\n  from alarm'],
  ['merge into "alarm" using'],
  ['truncate alarm'],
  ['truncate table alarm'],
])('%j outside the owner is reported', (sql) => {
  write('src/features/devices/devices.repo.ts', `\n\`${sql}\``);
  write('src/gateways/mqtt.ts', `\`${sql}\``);
  expect(checkTableOwners(root, OWNERS)).toEqual([
    'apps/server/src/features/devices/devices.repo.ts:2: writes alarm, which belongs to alarms',
    'apps/server/src/gateways/mqtt.ts:1: writes alarm, which belongs to alarms',
  ]);
});

test('a table without an owner and an owner without a table are reported', () => {
  write('migrations/0002_second.sql', 'create table if not exists gossip (id int); drop table device;');
  expect(checkTableOwners(root, OWNERS)).toEqual([
    'tools/table-owners.ts: gossip has no owner',
    'tools/table-owners.ts: there is no table device',
  ]);
});
