import type { ValidationStudy, VerifierUnit } from '@isotherm/contracts/validation-studies';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measuredFridge } from '../../testing/measured-fridge.ts';
import { expectDone } from '../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

const NUMBER = '60000091';
const HOUR_MS = 3_600_000;
/** The end of the study is a full minute, an hour ago. */
const TO = Math.floor(Date.now() / 60_000) * 60_000 - HOUR_MS;
const FROM = TO - HOUR_MS;
let server: TestServer;
let session: Session;
let assetId: number;
let channels: number[];
let organizationId: number;
let sensorIds: number[];

beforeAll(async () => {
  server = await startTestServer();
  session = await server.logIn('demo.manager');
  ({ assetId, channels, organizationId, sensorIds } = await measuredFridge(server, session, NUMBER, FROM, [
    (minute) => (minute === 30 ? 7.5 : 5),
    (minute) => (minute === 10 ? 2.5 : 4),
  ]));
});
afterAll(() => server.stop());

const iso = (at: number) => new Date(at).toISOString();
const plan = (more: object = {}) =>
  server.call<ValidationStudy>({
    method: 'POST',
    path: '/api/validation',
    session,
    json: {
      assetId,
      name: 'Full load',
      type: 'full',
      zoneMin: 2,
      zoneMax: 8,
      channels,
      from: iso(FROM),
      to: iso(TO),
      ...more,
    },
  });
const judge = (id: number) =>
  server.call<ValidationStudy>({ method: 'POST', path: `/api/validation/${id}/judge`, session });

describe('validation studies', () => {
  test('a study is evaluated by its readings: spots, uniformity, mean kinetic temperature, verdict', async () => {
    const study = expectDone(await plan());
    expect(study).toMatchObject({ state: 'to-judge', result: null, channels });
    const { result, state, judgedBy } = expectDone(await judge(study.id));
    expect({ state, judgedBy }).toEqual({ state: 'judged', judgedBy: 'demo.manager' });
    expect(result).toMatchObject({
      verdict: 'passed',
      min: 2.5,
      max: 7.5,
      uniformity: 3.5,
      hotSpot: channels[0],
      coldSpot: channels[1],
    });
    expect(result?.points.map((point) => point.coverage)).toEqual([1, 1]);
    expect(result?.meanKinetic).toBeGreaterThan(result?.mean as number);
  });

  test('the result of a study names the channels whose sensors had no valid calibration until the end of the study', async () => {
    const study = expectDone(await plan());
    expect(study.uncalibrated).toEqual(channels);
    const certify = async (sensorId: number | undefined, calibratedOn: number, dueOn: number) =>
      expectDone(
        await server.call({
          method: 'POST',
          path: '/api/device/calibration',
          session,
          json: {
            sensorId,
            certificate: `C-${sensorId}-${dueOn}`,
            laboratory: 'Metrology Institute',
            calibratedOn: iso(calibratedOn).slice(0, 10),
            dueOn: iso(dueOn).slice(0, 10),
            appliedFrom: null,
            points: [],
          },
        }),
      );
    const day = 24 * HOUR_MS;
    await certify(sensorIds[0], TO - 30 * day, TO);
    await certify(sensorIds[1], TO - 30 * day, TO - 2 * day);
    expect(expectDone(await judge(study.id)).uncalibrated).toEqual([channels[1]]);
  });

  test('a study fails if its temperature left the zone for a minute', async () => {
    const { id } = expectDone(await plan({ zoneMax: 7.4 }));
    const { result } = expectDone(await judge(id));
    expect(result?.verdict).toBe('failed');
    expect(result?.points[0]?.outsideMs).toBe(60_000);
  });

  test('a study with incomplete or no readings is judged as having not enough data', async () => {
    const longer = expectDone(await plan({ from: iso(FROM - HOUR_MS) }));
    expect(expectDone(await judge(longer.id)).result?.verdict).toBe('insufficient');
    const before = expectDone(await plan({ from: iso(FROM - 5 * HOUR_MS), to: iso(FROM - 4 * HOUR_MS) }));
    expect((await judge(before.id)).status).toBe('validation.no_readings');
  });

  test('a study is not evaluated before its end, and is found by its state', async () => {
    const { id, state } = expectDone(await plan({ to: iso(Date.now() + HOUR_MS) }));
    expect(state).toBe('measuring');
    expect((await judge(id)).status).toBe('validation.not_over');
    const { items } = expectDone(
      await server.call<{ items: ValidationStudy[] }>({
        path: '/api/validation',
        query: { state: 'measuring' },
        session,
      }),
    );
    expect(items.map((each) => each.id)).toEqual([id]);
  });

  test('a study that was changed must be evaluated again', async () => {
    const study = expectDone(await plan());
    expectDone(await judge(study.id));
    const { assetId: _, ...json } = {
      assetId,
      name: 'Full load',
      type: 'periodic',
      zoneMin: 3,
      zoneMax: 8,
      channels,
      from: iso(FROM),
      to: iso(TO),
    };
    const changed = expectDone(
      await server.call<ValidationStudy>({
        method: 'PUT',
        path: `/api/validation/${study.id}`,
        session,
        json,
      }),
    );
    expect(changed).toMatchObject({ type: 'periodic', zoneMin: 3, result: null, judgedAt: null });
  });

  test('if a study is being changed when its evaluation starts, the evaluation waits and uses the new contents', async () => {
    const { id } = expectDone(await plan({ zoneMax: 8 }));
    const editor = await server.pool.connect();
    await editor.query('begin');
    await editor.query('update validation_study set zone_max = 7 where id = $1', [id]);
    const judged = judge(id);
    // Without the lock, the evaluation would finish with the former zone during this wait.
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length;
      })
      .toBe(1);
    await editor.query('commit');
    editor.release();
    expect(expectDone(await judged).result?.verdict).toBe('failed');
  });

  test('a study with more readings than the limit is refused', async () => {
    const { id } = expectDone(await plan());
    await server.pool.query(
      `insert into sealed_day (channel_id, day, first_at, last_at, sum, count, scale, first_value, last_value, min, max,
                               unit_ms, gaps, value_deltas, hours)
       values ($1, $2::timestamptz at time zone 'UTC', $2, $2, 0, 1000000, 0, 0, 0, 0, 0, 1000, '', '', '')`,
      [channels[0], iso(FROM)],
    );
    expect((await judge(id)).status).toBe('validation.too_many_readings');
    await server.pool.query('delete from sealed_day where channel_id = $1', [channels[0]]);
  });

  test.each([
    ['maximum not greater than minimum', { zoneMin: 8 }, 'request.invalid'],
    ['temperature with two decimals', { zoneMin: 2.05 }, 'request.invalid'],
    ['start not before end', { from: iso(TO) }, 'request.invalid'],
    ['more than a month', { from: iso(TO - 32 * 24 * HOUR_MS) }, 'request.invalid'],
    ['a missing channel', { channels: [] }, 'request.invalid'],
    ['a channel of another asset', { channels: [2_000_000_000] }, 'validation.channel'],
    ['an unknown asset', { assetId: 999_999 }, 'asset.not_found'],
    ['an unknown verifier unit', { verifierUnitId: 999_999 }, 'verifier.not_found'],
  ] as const)('a study is refused: %s', async (_words, more, code) => {
    expect((await plan(more)).status).toBe(code);
  });
});

test('a verifier unit has a unique name, and cannot be deleted while a study uses it', async () => {
  const add = () =>
    server.call<VerifierUnit>({
      method: 'POST',
      path: '/api/verifier-unit',
      session,
      json: { organizationId, name: 'Metrology', qualification: 'CNAS L0001' },
    });
  const unit = expectDone(await add());
  expect((await add()).status).toBe('verifier.taken');
  const study = expectDone(await plan({ verifierUnitId: unit.id }));
  expect(study.verifierUnitName).toBe('Metrology');
  const remove = () =>
    server.call({
      method: 'DELETE',
      path: `/api/verifier-unit/${unit.id}`,
      session,
      json: { reason: 'Closed' },
    });
  expect((await remove()).status).toBe('verifier.in_use');
  expectDone(
    await server.call({
      method: 'DELETE',
      path: `/api/validation/${study.id}`,
      session,
      json: { reason: 'Planned twice' },
    }),
  );
  expectDone(await remove());
});
