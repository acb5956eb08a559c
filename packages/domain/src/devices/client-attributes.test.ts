import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attributeChanges,
  chosenAttributes,
  MAX_ATTRIBUTE_KEY,
  MAX_ATTRIBUTE_VALUE,
  MAX_ATTRIBUTES,
  mergeAttributes,
} from './client-attributes.ts';

const kept = (values: Record<string, unknown>) =>
  new Map(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));

describe('merging the attributes of a device', () => {
  test.each<[name: string, before: object, values: object, after: object, dropped: number]>([
    ['values are added and changed', { a: 1, b: 2 }, { b: 3, c: 'x' }, { a: 1, b: 3, c: 'x' }, 0],
    ['null removes a value', { a: 1, b: 2 }, { a: null, z: null }, { b: 2 }, 0],
    ['objects are valid values', {}, { a: { b: [1, null] } }, { a: { b: [1, null] } }, 0],
    [
      'a value that is too long is dropped',
      { a: 1 },
      { a: 'x'.repeat(MAX_ATTRIBUTE_VALUE), b: 2 },
      { a: 1, b: 2 },
      1,
    ],
    ['a name that is too long is dropped', {}, { ['k'.repeat(MAX_ATTRIBUTE_KEY + 1)]: 1, b: 2 }, { b: 2 }, 1],
  ])('the attributes are merged correctly: %s', (_name, before, values, after, dropped) => {
    expect(
      mergeAttributes(kept(before as Record<string, unknown>), values as Record<string, unknown>),
    ).toEqual({
      attributes: kept(after as Record<string, unknown>),
      dropped,
    });
  });

  test('if all values are the same, the same object is returned', () => {
    const before = kept({ a: 1 });
    expect(mergeAttributes(before, { a: 1 }).attributes).toBe(before);
  });

  test('known attributes can still change when the maximum number is reached', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, at]));
    const { attributes, dropped } = mergeAttributes(new Map(), many);
    expect([attributes.size, dropped]).toEqual([MAX_ATTRIBUTES, 10_000 - MAX_ATTRIBUTES]);
    expect(mergeAttributes(attributes, { k0: 'new', other: 1 })).toMatchObject({ dropped: 1 });
    expect(mergeAttributes(attributes, { k0: 'new' }).attributes.get('k0')).toBe('"new"');
  });

  test('the number of attributes is limited, whatever the device sends', () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (messages) => {
        let attributes: ReadonlyMap<string, string> = new Map();
        for (const values of messages) ({ attributes } = mergeAttributes(attributes, values));
        expect(attributes.size).toBeLessThanOrEqual(MAX_ATTRIBUTES);
        for (const text of attributes.values()) expect(text.length).toBeLessThanOrEqual(MAX_ATTRIBUTE_VALUE);
      }),
    );
  });
});

test('a response contains the attributes that were requested', () => {
  const attributes = kept({ a: 1, ['__proto__']: { x: 1 } });
  expect(chosenAttributes(attributes, new Set(['a', 'b']))).toEqual({ a: 1 });
  expect(JSON.stringify(chosenAttributes(attributes, 'all'))).toContain('__proto__');
});

test.each([
  ['nothing', { a: 1 }, { a: 1 }, null],
  ['a changed and a new value', { a: 1 }, { a: 2, b: 3 }, { a: 2, b: 3 }],
  ['a deleted value', { a: 1, b: 2 }, { b: 2 }, { deleted: ['a'] }],
])('the changes of attributes are found: %s', (_name, before, after, changes) => {
  expect(attributeChanges(kept(before), kept(after))).toEqual(changes);
});
