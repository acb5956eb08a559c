import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indicatorOf, type MappingEntry, mapPayload, PAYLOAD_PATH, unreadPaths } from './payload-mapping.ts';

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
  ['an indicator is the first sensor’s', [], { humidity: '55.5' }, { 'humidity-1': 55.5 }],
  [
    'the exact name stands, whichever comes first',
    [],
    { temperature: 1, 'temperature-1': 2 },
    { 'temperature-1': 2 },
  ],
  ['also the other way round', [], { 'temperature-1': 2, temperature: 1 }, { 'temperature-1': 2 }],
  ['names that are none', [], { temp: 4, 'temperature-0': 4, 'temperature-100': 4, 'x-1': 1 }, {}],
  ['an indicator with a dash', [], { 'carbon-dioxide': 800 }, { 'carbon-dioxide-1': 800 }],
  ['names of an object’s own kind', [], { constructor: 4, toString: 5 }, {}],
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
  ['a path that leads nowhere', [entry('a.b', 'temperature-1'), entry('c', 'door-1')], { a: 5 }, {}],
  ['a path into what was never sent', [entry('a.length', 'temperature-1')], { a: 'text' }, {}],
  ['factor and offset', [entry('t', 'temperature-1', 0.1, -40)], { t: 443 }, { 'temperature-1': 4.3 }],
  [
    'without the noise of binary fractions',
    [entry('t', 'temperature-1', 0.1)],
    { t: 3 },
    { 'temperature-1': 0.3 },
  ],
  [
    'an entry is taken before the name',
    [entry('t', 'temperature-1')],
    { temperature: 9, t: 4 },
    { 'temperature-1': 4 },
  ],
  ['even when its path is missing', [entry('t', 'temperature-1')], { temperature: 9 }, {}],
  [
    'what is no number',
    [],
    { temperature: 'warm', humidity: null, 'door-1': {}, power: Number.NaN, signal: '' },
    {},
  ],
  ['false', [], { power: false }, { 'power-1': 0 }],
])('%s', (_name, entries, values, wanted) => {
  expect(
    Object.fromEntries(mapPayload(entries, values).map(({ channel, value }) => [channel, value])),
  ).toEqual(wanted);
});

test('a channel is named by its indicator', () => {
  expect(indicatorOf('carbon-dioxide-2')).toBe('carbon-dioxide');
});

const deep = (levels: number): object => {
  let value: object = { t: 4 };
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};

test.each<[string, MappingEntry[], object, string[]]>([
  ['what is named after a channel is read', [], { temperature: 4, 'humidity-2': 50 }, []],
  ['names that are none, in their order', [], { t: 4, hum: '50', b: { c: true } }, ['t', 'hum', 'b.c']],
  ['what is no number could not be read', [], { model: 'X', none: null, empty: {}, list: [] }, []],
  ['what an entry reads', [entry('b.c', 'temperature-1')], { b: { c: 4, d: 5 } }, ['b.d']],
  [
    'a name whose channel is read from elsewhere',
    [entry('t', 'temperature-1')],
    { t: 4, temperature: 9 },
    ['temperature'],
  ],
  ['places in a list', [], { probes: [4, { t: 5 }] }, ['probes.0', 'probes.1.t']],
  ['names that no path can say', [], { 'a.b': 4, '': 5, ' c': 6 }, []],
  ['what lies too deep for a path', [], deep(50_000), []],
  ['what lies just above', [], deep(99), [`${'a.'.repeat(99)}t`]],
])('unread: %s', (_name, entries, values, wanted) => {
  expect(unreadPaths(entries, values as Record<string, unknown>)).toEqual(wanted);
});

test('an entry for an unread path reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (json) => {
      const values = json as Record<string, unknown>;
      for (const path of unreadPaths([], values)) {
        expect(path).toMatch(PAYLOAD_PATH);
        const entries = [entry(path, 'amplitude-9')];
        expect(mapPayload(entries, values).map(({ channel }) => channel)).toContain('amplitude-9');
        expect(unreadPaths(entries, values)).not.toContain(path);
      }
    }),
  );
});
