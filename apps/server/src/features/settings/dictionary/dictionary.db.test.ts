import type { Dictionary } from '@isotherm/contracts/dictionary';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let keeper: Session;
let ask: Asking['ask'];
let refusal: Asking['refusal'];
let audited: Asking['audited'];

beforeAll(async () => {
  server = await startTestServer();
  ({ ask, refusal, audited } = asking(server, await server.logIn('demo.platform')));
  keeper = await server.logIn('demo.keeper');
});
afterAll(() => server.stop());

describe('data dictionary', () => {
  const list = () => ask<Dictionary[]>({ path: '/api/dictionary' });
  const options = async (code: string, language: string) =>
    (
      await server.call<{ value: string; label: string }[]>({
        path: `/api/dictionary/${code}/options`,
        session: keeper,
        headers: { 'x-language': language },
      })
    ).data;

  it('the data dictionary contains the built-in choices in four languages', async () => {
    for (const { titles, items } of await list())
      for (const named of [{ titles }, ...items])
        expect(Object.keys(named.titles).sort()).toEqual(['en', 'es', 'zh-CN', 'zh-TW']);
  });

  it.each([
    ['en', 'Left the organisation'],
    ['es', 'Ya no trabaja en la organización'],
    ['zh-CN', '已离职'],
    ['zh-TW', '已離職'],
  ])('choices are shown in the caller’s language: %s', async (language, label) => {
    expect((await options('disable-reason', language))[0]).toEqual({ value: 'left', label });
  });

  it('a dictionary is created, changed item by item, and deleted', async () => {
    const made = await ask<Dictionary>({
      method: 'POST',
      path: '/api/dictionary',
      json: { code: 'colours', titles: { en: 'Colours' } },
    });
    const edit = (items: object[]) =>
      ask<Dictionary>({
        method: 'PUT',
        path: `/api/dictionary/${made.id}`,
        json: { titles: { en: 'Colours' }, items },
      });
    await edit([
      { value: 'red', titles: { en: 'Red' } },
      { value: 'green', titles: { en: 'Green' } },
    ]);
    const { items } = await edit([
      { value: 'blue', titles: { en: 'Blue', es: 'Azul' } },
      { value: 'red', titles: { en: 'Crimson' }, enabled: false },
    ]);
    expect(items.map((item) => [item.value, item.position, item.enabled])).toEqual([
      ['blue', 0, true],
      ['red', 1, false],
    ]);
    expect(await options('colours', 'es')).toEqual([{ value: 'blue', label: 'Azul' }]);
    expect(await options('colours', 'zh-TW')).toEqual([{ value: 'blue', label: 'Blue' }]);
    expect(
      await refusal({ method: 'POST', path: '/api/dictionary', json: { code: 'colours', titles: {} } }),
    ).toBe('dictionary.code_taken');
    await ask({ method: 'DELETE', path: `/api/dictionary/${made.id}` });
    expect((await audited('dictionary', made.id)).map((entry) => entry.action)).toEqual([
      'create',
      'change',
      'change',
      'delete',
    ]);
    expect(await refusal({ path: '/api/dictionary/colours/options' })).toBe('dictionary.not_found');
  });

  it('built-in items are disabled instead of deleted', async () => {
    const reasons = (await list()).find((each) => each.code === 'disable-reason') as Dictionary;
    const path = `/api/dictionary/${reasons.id}`;
    expect(await refusal({ method: 'DELETE', path })).toBe('dictionary.system');
    const kept = reasons.items.slice(1).map(({ value, titles, enabled }) => ({ value, titles, enabled }));
    const after = await ask<Dictionary>({
      method: 'PUT',
      path,
      json: { titles: reasons.titles, items: kept },
    });
    expect(after.items.find((item) => item.value === 'left')).toMatchObject({ enabled: false, system: true });
    expect((await options('disable-reason', 'en')).map((option) => option.value)).not.toContain('left');
  });

  it('two items with the same value are refused', async () => {
    const { id, titles } = (await list())[0] as Dictionary;
    const item = { value: 'twice', titles: {} };
    expect(
      await refusal({ method: 'PUT', path: `/api/dictionary/${id}`, json: { titles, items: [item, item] } }),
    ).toBe('request.invalid');
  });
});
