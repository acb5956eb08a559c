import { describe, expect, it } from 'vitest';
import { matchScore, type SearchablePage, searchPages, withRecent } from './menu-search.ts';

const page = (name: string, title: string, titles: string[], groups: string[] = []): SearchablePage => ({
  name,
  path: `/${name}`,
  title,
  groups,
  titles: [title, ...titles],
});
const PAGES = [
  page('alarm-current', 'Current alarms', ['Alarmas actuales', '当前报警', '目前警報'], ['Alarms']),
  page('management-users', 'Users', ['Usuarios', '用户', '使用者'], ['Management']),
  page('management-organizations', 'Organisations', ['Organización', '组织', '組織'], ['Management']),
];

describe('fuzzy search for menu pages by titles in four languages', () => {
  it.each([
    ['users', 'management-users'],
    ['USU', 'management-users'],
    ['用户', 'management-users'],
    ['警報', 'alarm-current'],
    ['organizacion', 'management-organizations'],
    ['crnt', 'alarm-current'],
    ['orgs', 'management-organizations'],
  ])('the query %s has the first hit %s', (query, name) => {
    expect(searchPages(PAGES, query)[0]?.page.name).toBe(name);
  });

  it('a search for the title of a group finds the pages of the group', () => {
    expect(searchPages(PAGES, 'management').map(({ page: { name } }) => name)).toEqual([
      'management-organizations',
      'management-users',
    ]);
  });

  it.each(['', '  ', 'zzz', 'crt'])('the query %j has no hits', (query) => {
    expect(searchPages(PAGES, query)).toEqual([]);
  });

  it('a match at the start of the title ranks before the start of a word, then a substring, then scattered letters', () => {
    const scores = ['alarms', 'current alarms', 'xalarms', 'a l a r m s'].map((text) =>
      matchScore('alarm', text),
    );
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(new Set(scores).size).toBe(scores.length);
  });

  it('recently opened pages come first, and each one appears once', () => {
    expect(withRecent(['a', 'b', 'c'], 'b')).toEqual(['b', 'a', 'c']);
    expect(withRecent(['a', 'b', 'c'], 'd', 3)).toEqual(['d', 'a', 'b']);
  });
});
