import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { Holiday } from '@isotherm/contracts/holidays';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createRuleBook } from '../rule-book.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

const ask = <T = Holiday>(method: string, path = '', json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/holiday${path}`, session, ...(json ? { json } : {}) });
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const form = (days: number, name = 'Christmas', organizationId = demo) => ({
  organizationId,
  date: inDays(days),
  name,
});

it('holidays are created, changed and deleted, each with an audit entry', async () => {
  const made = expectDone(await ask('POST', '', form(20)));
  expect(made).toMatchObject({ date: inDays(20), isPast: false, changedBy: 'demo.manager' });
  expectDone(await ask('PUT', `/${made.id}`, form(21, 'Boxing Day')));
  expectDone(await ask('DELETE', `/${made.id}`, { reason: 'Entered twice' }));
  expect(await ask('GET', `/${made.id}`)).toMatchObject({ httpStatus: 404, status: 'holiday.not_found' });
  const { rows } = await server.pool.query(
    `select action, object_name, after from audit_entry where object_kind = 'holiday' and object_id = $1 order by seq`,
    [String(made.id)],
  );
  expect(rows.map((row) => [row.action, row.object_name])).toEqual([
    ['create', 'Christmas'],
    ['change', 'Boxing Day'],
    ['delete', 'Boxing Day'],
  ]);
  expect(rows[1]).toMatchObject({ after: { date: inDays(21) } });
});

it('an organisation has a holiday only once on a date', async () => {
  expectDone(await ask('POST', '', form(30)));
  expect(await ask('POST', '', form(30, 'Another'))).toMatchObject({ status: 'holiday.taken' });
  expectDone(await ask('POST', '', form(30, 'Another', hospital)));
});

it('a date that has begun cannot be added, changed or deleted', async () => {
  const past = { httpStatus: 422, status: 'holiday.past' };
  expect(await ask('POST', '', form(0))).toMatchObject(past);
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into holiday (organization_id, date, name, changed_by, changed_at)
     values ($1, current_date - 1, 'Yesterday', 'test', now()) returning id`,
    [demo],
  );
  const path = `/${rows[0]?.id}`;
  expect(await ask('GET', path)).toMatchObject({ data: { isPast: true } });
  expect(await ask('PUT', path, form(40))).toMatchObject(past);
  expect(await ask('DELETE', path, { reason: 'Wrong' })).toMatchObject(past);
});

it('an exported list of holidays can be imported, and wrong rows are reported', async () => {
  const made = expectDone(await ask('POST', '', form(50, 'Exported')));
  const { content } = expectDone(
    await server.call<{ content: string }>({
      path: '/api/holiday/export',
      session: manager,
      query: { search: 'Exported' },
    }),
  );
  const upload = (dryRun: string) =>
    server.call<ImportReport>({
      method: 'POST',
      path: '/api/holiday/import',
      session: manager,
      fields: { file: { name: 'holidays.xlsx', bytes: Buffer.from(content, 'base64') }, dryRun },
    });
  expect(expectDone(await upload('true'))).toMatchObject({ success: 0, fail: 1 });
  expectDone(await ask('DELETE', `/${made.id}`, { reason: 'To be imported' }));
  expect(expectDone(await upload('false'))).toMatchObject({ success: 1, fail: 0, written: true });
  const { rows } = await server.pool.query(
    `select to_char(date, 'YYYY-MM-DD') as date from holiday where name = 'Exported'`,
  );
  expect(rows).toEqual([{ date: inDays(50) }]);
});

it('a schedule of a policy gets the time zone and the holidays of the organisation, and new holidays reach the rules in force', async () => {
  const policy = expectDone(
    await server.call<AlarmPolicy>({
      method: 'POST',
      path: '/api/alarm/policy',
      session: manager,
      json: {
        organizationId: demo,
        name: 'Office hours',
        definition: {
          conditions: [
            {
              quantity: 'illuminance',
              low: null,
              high: 50,
              recoveryMargin: 0,
              recoverAfterMs: 0,
              schedule: {
                spans: [{ days: [1, 2, 3, 4, 5], from: '08:00', until: '18:00' }],
                timeZone: '',
                holidays: 'never',
              },
            },
          ],
          steps: [{ level: 1, triggerAfterMs: 0, limits: [] }],
          limitIsOutside: false,
        },
      },
    }),
  );
  expect(policy.definition.conditions[0]?.schedule).toMatchObject({ timeZone: 'Asia/Shanghai' });
  const { rows } = await server.pool.query<{ id: number }>(
    `with d as (
       insert into device (organization_id, number, name, key_hash, acquisition_interval_ms)
       values ($1, '71000001', 'Box', '', 60000) returning id
     ), s as (
       insert into sensor (device_id, index, serial, name) select id, 1, 'B1', 'B1' from d returning id, device_id
     )
     insert into channel (sensor_id, device_id, indicator, name)
     select id, device_id, 'illuminance', 'Light' from s returning id`,
    [hospital],
  );
  const channelId = rows[0]?.id as number;
  expectDone(
    await server.call({
      method: 'POST',
      path: `/api/alarm/policy/${policy.id}/assignment`,
      session: manager,
      json: { kind: 'channel', id: channelId },
    }),
  );
  const book = createRuleBook(createInvalidations(true));
  const daysOf = async () =>
    (await book.of(server.pool, [channelId])).get(channelId)?.limit[0]?.schedule?.holidayDays;
  const day = (days: number) => Date.parse(inDays(days)) / DAY_MS;
  const before = await daysOf();
  expect(before?.has(day(60))).toBe(false);
  expectDone(await ask('POST', '', form(60, 'Of the organisation above')));
  expectDone(await ask('POST', '', form(61, 'Own', hospital)));
  const after = await daysOf();
  expect([day(60), day(61), day(62)].map((each) => after?.has(each))).toEqual([true, true, false]);
});
