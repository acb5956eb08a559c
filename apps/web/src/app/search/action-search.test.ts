import { MENU } from '@isotherm/domain/access/menu';
import { PERMISSIONS } from '@isotherm/domain/access/permissions';
import { CATALOGUES } from '@isotherm/i18n/catalogues';
import { LANGUAGES } from '@isotherm/i18n/languages';
import { describe, expect, it } from 'vitest';
import { searchActions, textsOf } from './action-search.ts';
import { ACTIONS } from './actions.ts';

const searchable = ACTIONS.map((action) => ({
  ...action,
  title: CATALOGUES.en[`search.action.${action.name}`] ?? '',
  ...textsOf(action, CATALOGUES),
}));
const first = (query: string) => searchActions(searchable, query)[0]?.name;

describe('search for actions and settings', () => {
  it.each([
    ['new policy', 'create-policy'],
    ['create policy', 'create-policy'],
    ['new device', 'register-device'],
    ['change password', 'change-password'],
    ['PASSWORD', 'change-password'],
    ['2fa', 'second-factor'],
    ['do not disturb', 'quiet-hours'],
    ['truck', 'create-vehicle'],
    ['修改密码', 'change-password'],
    ['新建策略', 'create-policy'],
    ['變更密碼', 'change-password'],
    ['contraseña', 'change-password'],
    ['contrasena', 'change-password'],
    ['nuevo dispositivo', 'register-device'],
  ])('the query %s has the first hit %s', (query, name) => {
    expect(first(query)).toBe(name);
  });

  it.each(['', ' ', 'zzz', 'fridge 03', 'new zzz'])('the query %j has no hits', (query) => {
    expect(searchActions(searchable, query)).toEqual([]);
  });

  it('each action has texts in four languages, a page of the catalogue and a permission that exists', () => {
    const pages = MENU.flatMap(({ children }) => children);
    expect(new Set(ACTIONS.map(({ name }) => name)).size).toBe(ACTIONS.length);
    for (const action of ACTIONS) {
      const { titles, words } = textsOf(action, CATALOGUES);
      expect([titles.length, words.length], action.name).toEqual([LANGUAGES.length, LANGUAGES.length]);
      const page = pages.find(({ name }) => name === action.page);
      expect(action.path.split('?')[0], action.name).toBe(`/${page?.path}`);
      if (action.permission) expect(PERMISSIONS, action.name).toContain(action.permission);
    }
  });
});
