import type { PolicyInput } from '@isotherm/contracts/alarm-policies';
import type { PolicyCondition } from '@isotherm/domain/alarms/graded-policy';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { type AlarmBench, startAlarmBench } from '../../../testing/alarm-bench.ts';
import { createRuleBook } from '../rule-book.ts';
import { explainAsset } from './assignments.repo.ts';
import { createCompiler } from './compile.ts';
import { createPoliciesService, type PoliciesService } from './policies.service.ts';
import { advanceStageClock } from './stage-clock.repo.ts';

/** Conditions of policies about the stages of shipments and about geofences, and what requests their compilation. */
const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const caller = { username: 'test', scope: '/', accountId: 1 } as unknown as Caller;
let now = 0;
const clock = { now: () => now };
let bench: AlarmBench;
let policies: PoliciesService;
let compile: () => Promise<void>;
let organizationId: number;
let serial = 0;

const newCompiler = (by = clock) =>
  createCompiler(bench.pool, createRuleBook(createInvalidations(true)), by, () => undefined);

beforeAll(async () => {
  now = Date.now();
  bench = await startAlarmBench(await createTestDatabase());
  const compiler = newCompiler();
  compile = compiler.compile;
  policies = createPoliciesService(bench.pool, { record: async () => undefined }, clock, compiler, {
    mac: (_, text) => text,
  });
  organizationId = (await one('select id from organization')).id;
});
afterAll(() => bench.stop());
beforeEach(async () => {
  now = Math.ceil(Date.now() / MIN) * MIN;
  await bench.pool.query('delete from waybill');
  await bench.pool.query('update alarm_stage_clock set at = $1', [new Date(now)]);
  await bench.pool.query('update alarm_assignment set valid_until = valid_from where valid_until is null');
  await compile();
});

async function one(sql: string, values: unknown[] = []): Promise<{ id: number }> {
  const { rows } = await bench.pool.query<{ id: number }>(sql, values);
  return rows[0] as { id: number };
}
const when = (moment: number) => new Date(moment);

const above = (high: number, more: Partial<PolicyCondition> = {}): PolicyCondition => ({
  quantity: 'temperature',
  low: null,
  high,
  recoveryMargin: 0,
  recoverAfterMs: 0,
  ...more,
});
const ORIGIN = 11;
const TRANSIT = 12;
const DESTINATION = 13;
const ELSEWHERE = 14;
/** A limit for each stage, by which the tests know it. */
const byStage = [
  above(ORIGIN, { leg: 'at-origin' }),
  above(TRANSIT, { leg: 'in-transit' }),
  above(DESTINATION, { leg: 'at-destination' }),
  above(ELSEWHERE, { leg: 'not-in-transit' }),
];

const of = (conditions: PolicyCondition[]): PolicyInput['definition'] => ({
  conditions,
  steps: [{ level: 1, triggerAfterMs: 0, limits: [] }],
  limitIsOutside: false,
});
const create = async (conditions: PolicyCondition[]) =>
  (
    await policies.create(caller, {
      organizationId,
      name: `Places ${++serial}`,
      description: '',
      enabled: true,
      definition: of(conditions),
    })
  ).id;
async function assets(count: number, conditions: PolicyCondition[]) {
  const policy = await create(conditions);
  const made = [];
  for (let nth = 0; nth < count; nth++) {
    const { channelId, assetId } = await bench.channel({ versions: [] });
    await policies.assign(caller, policy, { kind: 'asset', id: assetId, assetKind: null });
    made.push({ channelId, assetId, policy });
  }
  return made as [(typeof made)[number], ...typeof made];
}
const limits = async (channelId: number) =>
  (
    await bench.pool.query<{ limit: number }>(
      'select limit_value as "limit" from alarm_rule where channel_id = $1 and enabled order by 1',
      [channelId],
    )
  ).rows.map(({ limit }) => limit);

async function planned(assetId: number, departure: number): Promise<number> {
  const { id } = await one(
    `insert into waybill (organization_id, number, consignor_unit, consignee_unit, asset_id, planned_departure_at, limits,
                          changed_by, changed_at)
     values ($1, gen_random_uuid(), 'a', 'b', $2, $3, '{}', 'test', now()) returning id`,
    [organizationId, assetId, when(departure)],
  );
  return id;
}
async function depart(id: number, assetId: number, at: number): Promise<void> {
  await bench.pool.query(
    'insert into waybill_leg (waybill_id, position, asset_id, started_at) values ($1, 0, $2, $3)',
    [id, assetId, when(at)],
  );
  await bench.pool.query(
    `update waybill set state = 'in-transport', asset_id = $2, departed_at = $3 where id = $1`,
    [id, assetId, when(at)],
  );
}
async function end(id: number, at: number, state: 'arrived' | 'rejected' = 'arrived'): Promise<void> {
  await bench.pool.query('update waybill_leg set ended_at = $2 where waybill_id = $1 and ended_at is null', [
    id,
    when(at),
  ]);
  await bench.pool.query('update waybill set state = $3, ended_at = $2 where id = $1', [id, when(at), state]);
}
/** The time is `at`, and the worker looks for stages that began or ended. */
async function tick(at: number): Promise<void> {
  now = at;
  await advanceStageClock(bench.pool, when(at));
  await compile();
}

test('rules at the origin and at the destination begin and end by time', async () => {
  const start = now;
  const [{ channelId, assetId }] = await assets(1, byStage);
  const id = await planned(assetId, start + 3 * HOUR);
  await compile();
  expect(await limits(channelId)).toEqual([ELSEWHERE]);
  await tick(start + HOUR - 1);
  expect(await limits(channelId)).toEqual([ELSEWHERE]);
  await tick(start + HOUR);
  expect(await limits(channelId)).toEqual([ORIGIN, ELSEWHERE]);
  // It departs earlier than planned.
  now = start + 2 * HOUR;
  await depart(id, assetId, now);
  await compile();
  expect(await limits(channelId)).toEqual([TRANSIT]);
  await tick(start + 4 * HOUR);
  expect(await limits(channelId)).toEqual([TRANSIT]);
  now = start + 5 * HOUR;
  await end(id, now);
  await compile();
  expect(await limits(channelId)).toEqual([DESTINATION, ELSEWHERE]);
  await tick(start + 7 * HOUR - 1);
  expect(await limits(channelId)).toEqual([DESTINATION, ELSEWHERE]);
  await tick(start + 7 * HOUR);
  expect(await limits(channelId)).toEqual([ELSEWHERE]);
});

test('a rejected shipment is at its destination, and one that was moved to another asset was not on the first one', async () => {
  const [{ channelId, assetId }, second] = await assets(2, byStage);
  const id = await planned(assetId, now);
  await depart(id, assetId, now - 2 * HOUR);
  await bench.pool.query('update waybill_leg set ended_at = $2 where waybill_id = $1', [
    id,
    when(now - HOUR),
  ]);
  await bench.pool.query(
    'insert into waybill_leg (waybill_id, position, asset_id, started_at) values ($1, 1, $2, $3)',
    [id, second?.assetId, when(now - HOUR)],
  );
  await end(id, now, 'rejected');
  await compile();
  expect(await limits(channelId)).toEqual([ELSEWHERE]);
  expect(await limits(second?.channelId ?? 0)).toEqual([DESTINATION, ELSEWHERE]);
});

test('a planned departure that is moved, given to another asset, deleted or missed ends the stay at the origin', async () => {
  const start = now;
  const [first, second] = await assets(2, byStage);
  const at = async () => [await limits(first.channelId), await limits(second?.channelId ?? 0)];
  const id = await planned(first.assetId, start + 30 * MIN);
  await compile();
  expect(await at()).toEqual([[ORIGIN, ELSEWHERE], [ELSEWHERE]]);
  const set = async (column: string, value: unknown) => {
    await bench.pool.query(`update waybill set ${column} = $2 where id = $1`, [id, value]);
    await compile();
  };
  await set('planned_departure_at', when(start + 5 * HOUR));
  expect(await at()).toEqual([[ELSEWHERE], [ELSEWHERE]]);
  await tick(start + 3 * HOUR);
  expect(await at()).toEqual([[ORIGIN, ELSEWHERE], [ELSEWHERE]]);
  await set('asset_id', second?.assetId);
  expect(await at()).toEqual([[ELSEWHERE], [ORIGIN, ELSEWHERE]]);
  await tick(start + 5 * HOUR + DAY - 1);
  expect(await at()).toEqual([[ELSEWHERE], [ORIGIN, ELSEWHERE]]);
  await tick(start + 5 * HOUR + DAY);
  expect(await at()).toEqual([[ELSEWHERE], [ELSEWHERE]]);
  await set('planned_departure_at', when(now));
  expect(await at()).toEqual([[ELSEWHERE], [ORIGIN, ELSEWHERE]]);
  await bench.pool.query('delete from waybill where id = $1', [id]);
  await compile();
  expect(await at()).toEqual([[ELSEWHERE], [ELSEWHERE]]);
});

test('what was missed while no worker ran is made up for, by one of several workers', async () => {
  const start = now;
  const [{ channelId, assetId }] = await assets(1, byStage);
  await planned(assetId, start + 3 * HOUR);
  await compile();
  now = start + 10 * HOUR;
  const found = await Promise.all([1, 2, 3].map(() => advanceStageClock(bench.pool, when(now))));
  expect(found.sort()).toEqual([0, 0, 1]);
  await compile();
  expect(await limits(channelId)).toEqual([ORIGIN, ELSEWHERE]);
});

test('a compiler whose clock is behind that of the worker does not miss a stage', async () => {
  const start = now;
  const [{ channelId, assetId }] = await assets(1, byStage);
  await planned(assetId, start + 3 * HOUR);
  await compile();
  await advanceStageClock(bench.pool, when(start + HOUR));
  await newCompiler({ now: () => start + HOUR - 5_000 }).compile();
  expect(await limits(channelId)).toEqual([ORIGIN, ELSEWHERE]);
  // Where the clock of the computer is put back, the stages between are left again.
  expect(await advanceStageClock(bench.pool, when(start))).toBe(1);
  await compile();
  expect(await limits(channelId)).toEqual([ELSEWHERE]);
});

test('at any time, the rules at the origin and at the destination apply where alarms would name these stages', async () => {
  const made = await assets(3, byStage);
  const start = now;
  const minutes = (min: number, max: number) => fc.integer({ min, max });
  const shipments = fc.array(
    fc.record({
      asset: minutes(0, 2),
      planned: minutes(-1_500, 900),
      departed: fc.option(minutes(-600, 0)),
      moved: fc.option(minutes(0, 2)),
      lasted: fc.option(minutes(2, 400)),
    }),
    { minLength: 1, maxLength: 5 },
  );
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(
      shipments,
      fc.array(minutes(0, 900), { minLength: 3, maxLength: 5 }),
      async (all, moments) => {
        now = start;
        await bench.pool.query('delete from waybill');
        for (const { asset, planned: at, departed, moved, lasted } of all) {
          const { assetId } = made[asset] as (typeof made)[number];
          const id = await planned(assetId, start + at * MIN);
          if (departed === null) continue;
          await depart(id, assetId, start + departed * MIN);
          if (lasted === null) continue;
          if (moved !== null) {
            const half = when(start + (departed + lasted / 2) * MIN);
            await bench.pool.query('update waybill_leg set ended_at = $2 where waybill_id = $1', [id, half]);
            await bench.pool.query(
              'insert into waybill_leg (waybill_id, position, asset_id, started_at) values ($1, 1, $2, $3)',
              [id, made[moved]?.assetId, half],
            );
          }
          await end(id, start + (departed + lasted) * MIN);
        }
        for (const minute of moments.sort((a, b) => a - b)) {
          await tick(start + minute * MIN);
          for (const { assetId, channelId } of made) {
            const { rows } = await bench.pool.query<{ trips: { stage: string }[] | null }>(
              'select alarm_trips($1, $2) as trips',
              [assetId, when(now)],
            );
            const stages = new Set(rows[0]?.trips?.map(({ stage }) => stage));
            const expected = [
              ...(stages.has('origin') ? [ORIGIN] : []),
              ...(stages.has('destination') ? [DESTINATION] : []),
            ];
            seen += expected.length;
            const inForce = await limits(channelId);
            expect(inForce.filter((limit) => limit === ORIGIN || limit === DESTINATION)).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: 30, seed: 480 },
  );
  expect(seen).toBeGreaterThan(30);
});

const INSIDE = 21;
const OUTSIDE = 22;

/** A geofence of the organisation; returns its id and that of its version. */
async function fence(organization = organizationId, shared = true): Promise<{ id: number; version: number }> {
  const { id } = await one(
    `insert into geofence (organization_id, name, changed_by, changed_at) values ($1, $2, 'test', now()) returning id`,
    [organization, `Fence ${++serial}`],
  );
  const version = await one(
    `insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared)
     values ($1, now(), '{"kind": "circle", "centre": {"latitude": 0, "longitude": 0}, "radiusM": 500}', 50, $2) returning id`,
    [id, shared],
  );
  return { id, version: version.id };
}
const ENTER = `insert into geofence_event (asset_id, geofence_id, version_id, kind, at, latitude, longitude, recorded_at)
  values ($1, $2, $3, 'enter', now(), 0, 0, now()) returning id`;
const bySide = (fenceId: number) => [
  above(INSIDE, { fence: { fenceId, side: 'inside' } }),
  above(OUTSIDE, { fence: { fenceId, side: 'outside' } }),
];

test('an asset counts as outside a geofence until it is known to be inside, so that one of the two sides always applies', async () => {
  const { id, version } = await fence();
  const [{ channelId, assetId, policy }] = await assets(1, bySide(id));
  expect(await limits(channelId)).toEqual([OUTSIDE]);
  expect(await policies.get(caller, policy)).toMatchObject({ assets: 1, channels: 1 });
  const event = await one(ENTER, [assetId, id, version]);
  await compile();
  expect(await limits(channelId)).toEqual([INSIDE]);
  expect(await policies.get(caller, policy)).toMatchObject({ assets: 1, channels: 1 });
  // A new version judges only from the next position on; until then, the asset is where it was.
  await bench.pool.query('update geofence_version set valid_until = now() where id = $1', [version]);
  await one(
    `insert into geofence_version (geofence_id, valid_from, shape, margin_m, shared)
     select geofence_id, now(), shape, margin_m, shared from geofence_version where id = $1 returning id`,
    [version],
  );
  await bench.pool.query(`insert into alarm_compilation (target_kind, target_id) values ('asset', $1)`, [
    assetId,
  ]);
  await compile();
  expect(await limits(channelId)).toEqual([INSIDE]);
  await bench.pool.query('update geofence_event set until_at = now() where id = $1', [event.id]);
  await compile();
  expect(await limits(channelId)).toEqual([OUTSIDE]);
  // Late positions may show that it never was inside.
  const wrong = await one(ENTER, [assetId, id, version + 1]);
  await compile();
  expect(await limits(channelId)).toEqual([INSIDE]);
  await bench.pool.query('delete from geofence_event where id = $1', [wrong.id]);
  await compile();
  expect(await limits(channelId)).toEqual([OUTSIDE]);
  // So does a channel without an asset.
  await policies.assign(caller, policy, { kind: 'channel', id: channelId, assetKind: null });
  await bench.pool.query('update channel set asset_id = null where id = $1', [channelId]);
  await compile();
  expect(await limits(channelId)).toEqual([OUTSIDE]);
});

test('a crossing requests a compilation only if a rule in force names the geofence', async () => {
  const [named, other] = [await fence(), await fence()];
  const [{ assetId }] = await assets(1, bySide(named.id));
  const requested = async (work: () => Promise<unknown>) => {
    await compile();
    await work();
    return (await one('select count(*)::int as id from alarm_compilation')).id;
  };
  expect(await requested(() => one(ENTER, [assetId, other.id, other.version]))).toBe(0);
  expect(await requested(() => one(ENTER, [assetId, named.id, named.version]))).toBe(1);
  expect(
    await requested(() =>
      bench.pool.query(
        `insert into geofence_event (asset_id, geofence_id, version_id, kind, at, latitude, longitude, recorded_at)
         values ($1, $2, $3, 'dwell', now(), 0, 0, now())`,
        [assetId, named.id, named.version],
      ),
    ),
  ).toBe(0);
  expect(
    await requested(() =>
      bench.pool.query('update geofence_event set until_at = now() where asset_id = $1', [assetId]),
    ),
  ).toBe(1);
});

test('a policy that is saved while a crossing is being stored finds the asset inside', async () => {
  const { id, version } = await fence();
  const { channelId, assetId } = await bench.channel({ versions: [] });
  const ingest = await bench.pool.connect();
  try {
    await ingest.query('begin');
    await ingest.query(ENTER, [assetId, id, version]);
    const saved = create(bySide(id));
    await vi.waitFor(async () => {
      const { rows } = await bench.pool.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
            and database = (select oid from pg_database where datname = current_database())`,
        [LOCK_KEYS.fenceRules],
      );
      expect(rows).toHaveLength(1);
    });
    await ingest.query('commit');
    await policies.assign(caller, await saved, { kind: 'asset', id: assetId, assetKind: null });
  } finally {
    ingest.release();
  }
  expect(await limits(channelId)).toEqual([INSIDE]);
});

test('crossings, edits of policies and two compilers at the same time end with the rules of where each asset is', async () => {
  const places = [await fence(), await fence()] as const;
  const made = await assets(4, bySide(places[0].id));
  const [{ policy }] = made;
  const second = newCompiler();
  const stays = new Set<string>();
  let isOver = false;
  /** Crosses both geofences in one transaction, in changing order, as a batch of positions does. */
  async function cross(assetId: number, round: number): Promise<void> {
    const client = await bench.pool.connect();
    try {
      await client.query('begin');
      for (const { id, version } of round % 2 ? places : places.toReversed()) {
        const key = `${assetId} ${id}`;
        if (stays.delete(key))
          await client.query(
            'update geofence_event set until_at = now() where asset_id = $1 and geofence_id = $2 and until_at is null',
            [assetId, id],
          );
        else if (round % 3 > 0 && stays.add(key)) await client.query(ENTER, [assetId, id, version]);
      }
      await client.query('commit');
    } finally {
      client.release();
    }
  }
  const rounds = Array.from({ length: 20 }, (_, round) => round);
  const crossing = Promise.all(
    made.map(async ({ assetId }, nth) => {
      for (const round of rounds) await cross(assetId, round * (nth + 1) + nth);
    }),
  );
  const compiling = (async () => {
    while (!isOver) await second.compile();
  })();
  let named = places[0].id;
  for (const round of rounds.slice(0, 10)) {
    named = places[round % 2 ? 0 : 1].id;
    const { version, name } = await policies.get(caller, policy);
    await policies.edit(caller, policy, version, {
      name,
      description: '',
      enabled: true,
      definition: of(bySide(named)),
    });
  }
  await crossing;
  isOver = true;
  await compiling;
  await compile();
  for (const { assetId, channelId } of made)
    expect(await limits(channelId)).toEqual([stays.has(`${assetId} ${named}`) ? INSIDE : OUTSIDE]);
});

test('a nearer policy that does not apply where the asset is leaves the quantity to the next one, and the reason is told', async () => {
  const { id, version } = await fence();
  const [{ channelId, assetId, policy }] = await assets(1, [
    above(INSIDE, { fence: { fenceId: id, side: 'inside' } }),
  ]);
  const general = await create([above(30)]);
  await policies.assign(caller, general, { kind: 'organization', id: organizationId, assetKind: null });
  const states = async () =>
    Object.fromEntries(
      (await explainAsset(bench.pool, assetId, when(now))).map((each) => [
        each.policyId === policy ? 'near' : 'general',
        `${each.state}${each.isNearest ? ', nearest' : ''}`,
      ]),
    );
  expect(await limits(channelId)).toEqual([30]);
  expect(await states()).toEqual({ near: 'not-now, nearest', general: 'applies' });
  await one(ENTER, [assetId, id, version]);
  await compile();
  expect(await limits(channelId)).toEqual([INSIDE]);
  expect(await states()).toEqual({ near: 'applies, nearest', general: 'overridden' });
  expect((await policies.get(caller, policy)).fences).toMatchObject([{ id }]);
});

test('policies name only geofences that apply to assets of their organisation or those below it', async () => {
  const path = async (id: number) =>
    (await bench.pool.query<{ path: string }>('select path from organization where id = $1', [id])).rows[0]
      ?.path as string;
  const organization = async (parent: string) => {
    const code = `PLACES-${++serial}`;
    const { id } = await one(
      `insert into organization (code, name, level, path) values ($1, $1, 'unit', $2 || $3 || '/') returning id`,
      [code, parent, String(900_000 + serial)],
    );
    return id;
  };
  const root = await path(organizationId);
  const child = await organization(root);
  const grandchild = await organization(await path(child));
  const sibling = await organization(root);
  const at = async (fenceId: number, organization = child, by = caller) =>
    policies
      .create(by, {
        organizationId: organization,
        name: `Places ${++serial}`,
        description: '',
        enabled: true,
        definition: of(bySide(fenceId)),
      })
      .then(
        () => 'done',
        ({ code }: { code: string }) => code,
      );
  const own = await fence(child);
  const below = await fence(grandchild);
  const shared = await fence(organizationId);
  const unshared = await fence(organizationId, false);
  const foreign = await fence(sibling);
  for (const { id } of [own, below, shared]) expect(await at(id)).toBe('done');
  for (const { id } of [unshared, foreign, { id: 999_999 }]) expect(await at(id)).toBe('policy.fence');
  const ofChild = { ...caller, scope: await path(child) };
  expect(await at(foreign.id, child, ofChild)).toBe('policy.fence');
  const ids = [own, below, shared, unshared, foreign].map(({ id }) => id);
  const listed = await policies.fences(ofChild, { search: '', ids: ids.join(',') });
  expect(listed.map(({ id }) => id).sort()).toEqual([own.id, below.id, shared.id].sort());
  await expect(policies.fences(ofChild, { search: '', organizationId: sibling })).rejects.toMatchObject({
    code: 'organization.not_found',
  });

  // A copy into an organisation that cannot use the geofence is refused.
  const policy = await policies.create(caller, {
    organizationId: child,
    name: `Places ${++serial}`,
    description: '',
    enabled: true,
    definition: of(bySide(own.id)),
  });
  const copied = (organization: number) =>
    policies.copy(caller, policy.id, { organizationId: organization, name: `Places ${++serial}` });
  await expect(copied(sibling)).rejects.toMatchObject({ code: 'policy.fence' });
  expect((await copied(grandchild)).fences).toMatchObject([{ id: own.id }]);
  await expect(
    policies.edit(caller, policy.id, policy.version, {
      name: policy.name,
      description: '',
      enabled: true,
      definition: of(bySide(foreign.id)),
    }),
  ).rejects.toMatchObject({ code: 'policy.fence' });
  // A geofence that the policy names already may stay, whatever has become of it.
  await bench.pool.query('update geofence set deleted_at = now() where id = $1', [own.id]);
  const edited = await policies.edit(caller, policy.id, policy.version, {
    name: policy.name,
    description: 'Edited',
    enabled: true,
    definition: of(bySide(own.id)),
  });
  expect(edited.fences).toMatchObject([{ id: own.id }]);
});
