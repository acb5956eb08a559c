import { MENU } from '@isotherm/domain/access/menu';
import { expect, it } from 'vitest';
import { pageOf } from './pages.tsx';

const files = Object.keys(import.meta.glob('../{app,features}/**/*.page.tsx')).map((path) =>
  path.slice(path.lastIndexOf('/') + 1, -'.page.tsx'.length),
);
const components = MENU.flatMap(({ children }) => children).map(({ component }) => component);

it('every page of the catalogue has exactly one file', () => {
  expect(files.sort()).toEqual(components.map((component) => component.slice(1).replaceAll('/', '-')).sort());
});

it('every component name of the menu has a page, and an unknown name has none', () => {
  for (const component of components) expect(pageOf(component), component).not.toBeNull();
  expect(pageOf('/asset/submarines')).toBeNull();
});
