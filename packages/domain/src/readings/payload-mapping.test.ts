import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  indicatorOf,
  type MappingEntry,
  type MappingList,
  mapPayload,
  PAYLOAD_PATH,
  unfold,
  unreadValues,
} from './payload-mapping.ts';

const entry = (path: string, channel: string, factor = 1, offset = 0): MappingEntry => ({
  path,
  channel,
  factor,
  offset,
});

test.each<[string, MappingEntry[], Record<string, unknown>, Record<string, number>]>([
  [
    'names that are channels',
    [],
    { 'temperature-2': 4.5, 'door-1': true },
    { 'temperature-2': 4.5, 'door-1': 1 },
  ],
  ['the name of an indicator means the first sensor', [], { humidity: '55.5' }, { 'humidity-1': 55.5 }],
  ['the exact channel name has priority', [], { temperature: 1, 'temperature-1': 2 }, { 'temperature-1': 2 }],
  [
    'the exact channel name has priority in any order',
    [],
    { 'temperature-1': 2, temperature: 1 },
    { 'temperature-1': 2 },
  ],
  ['unknown names are ignored', [], { temp: 4, 'temperature-0': 4, 'temperature-100': 4, 'x-1': 1 }, {}],
  ['an indicator whose name contains a dash', [], { 'carbon-dioxide': 800 }, { 'carbon-dioxide-1': 800 }],
  ['names of inherited object properties are ignored', [], { constructor: 4, toString: 5 }, {}],
  [
    'a path into the payload',
    [entry('probe.1.t', 'temperature-1')],
    { probe: [{ t: 1 }, { t: 2 }] },
    { 'temperature-1': 2 },
  ],
  [
    'names with spaces',
    [entry('Probe 1.Temp °C', 'temperature-1')],
    { 'Probe 1': { 'Temp °C': 4 } },
    { 'temperature-1': 4 },
  ],
  ['a path that does not exist', [entry('a.b', 'temperature-1'), entry('c', 'door-1')], { a: 5 }, {}],
  ['a path into a value that was not sent', [entry('a.length', 'temperature-1')], { a: 'text' }, {}],
  [
    'factor and offset are applied',
    [entry('t', 'temperature-1', 0.1, -40)],
    { t: 443 },
    { 'temperature-1': 4.3 },
  ],
  [
    'the result has no rounding errors of binary fractions',
    [entry('t', 'temperature-1', 0.1)],
    { t: 3 },
    { 'temperature-1': 0.3 },
  ],
  [
    'an entry has priority over the name',
    [entry('t', 'temperature-1')],
    { temperature: 9, t: 4 },
    { 'temperature-1': 4 },
  ],
  [
    'an entry has priority even if its path is missing',
    [entry('t', 'temperature-1')],
    { temperature: 9 },
    {},
  ],
  [
    'values that are not numbers are ignored',
    [],
    { temperature: 'warm', humidity: null, 'door-1': {}, power: Number.NaN, signal: '' },
    {},
  ],
  ['false', [], { power: false }, { 'power-1': 0 }],
  [
    'texts for the states of a switch',
    [entry('magnet', 'door-1')],
    { magnet: 'Closed', power: 'ON' },
    { 'door-1': 0, 'power-1': 1 },
  ],
  ['the texts of a switch are not accepted as a temperature', [entry('t', 'temperature-1')], { t: 'on' }, {}],
  [
    'measurements that the network has normalised',
    [],
    {
      normalized_payload: {
        air: { temperature: 4.5, pressure: 990 },
        battery: 3.6,
        action: { contactState: 'open' },
      },
    },
    { 'temperature-1': 4.5, 'voltage-1': 3.6, 'door-1': 1 },
  ],
  [
    'the device’s own names have priority over normalised ones',
    [entry('BatV', 'voltage-1')],
    { temperature: 4, normalized_payload: { air: { temperature: 4.5 }, battery: 3.6 } },
    { 'temperature-1': 4 },
  ],
])('a payload is read correctly: %s', (_name, entries, values, wanted) => {
  expect(
    Object.fromEntries(mapPayload(entries, values).map(({ channel, value }) => [channel, value])),
  ).toEqual(wanted);
});

test('a channel name contains its indicator', () => {
  expect(indicatorOf('carbon-dioxide-2')).toBe('carbon-dioxide');
});

const deep = (levels: number): object => {
  let value: object = { t: 4 };
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};

test.each<[string, MappingEntry[], object, string[]]>([
  ['a value named after a channel is read', [], { temperature: 4, 'humidity-2': 50 }, []],
  ['unknown names, in their order', [], { t: 4, hum: '50', b: { c: true } }, ['t', 'hum', 'b.c']],
  ['values that are not numbers are not listed', [], { model: 'X', none: null, empty: {}, list: [] }, []],
  [
    'values that an entry reads are not listed',
    [entry('b.c', 'temperature-1')],
    { b: { c: 4, d: 5 } },
    ['b.d'],
  ],
  [
    'a channel name that an entry reads from another path',
    [entry('t', 'temperature-1')],
    { t: 4, temperature: 9 },
    ['temperature'],
  ],
  [
    'normalised measurements without a channel, or with one that an entry reads',
    [entry('BatV', 'voltage-1')],
    { normalized_payload: { air: { temperature: 4, pressure: 990 }, battery: 3.6 } },
    ['normalized_payload.air.pressure', 'normalized_payload.battery'],
  ],
  ['texts for the states of a switch', [], { magnet: 'open', name: 'probe' }, ['magnet']],
  ['positions in a list', [], { probes: [4, { t: 5 }] }, ['probes.0', 'probes.1.t']],
  ['names that cannot be written as a path are not listed', [], { 'a.b': 4, '': 5, ' c': 6 }, []],
  ['values that are nested too deep are not listed', [], deep(50_000), []],
  ['values at the deepest allowed level', [], deep(99), [`${'a.'.repeat(99)}t`]],
])('values that no entry reads are found: %s', (_name, entries, values, wanted) => {
  const unread = unreadValues({ entries, list: null }, values as Record<string, unknown>);
  expect(unread.map(({ path }) => path)).toEqual(wanted);
});

const LIST: MappingList = { path: 'history', timePath: 'at.unix', timeFormat: 'seconds' };

test('a mapping entry that is created for an unread path reads the value at this path', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (json) => {
      const values = json as Record<string, unknown>;
      for (const { path } of unreadValues({ entries: [], list: null }, values)) {
        expect(path).toMatch(PAYLOAD_PATH);
        const entries = [entry(path, 'door-9')];
        expect(mapPayload(entries, values).map(({ channel }) => channel)).toContain('door-9');
        expect(unreadValues({ entries, list: null }, values).map((each) => each.path)).not.toContain(path);
      }
    }),
  );
});

test.each<[string, MappingList, unknown, number]>([
  ['seconds', LIST, 1_795_140_000, 1_795_140_000_000],
  ['fractions of a second', LIST, '1795140000.25', 1_795_140_000_250],
  ['milliseconds', { ...LIST, timeFormat: 'milliseconds' }, 1_795_140_000_000, 1_795_140_000_000],
  ['ISO 8601', { ...LIST, timeFormat: 'iso' }, '2026-11-20T10:00:00+08:00', 1_795_140_000_000],
  ['ISO 8601 without an offset', { ...LIST, timeFormat: 'iso' }, '2026-11-20T10:00:00', Number.NaN],
  ['a number instead of ISO 8601', { ...LIST, timeFormat: 'iso' }, 5, Number.NaN],
  ['text instead of seconds', LIST, 'yesterday', Number.NaN],
  ['true instead of seconds', LIST, true, Number.NaN],
  ['a missing time', LIST, undefined, Number.NaN],
])('an element of a list has its own time: %s', (_name, list, unix, wanted) => {
  const element = { temperature: 4, at: { unix } };
  const values = { temperature: 5, history: [element, 'no element'] };
  expect(unfold(list, { at: 1, values })).toEqual([
    { at: 1, values },
    { at: wanted, values: element },
  ]);
});

test.each([
  ['no list in the mapping', null, { history: [{}] }],
  ['no list in the payload', LIST, {}],
  ['no list at its path', LIST, { history: { temperature: 4 } }],
])('a payload is unchanged with %s', (_name, list, values) => {
  expect(unfold(list, { at: 1, values })).toEqual([{ at: 1, values }]);
});

test('unread names in a list are relative to its elements, and listed once with the last value', () => {
  const values = { history: [1, 2].map((x) => ({ at: { unix: x }, temperature: 4, co: x })), pressure: 990 };
  expect(unreadValues({ entries: [], list: LIST }, values)).toEqual([
    { path: 'pressure', value: 990 },
    { path: 'co', value: 2 },
  ]);
});

test('a value is listed as unread if the device does not have a channel of that name', () => {
  const values = { temperature: 4, humidity: 50 };
  const unread = unreadValues(
    { entries: [], list: null },
    values,
    Number.POSITIVE_INFINITY,
    (channel) => channel === 'temperature-1',
  );
  expect(unread).toEqual([{ path: 'humidity', value: 50 }]);
});

test('a number with too many digits is ignored', () => {
  const values = { temperature: '9'.repeat(400), humidity: '50' };
  expect(mapPayload([], values)).toEqual([{ channel: 'humidity-1', value: 50 }]);
  expect(unreadValues({ entries: [], list: null }, { co: '9'.repeat(400) })).toEqual([]);
});

test('of a million names, only a limited number is visited', () => {
  const mapping = { entries: [], list: null };
  const numbers = Array.from({ length: 1_000_000 }, (_, index) => index);
  expect(unreadValues(mapping, { a: numbers }, 2).map(({ path }) => path)).toEqual(['a.0', 'a.1']);
  expect(unreadValues(mapping, { a: numbers.map(() => 'text'), b: 1 })).toEqual([]);
});
