import type { DueItem, ExpiryReminder } from '@isotherm/contracts/reminders';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewMessage } from '../../platform/messages/messages.ts';
import { expectDone, people } from '../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createReminderJobs } from './index.ts';

const NUMBER = '71000001';
const DAY_MS = 86_400_000;
let server: TestServer;
let manager: Session;
let platform: Session;
let assetId: number;
let sensorId: number;
let organizationId: number;
let branchId: number;

const day = (offset: number) => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
const sql = (text: string, values: unknown[] = []) => server.pool.query(text, values);

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
  const { rows } = await sql(
    `select d.asset_id, d.organization_id, s.id as sensor_id from device d join sensor s on s.device_id = d.id
      where d.number = $1 limit 1`,
    [NUMBER],
  );
  ({ asset_id: assetId, organization_id: organizationId, sensor_id: sensorId } = rows[0]);
  platform = await server.logIn('demo.platform');
  const { rows: own } = await sql('select code from organization where id = $1', [organizationId]);
  branchId = await people(server, platform).organization('R-BRANCH', own[0].code);
  await sql(`update device set expires_at = $2 where number = $1`, [NUMBER, `${day(11)}T00:00:00Z`]);
  await sql(
    `insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, changed_by, changed_at)
     values ($1, '', 'C-old', 'L', '2020-01-01', '2021-01-01', 'x', now()),
            ($1, '', 'C-new', 'L', '2022-01-01', $2, 'x', now())`,
    [sensorId, day(20)],
  );
  await sql(
    `insert into maintenance_record (asset_id, kind, done_on, done_by, measured, next_due_on, changed_by, changed_at)
     values ($1, 'service', '2020-01-01', 'Old', '{}', '2021-01-01', 'x', now()),
            ($1, 'service', '2022-01-01', 'Frost Ltd', '{}', $2, 'x', now())`,
    [assetId, day(-3)],
  );
  await sql(
    `insert into validation_study (asset_id, name, type, zone_min, zone_max, from_at, to_at, due_on, channel_ids, result,
                                   changed_by, changed_at)
     values ($1, 'Judged', 'full', 2, 8, '2022-01-01', '2022-01-02', $2, '{1}', '{"verdict": "passed"}', 'x', now()),
            ($1, 'Planned', 'full', 2, 8, '2099-01-01', '2099-01-02', '2100-01-01', '{1}', null, 'x', now())`,
    [assetId, day(60)],
  );
  await sql(
    `insert into asset_file (asset_id, kind, name, valid_until) values ($1, 'certificate', 'Insurance', $2)`,
    [assetId, day(0)],
  );
});
afterAll(() => server.stop());

const due = async (query: Record<string, string> = {}, session = manager) =>
  expectDone(
    await server.call<{ items: DueItem[]; total: number }>({
      path: '/api/expiry-reminder/due',
      session,
      query: { pageSize: '200', ...query },
    }),
  ).items.map(({ kind, name, daysLeft }) => [kind, name, daysLeft]);

describe('list of due items', () => {
  it('due items are one list, the most urgent first, without superseded records', async () => {
    expect(await due()).toEqual([
      ['maintenance', 'Frost Ltd', -3],
      ['document', 'Insurance', 0],
      ['device', NUMBER, 10],
      ['calibration', 'C-new', 20],
      ['validation', 'Judged', 60],
    ]);
  });

  it.each([
    [{ span: 'overdue' }, ['Frost Ltd']],
    [{ span: 'month' }, ['Frost Ltd', 'Insurance', NUMBER, 'C-new']],
    [{ kind: 'calibration' }, ['C-new']],
    [{ search: 'frost' }, ['Frost Ltd']],
    [{ search: '%' }, []],
  ])('due items are filtered by %o', async (query, names) => {
    expect((await due(query as Record<string, string>)).map(([, name]) => name)).toEqual(names);
  });

  it('due items are limited to one organisation on request, and to kinds whose page the caller may see', async () => {
    expect(await due({ organizationId: String(branchId) })).toEqual([]);
    await sql(
      `insert into role_permission (role_id, permission)
       select id, 'recharge-reminders:view' from role where code = 'operator'`,
    );
    const keeper = await server.logIn('demo.keeper');
    expect((await due({}, keeper)).map(([kind]) => kind)).toEqual(['maintenance', 'document']);
  });
});

describe('expiry reminders', () => {
  const form = {
    kinds: ['device', 'maintenance', 'document'],
    daysBefore: 30,
    repeatDays: 7,
    enabled: true,
    recipients: ['care@example.com', 'office@example.com'],
  };
  const create = (organization: number, more: object = {}) =>
    server.call<ExpiryReminder>({
      method: 'POST',
      path: '/api/expiry-reminder',
      session: manager,
      json: { organizationId: organization, ...form, ...more },
    });
  let now = Date.now();
  let letters: NewMessage[] = [];
  let fails = false;
  const parts = {
    messages: {
      canDeliver: () => true,
      async enqueue(_tx: unknown, message: NewMessage) {
        if (fails && letters.length > 0) throw new Error('lost');
        return letters.push(message);
      },
    },
    renewal: {
      bounds: async () => ({ expiredUntil: now, lapsedUntil: 0, expiringBefore: now }),
    },
    translate: createTranslator(),
  } satisfies Omit<Parameters<typeof createReminderJobs>[0], 'pool'>;
  const after = async (days: number) => {
    now = Date.now() + days * DAY_MS;
    letters = [];
    await createReminderJobs({ ...parts, pool: server.pool })[0]?.run();
    return letters;
  };

  it('each organisation has at most one expiry reminder', async () => {
    const first = expectDone(await create(organizationId));
    expect(first).toMatchObject({ organizationId, daysBefore: 30, language: 'en', remindedOn: null });
    expect(await create(organizationId)).toMatchObject({ status: 'reminder.taken' });
  });

  it('a reminder sends one e-mail to each address, lists the due items, and repeats them after its interval', async () => {
    const [letter, other, ...more] = await after(0);
    expect(more).toEqual([]);
    expect([letter?.recipient, other?.recipient]).toEqual(form.recipients);
    expect(letter?.params).toMatchObject({ count: 3 });
    expect(String(letter?.params.items).split('\n')).toHaveLength(3);
    expect(letter?.params.items).toContain(`${day(-3)} Maintenance: Frost Ltd`);
    expect(letter?.params.items).not.toContain('C-new');
    expect(await after(0)).toEqual([]);
    expect(await after(6)).toEqual([]);
    expect((await after(7)).map(({ params }) => params.count)).toEqual([3, 3]);
  });

  it('a renewed item is not listed in reminders again until its new due date is near', async () => {
    await sql('update device set expires_at = $2 where number = $1', [NUMBER, `${day(401)}T00:00:00Z`]);
    expect((await after(14)).map(({ params }) => params.count)).toEqual([2, 2]);
    const [letter] = await after(371);
    expect(letter?.params.items).toContain(`${day(400)} Device subscription: ${NUMBER}`);
  });

  it('a reminder records nothing as sent if an e-mail could not be written', async () => {
    fails = true;
    await expect(after(390)).rejects.toThrow('1 reminders failed');
    fails = false;
    expect(await after(390)).toHaveLength(2);
  });

  it('a reminder of a subordinate organisation replaces the superior one there', async () => {
    await sql('update asset set organization_id = $2 where id = $1', [assetId, branchId]);
    expectDone(await create(branchId, { recipients: ['branch@example.com'], kinds: ['document'] }));
    const written = await after(420);
    expect(written.map(({ recipient, params }) => [recipient, params.count])).toEqual([
      ['care@example.com', 1],
      ['office@example.com', 1],
      ['branch@example.com', 1],
    ]);
    expect(written[0]?.params.items).toContain('Device subscription');
    expect(written[2]?.params.items).toContain('Insurance');
    // While the subordinate's reminder is disabled, the superior one applies there again.
    await sql(`update expiry_reminder set enabled = false where organization_id = $1`, [branchId]);
    const [again] = await after(430);
    expect(again?.params.items).toContain('Insurance');
  });

  it("reminder e-mails contain only items that the reminder's author may see", async () => {
    const organization = await people(server, platform).organizationId('DEMO');
    const pagePermissions = ['recharge-reminders:view', 'recharge-reminders:edit', 'asset-files:view'];
    const json = { name: 'Paper', organizationId: organization, pagePermissions };
    const role = expectDone(
      await server.call<{ id: number }>({ method: 'POST', path: '/api/role', session: manager, json }),
    );
    const clerk = await people(server, platform).account('paper.clerk', 'operator', 'DEMO', {
      roleIds: [role.id],
    });
    const { rows } = await sql('select id from expiry_reminder where organization_id = $1', [branchId]);
    const edit = (kinds: string[]) =>
      server.call({
        method: 'PUT',
        path: `/api/expiry-reminder/${rows[0].id}`,
        session: clerk,
        json: { ...form, kinds },
      });
    expectDone(await edit(['document']));
    expect(await edit(['document', 'maintenance'])).toMatchObject({
      httpStatus: 403,
      status: 'permission.denied',
    });
  });

  it.each([
    [{ recipients: [] }, 'recipients'],
    [{ recipients: ['nobody'] }, 'recipients'],
    [{ daysBefore: 0 }, 'daysBefore'],
    [{ repeatDays: 1.5 }, 'repeatDays'],
    [{ kinds: ['device', 'device'] }, 'kinds'],
  ])('a reminder with %o is refused', async (more, field) => {
    const refused = await create(branchId, more);
    expect(refused.status).toBe('request.invalid');
    expect(JSON.stringify(refused)).toContain(field);
  });
});

it('a change of the renewal policy applies immediately to lists and the notice, and is logged', async () => {
  await sql('update device set expires_at = $2 where number = $1', [NUMBER, `${day(120)}T00:00:00Z`]);
  const term = async () =>
    expectDone(
      await server.call<{ items: { term: string }[] }>({
        path: '/api/device/list',
        session: manager,
        query: { search: NUMBER },
      }),
    ).items[0]?.term;
  expect(await term()).toBe('valid');
  const policy = expectDone(
    await server.call<{ effectiveOn: string }>({ path: '/api/renewalnotice/policy', session: manager }),
  );
  expect(policy).toMatchObject({ effectiveOn: '2023-06-15', lapsedMonths: 3, fee: 100, currency: 'CNY' });
  expectDone(
    await server.call({
      method: 'PUT',
      path: '/api/renewalnotice/policy',
      session: platform,
      json: {
        effectiveOn: '2026-01-01',
        expiringMonths: 6,
        lapsedMonths: 3,
        fee: 20.5,
        currency: 'EUR',
        hotline: '+1 555 0100',
      },
    }),
  );
  expect(await term()).toBe('expiring');
});
