import type { OrganizationPremium } from '@isotherm/contracts/premium';
import { TRIAL_MS } from '@isotherm/domain/billing/premium';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAudit } from '../../../platform/audit/audit.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createPremiumServices, type PremiumServices } from './premium.service.ts';

let server: TestServer;
let manager: Session;
let platform: Session;
let demo: number;
let hospital: number;
let services: PremiumServices;
const clock = { offset: 0, now: () => Date.now() + clock.offset };

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const known = people(server, platform);
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
  services = createPremiumServices(
    server.pool,
    createAudit(server.pool, createSealing('x'.repeat(32)), clock),
    clock,
  );
});
afterAll(() => server.stop());

const call = <T = OrganizationPremium>(method: string, path: string, json: object, session: Session) =>
  server.call<T>({ method, path: `/api/billing/premium/${path}`, json, session });
const listed = async (session = manager) =>
  expectDone(
    await server.call<{ items: OrganizationPremium[] }>({
      path: '/api/billing/premium',
      query: { pageSize: '200' },
      session,
    }),
  ).items;
const stateOf = async (organizationId: number, service: string) =>
  (await listed())
    .find((each) => each.organizationId === organizationId)
    ?.services.find((each) => each.service === service);
const premiumOf = (organizationId: number, service: 'backup' | 'smart-screen' = 'backup') =>
  services.premiumOf(server.pool, organizationId, service);

describe('premium services', () => {
  it('an organisation tries a service for a week, once, and the organisations below it use it, too', async () => {
    expect(await premiumOf(demo)).toEqual({ state: 'not-activated', until: null, deviceLimit: 0 });
    const answer = expectDone(await call('POST', `${demo}/trial`, { service: 'backup' }, manager));
    expect(answer.services[0]).toMatchObject({ state: 'trial', deviceLimit: 50, mayTry: false });
    expect(await stateOf(hospital, 'backup')).toMatchObject({
      state: 'trial',
      inheritedFrom: answer.organizationName,
      mayTry: true,
    });
    expect(await premiumOf(hospital)).toMatchObject({ state: 'trial', deviceLimit: 50 });
    expect((await call('POST', `${demo}/trial`, { service: 'backup' }, manager)).status).toBe('premium.used');
    clock.offset = TRIAL_MS;
    expect(await premiumOf(demo)).toMatchObject({ state: 'ended', deviceLimit: 0 });
    clock.offset = 0;
  });

  it('two trials that are started at once are one', async () => {
    const answers = await Promise.allSettled([
      call('POST', `${demo}/trial`, { service: 'smart-screen' }, manager),
      call('POST', `${demo}/trial`, { service: 'smart-screen' }, platform),
    ]);
    const statuses = answers.map((answer) => answer.status === 'fulfilled' && answer.value.status).sort();
    expect(statuses).toEqual(['1', 'premium.used']);
  });

  it('the platform activates a service until a day and ends it; an organisation has no permission for it', async () => {
    const form = { service: 'backup', lastDay: '2999-12-31', deviceLimit: 300 };
    expect((await call('PUT', `${hospital}`, form, manager)).httpStatus).toBe(403);
    expectDone(await call('PUT', `${hospital}`, form, platform));
    expect(await stateOf(hospital, 'backup')).toMatchObject({
      state: 'active',
      until: '3000-01-01T00:00:00.000Z',
      deviceLimit: 300,
      inheritedFrom: null,
    });
    const past = { ...form, lastDay: '2020-01-01' };
    expect((await call('PUT', `${hospital}`, past, platform)).status).toBe('premium.until');
    const end = { service: 'backup', reason: 'Contract ended' };
    expectDone(await call('POST', `${hospital}/end`, end, platform));
    expect((await call('POST', `${hospital}/end`, { ...end, reason: 'again' }, platform)).status).toBe(
      'premium.inactive',
    );
    const { rows } = await server.pool.query(
      `select reason from audit_entry where object_kind = 'premium-service' and object_id = $1 and reason <> ''`,
      [String(hospital)],
    );
    expect(rows).toEqual([{ reason: 'Contract ended' }]);
  });
});
