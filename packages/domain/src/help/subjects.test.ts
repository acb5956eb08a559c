import { expect, it } from 'vitest';
import { PAGES } from '../access/pages.ts';
import { HELP_SUBJECTS, subjectOf } from './subjects.ts';

it('every page of the catalogue belongs to exactly one subject of the help', () => {
  const pages = PAGES.flatMap((group) => group.pages.map(({ name }): string => name));
  expect(Object.values(HELP_SUBJECTS).flat().sort()).toEqual(pages.sort());
});

it('the subject of a page is found by its name, and an external link has none', () => {
  expect(subjectOf('alarm-current')).toBe('alarms');
  expect(subjectOf('handbook')).toBeNull();
});
