import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWithinDailyLimit, MESSAGES_PER_DAY } from './daily-limit.ts';
import { type CausedAlarm, groupByCause, groupForMessage, INCIDENT_GAP_MS, SITE_GROUP_MIN } from './storm.ts';

const MIN = 60_000;

const alarm = (fields: Partial<CausedAlarm> & { id: number }): CausedAlarm => ({
  level: 2,
  kind: 'high',
  indicator: 'temperature',
  deviceId: fields.id,
  gatewayId: null,
  siteId: 1,
  hasMains: false,
  raisedAt: fields.id * MIN,
  ...fields,
});
const silent = (fields: Partial<CausedAlarm> & { id: number }) => alarm({ kind: 'no-data', ...fields });
const powerLoss = (fields: Partial<CausedAlarm> & { id: number }) =>
  alarm({ kind: 'low', indicator: 'power', ...fields });

/** Groups in the form `cause source: ids`. */
const shown = (alarms: readonly CausedAlarm[]) =>
  groupByCause(alarms).map(
    ({ cause, sourceId, alarms: ofGroup }) => `${cause} ${sourceId}: ${ofGroup.map(({ id }) => id)}`,
  );
const many = (count: number, fields: Partial<CausedAlarm> = {}) =>
  Array.from({ length: count }, (_, at) => alarm({ id: at + 1, ...fields }));

describe('groups of alarms with a common cause', () => {
  test.each<[string, CausedAlarm[], string[]]>([
    ['no alarms are no groups', [], []],
    ['an alarm alone is a group of its device', [alarm({ id: 1 })], ['device 1: 1']],
    ['a power failure alone is a group of its device', [powerLoss({ id: 1 })], ['device 1: 1']],
    [
      'a power failure explains silence and temperatures of the incident, worst first',
      [alarm({ id: 1 }), silent({ id: 2, gatewayId: 9 }), powerLoss({ id: 3, level: 4 })],
      ['power 1: 3,1,2'],
    ],
    [
      'a power failure explains neither an open door, nor the temperature of a device whose mains are on',
      [
        powerLoss({ id: 1, hasMains: true }),
        alarm({ id: 2, deviceId: 1, hasMains: true }),
        alarm({ id: 3, hasMains: true }),
        alarm({ id: 4, indicator: 'door' }),
        alarm({ id: 5, indicator: 'battery' }),
      ],
      ['power 1: 1,2', 'device 3: 3', 'device 4: 4', 'device 5: 5'],
    ],
    [
      'a power channel that sends nothing is no power failure',
      [silent({ id: 1, indicator: 'power' }), alarm({ id: 2 })],
      ['device 1: 1', 'device 2: 2'],
    ],
    [
      'a lost gateway explains silent devices behind it and its own silence, but not the temperature of another device',
      [
        silent({ id: 1, gatewayId: 9 }),
        silent({ id: 2, gatewayId: 9 }),
        silent({ id: 3, deviceId: 9 }),
        alarm({ id: 4, gatewayId: 9 }),
      ],
      ['gateway 9: 1,2,3', 'device 4: 4'],
    ],
    [
      'one silent device does not make its gateway the cause',
      [silent({ id: 1, gatewayId: 9 })],
      ['device 1: 1'],
    ],
    [
      'several alarms of one device are a group, others are alone',
      [alarm({ id: 1, deviceId: 7 }), alarm({ id: 2, deviceId: 7, level: 3 }), alarm({ id: 3 })],
      ['device 7: 2,1', 'device 3: 3'],
    ],
    ['many alarms of a site are one group', many(SITE_GROUP_MIN), ['site 1: 1,2,3,4,5']],
    ['few alarms of a site are not a group', many(2), ['device 1: 1', 'device 2: 2']],
    [
      'alarms of different sites are never in one group',
      [powerLoss({ id: 1 }), alarm({ id: 2 }), alarm({ id: 3, siteId: 2 })],
      ['power 1: 1,2', 'device 3: 3'],
    ],
    [
      'a power failure does not explain what was raised long after it',
      [powerLoss({ id: 1 }), alarm({ id: 2 }), alarm({ id: 3, raisedAt: 3 * MIN + INCIDENT_GAP_MS })],
      ['power 1: 1,2', 'device 3: 3'],
    ],
    [
      'groups are sorted by level, size, time and id',
      [
        alarm({ id: 4, siteId: 4, level: 1 }),
        alarm({ id: 3, siteId: 3, raisedAt: MIN }),
        alarm({ id: 2, siteId: 2, raisedAt: MIN }),
        alarm({ id: 1, siteId: 5, level: 5 }),
        alarm({ id: 6, deviceId: 7, siteId: 6 }),
        alarm({ id: 7, deviceId: 7, siteId: 6, raisedAt: 6 * MIN }),
        alarm({ id: 8, siteId: 8 }),
      ],
      ['device 1: 1', 'device 7: 6,7', 'device 2: 2', 'device 3: 3', 'device 8: 8', 'device 4: 4'],
    ],
  ])('%s', (_title, alarms, expected) => {
    expect(shown(alarms)).toEqual(expected);
  });

  const anyAlarm = fc.record({
    level: fc.constantFrom(1, 2, 3, 4, 5) as fc.Arbitrary<CausedAlarm['level']>,
    kind: fc.constantFrom('high', 'low', 'no-data') as fc.Arbitrary<CausedAlarm['kind']>,
    indicator: fc.constantFrom('temperature', 'power', 'door') as fc.Arbitrary<CausedAlarm['indicator']>,
    deviceId: fc.integer({ min: 1, max: 6 }),
    gatewayId: fc.option(fc.integer({ min: 1, max: 3 })),
    siteId: fc.integer({ min: 1, max: 2 }),
    hasMains: fc.boolean(),
    raisedAt: fc.integer({ min: 0, max: 90 }).map((minute) => minute * MIN),
  });
  const anyAlarms = fc
    .array(anyAlarm, { maxLength: 40 })
    .map((all) => all.map((each, at) => ({ id: at + 1, ...each })));

  test('each alarm is in exactly one group, whatever their order', () => {
    fc.assert(
      fc.property(anyAlarms, fc.func(fc.integer()), (alarms, chance) => {
        const groups = groupByCause(alarms);
        expect(groups.flatMap((group) => group.alarms.map(({ id }) => id)).sort((a, b) => a - b)).toEqual(
          alarms.map(({ id }) => id),
        );
        for (const group of groups) {
          expect(new Set(group.alarms.map(({ siteId }) => siteId))).toEqual(new Set([group.siteId]));
          expect(group.highestLevel).toBe(Math.max(...group.alarms.map(({ level }) => level)));
          expect(group.firstAt).toBe(Math.min(...group.alarms.map(({ raisedAt }) => raisedAt)));
        }
        const shuffled = [...alarms].sort((a, b) => chance(a.id) - chance(b.id));
        expect(groupByCause(shuffled)).toEqual(groups);
      }),
    );
  });
});

describe('cause of alarms that are sent as one message', () => {
  test.each<[string, [CausedAlarm, ...CausedAlarm[]], string]>([
    ['power failure among them', [alarm({ id: 1 }), powerLoss({ id: 2 })], 'power 1'],
    [
      'power failure and an open door elsewhere',
      [alarm({ id: 1, indicator: 'door' }), powerLoss({ id: 2 })],
      'site 1',
    ],
    ['all of one device', [alarm({ id: 1, deviceId: 7 }), silent({ id: 2, deviceId: 7 })], 'device 7'],
    [
      'silent devices behind one gateway',
      [silent({ id: 1, gatewayId: 9 }), silent({ id: 2, gatewayId: 9 })],
      'gateway 9',
    ],
    [
      'silent devices behind two gateways',
      [silent({ id: 1, gatewayId: 9 }), silent({ id: 2, gatewayId: 8 })],
      'site 1',
    ],
    ['nothing in common', [alarm({ id: 1 }), silent({ id: 2 })], 'site 1'],
  ])('%s', (_title, alarms, expected) => {
    const { cause, sourceId } = groupForMessage(alarms);
    expect(`${cause} ${sourceId}`).toBe(expected);
  });
});

test.each([
  [0, 1, true],
  [MESSAGES_PER_DAY - 1, 4, true],
  [MESSAGES_PER_DAY, 4, false],
  [MESSAGES_PER_DAY + 50, 5, true],
])('after %i messages of a day, one of level %i is sent: %s', (sentToday, level, expected) => {
  expect(isWithinDailyLimit(sentToday, level)).toBe(expected);
});
