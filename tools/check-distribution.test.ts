import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkDistribution } from './check-distribution.ts';

const TABLES = ['reading', 'sealed_day'];
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isotherm-distribution-'));
  write(
    'migrations/0001_first.sql',
    `create table channel (id int primary key, sensor_id int references sensor (id));
     create table sensor (id int);
     create table reading (channel_id int, measured_at timestamptz, primary key (channel_id, measured_at));
     create table sealed_day (channel_id int, day date, primary key (channel_id, day));`,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  const path = join(root, 'apps/server', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const check = () => checkDistribution(root, TABLES, TABLES);

test.each([
  ['select min(measured_at) from reading where channel_id = $1'],
  ['select * from reading r join sealed_day s on s.channel_id = r.channel_id'],
  [
    'insert into reading (channel_id, value) select * from unnest($1::int4[], $2::float4[]) on conflict do nothing',
  ],
  ['with gone as (delete from sealed_day where day < $1 returning day) select count(*) from gone'],
  ['insert into calibration_point (reference, reading, uncertainty) select 1, reading, 2 from channel'],
  ['select extract(epoch from measured_at) from reading'],
])('the statement %j is allowed', (sql) => {
  write('src/a.repo.ts', `db.query(\`${sql}\`)`);
  expect(check()).toEqual([]);
});

test.each([
  ['select 1 from channel c join reading r on r.channel_id = c.id', 'channel', 'reading'],
  ['select 1 from reading, channel', 'channel', 'reading'],
  ['select 1 from channel c, lateral (select * from sealed_day) s', 'channel', 'sealed_day'],
  [
    'select 1 from channel c where exists (select 1 from sealed_day s where s.channel_id = c.id)',
    'channel',
    'sealed_day',
  ],
  [
    'with asked as (select id from channel) select 1 from asked join reading on channel_id = id',
    'channel',
    'reading',
  ],
  ['DELETE FROM reading USING channel', 'channel', 'reading'],
  ['update sealed_day set count = 1 from channel where channel_id = id', 'channel', 'sealed_day'],
  ['insert into reading select id from channel', 'channel', 'reading'],
  ['select 1 from channel where not exists (select 1 from reading_default)', 'channel', 'reading_default'],
  ['select 1 from reading_20261122 join sensor on true', 'sensor', 'reading_20261122'],
])('the statement %j is reported', (sql, other, distributed) => {
  write('src/a.repo.ts', `\ndb.query(\`${sql}\`)`);
  expect(check()).toEqual([
    `apps/server/src/a.repo.ts:2: names ${other} in one statement with ${distributed}, which may be distributed`,
  ]);
});

test('a table in a constant that the statement uses is reported', () => {
  write(
    'src/a.repo.ts',
    `const FROM = \`from reading r \${PLACE}\`; const PLACE = "join sensor s on true"; db.query(\`select 1 \${FROM}\`)`,
  );
  expect(check()).toEqual([
    'apps/server/src/a.repo.ts:1: names sensor in one statement with reading, which may be distributed',
  ]);
});

test('now() inside "do update" is reported', () => {
  write('src/a.repo.ts', '`insert into sealed_day select 1 on conflict do update set last_at = now()`');
  expect(check()).toEqual([
    'apps/server/src/a.repo.ts:1: reads the clock inside "do update" of sealed_day: pass the time in',
  ]);
});

test.each([
  [
    'create table note (channel_id int references reading (channel_id));',
    'a foreign key to reading, which may be distributed',
  ],
  [
    'alter table reading add foreign key (channel_id) references channel (id);',
    'a foreign key of reading, which may be distributed',
  ],
  [
    'create trigger t after insert on reading for each row execute function f();',
    'a trigger on reading, which may be distributed',
  ],
  [
    'alter table sealed_day add unique (day, channel_id);',
    'a key of sealed_day that does not begin with channel_id: (day, channel_id)',
  ],
  [
    'alter table sealed_day add column id bigint primary key;',
    'a key of sealed_day that does not begin with channel_id: id bigint primary key',
  ],
  [
    'create unique index x on reading (measured_at, channel_id);',
    'a unique index of reading that does not begin with channel_id',
  ],
])('the migration %j is reported', (sql, problem) => {
  write('migrations/0002_second.sql', sql);
  expect(check()).toContain(`apps/server/migrations/0002_second.sql: ${problem}`);
});

test('indexes that begin with channel_id are allowed, and a listed table that does not exist is reported', () => {
  write(
    'migrations/0002_second.sql',
    'create unique index x on reading (channel_id, measured_at) where value > 1;',
  );
  expect(checkDistribution(root, TABLES, [...TABLES, 'gossip'])).toEqual([
    'tools/distributed-tables.ts: there is no table gossip',
  ]);
});
