import { describe, expect, test } from 'vitest';
import { createCache } from './cache.ts';
import { createInvalidations } from './invalidations.ts';

interface Value {
  text: string;
}

/** Creates a cache over `source`, whose loads can be delayed. */
function cacheOver(source: Map<string, Value>, max = 100, connected = true) {
  const invalidations = createInvalidations(connected);
  const loads: string[][] = [];
  let hold: Promise<void> = Promise.resolve();
  const cache = createCache<string, Value, void>({
    invalidations,
    topic: 'device',
    keyOf: (text) => text,
    max,
    async load(keys) {
      loads.push([...keys]);
      const read = new Map(keys.flatMap((key) => (source.has(key) ? [[key, source.get(key) as Value]] : [])));
      await hold;
      return read;
    },
  });
  return {
    cache,
    invalidations,
    loads,
    holdLoads() {
      let release = () => {};
      hold = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

describe('cache with invalidation', () => {
  test('the cache loads a value once, and then returns it synchronously', async () => {
    const { cache, loads } = cacheOver(new Map([['a', { text: '1' }]]));
    expect(await cache.get('a')).toEqual({ text: '1' });
    expect(cache.get('a')).toEqual({ text: '1' });
    expect(loads).toEqual([['a']]);
  });

  test('the cache remembers that a key has no value', async () => {
    const { cache, loads } = cacheOver(new Map());
    expect(await cache.get('a')).toBeNull();
    expect(cache.get('a')).toBeNull();
    expect(await cache.many(['a'])).toEqual(new Map());
    expect(loads).toEqual([['a']]);
  });

  test('when many keys are requested, all that are not cached are loaded in one call', async () => {
    const source = new Map([
      ['a', { text: '1' }],
      ['b', { text: '2' }],
    ]);
    const { cache, loads } = cacheOver(source);
    await cache.get('a');
    expect(await cache.many(['a', 'b', 'c'])).toEqual(source);
    expect(loads).toEqual([['a'], ['b', 'c']]);
  });

  test('callers that request the same missing key share one load', async () => {
    const { cache, loads, holdLoads } = cacheOver(new Map([['a', { text: '1' }]]));
    const release = holdLoads();
    const single = [cache.get('a'), cache.get('a')];
    await expect.poll(() => loads.length).toBe(1);
    const all = Promise.all([...single, cache.many(['a'])]);
    release();
    expect(await all).toEqual([{ text: '1' }, { text: '1' }, new Map([['a', { text: '1' }]])]);
    expect(loads).toEqual([['a']]);
  });

  test('requests for single keys that are not cached are combined into one load if they arrive at the same time or during a load', async () => {
    const source = new Map(Array.from({ length: 200 }, (_, i) => [`v${i}`, { text: `${i}` }]));
    const { cache, loads, holdLoads } = cacheOver(source);
    const keys = [...source.keys()];
    const release = holdLoads();
    const first = keys.slice(0, 10).map((key) => cache.get(key));
    await expect.poll(() => loads.length).toBe(1);
    const second = keys.slice(10, 20).map((key) => cache.get(key));
    await expect.poll(() => loads.length).toBe(2);
    const third = keys.slice(20).map((key) => cache.get(key));
    await new Promise((next) => setImmediate(next));
    expect(loads).toHaveLength(2);
    release();
    expect(await Promise.all([...first, ...second, ...third])).toEqual([...source.values()]);
    expect(loads).toEqual([keys.slice(0, 10), keys.slice(10, 20), keys.slice(20)]);
  });

  test('an invalidated key is loaded again, and other keys are not', async () => {
    const source = new Map([
      ['a', { text: '1' }],
      ['b', { text: '2' }],
    ]);
    const { cache, invalidations } = cacheOver(source);
    await cache.many(['a', 'b', 'c']);
    source.set('a', { text: '3' });
    source.set('b', { text: '4' });
    source.set('c', { text: '5' });
    invalidations.receive('device a c');
    expect(await cache.get('a')).toEqual({ text: '3' });
    expect(cache.get('b')).toEqual({ text: '2' });
    expect(await cache.get('c')).toEqual({ text: '5' });
  });

  test('a value that was read before an invalidation is not kept', async () => {
    const source = new Map([['a', { text: 'old' }]]);
    const { cache, invalidations, loads, holdLoads } = cacheOver(source);
    const release = holdLoads();
    const early = cache.get('a');
    await expect.poll(() => loads.length).toBe(1);
    source.set('a', { text: 'new' });
    invalidations.receive('device a');
    const late = cache.get('a');
    release();
    expect(await early).toEqual({ text: 'old' });
    expect(await late).toEqual({ text: 'new' });
    expect(cache.get('a')).toEqual({ text: 'new' });
  });

  test.each([
    ['the notification names no key', (i: ReturnType<typeof createInvalidations>) => i.receive('device')],
    ['the connection was interrupted', (i: ReturnType<typeof createInvalidations>) => i.setConnected(true)],
    [
      'the process itself invalidates it',
      (i: ReturnType<typeof createInvalidations>) => i.invalidate('device', null),
    ],
  ])('the cache is emptied when %s', async (_, empty) => {
    const source = new Map([['a', { text: 'old' }]]);
    const { cache, invalidations } = cacheOver(source);
    await cache.many(['a', 'b']);
    source.set('a', { text: 'new' });
    source.set('b', { text: 'new' });
    empty(invalidations);
    expect((await cache.many(['a', 'b'])).size).toBe(2);
    expect(await cache.get('a')).toEqual({ text: 'new' });
  });

  test('the cache keeps nothing while notifications may be lost', async () => {
    const { cache, loads, invalidations } = cacheOver(new Map([['a', { text: '1' }]]), 100, false);
    await cache.get('a');
    await cache.get('a');
    expect(loads).toHaveLength(2);
    invalidations.setConnected(true);
    await cache.get('a');
    await cache.get('a');
    expect(loads).toHaveLength(3);
  });

  test('failed loads are not cached', async () => {
    let fails = true;
    const cache = createCache<string, Value, void>({
      invalidations: createInvalidations(true),
      topic: 'rules',
      max: 10,
      async load(keys) {
        if (fails) throw new Error('database away');
        return new Map(keys.map((key) => [key, { text: key }]));
      },
    });
    await expect(cache.get('a')).rejects.toThrow('database away');
    await expect(cache.many(['a'])).rejects.toThrow('database away');
    fails = false;
    expect(await cache.get('a')).toEqual({ text: 'a' });
  });

  test('the cache is bounded, and many keys without a value evict no values', async () => {
    const source = new Map(Array.from({ length: 30 }, (_, i) => [`v${i}`, { text: `${i}` }]));
    const { cache, loads } = cacheOver(source, 20);
    await cache.many(source.keys());
    await cache.many(Array.from({ length: 1_000 }, (_, i) => `none${i}`));
    loads.length = 0;
    await cache.many(Array.from({ length: 20 }, (_, i) => `v${i + 10}`));
    expect(loads).toEqual([]);
    await cache.get('v0');
    expect(loads).toEqual([['v0']]);
  });
});
