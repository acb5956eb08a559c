import { MENU, type MenuPage } from '@isotherm/domain/access/menu';
import { expect, it } from 'vitest';
import { CATALOGUES } from './catalogues.ts';
import { LANGUAGES } from './languages.ts';

const namesIn = (pages: readonly MenuPage[]): string[] =>
  pages.flatMap(({ name, children }) => [name, ...namesIn(children)]);

it.each(LANGUAGES)('the titles in %s are those of the pages and groups in the catalogue', (language) => {
  const titled = Object.keys(CATALOGUES[language]).filter((id) => id.startsWith('menu.'));
  expect(titled.sort()).toEqual(
    namesIn(MENU)
      .map((name) => `menu.${name}`)
      .sort(),
  );
});
