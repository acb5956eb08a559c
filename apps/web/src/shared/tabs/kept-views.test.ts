import { describe, expect, it } from 'vitest';
import { KEEPS_AT_MOST, type View, withShown } from './kept-views.ts';

const all = () => true;
const show = (views: readonly View<string>[], path: string, generation = 0, stays = all as typeof stay) =>
  withShown(views, { path, generation, content: `${path}!` }, stays);
const stay = (_path: string, _generation: number): boolean => true;
const paths = (views: readonly View<string>[]) => views.map(({ path }) => path);

describe('the cache of pages by full path (requirements §2)', () => {
  it('a page that is shown again keeps its position in the document', () => {
    const views = show(show(show([], '/a'), '/b'), '/a');
    expect(paths(views)).toEqual(['/a', '/b']);
    expect(views[0]?.shownAt).toBe(3);
  });

  it('a refreshed page is created again, and the previous one is dropped', () => {
    const views = show(show([], '/a'), '/a', 1, (_path, generation) => generation === 1);
    expect(views).toMatchObject([{ path: '/a', generation: 1 }]);
  });

  it('a closed page or a page with noCache is dropped once it is hidden', () => {
    const views = show(show([], '/a'), '/b', 0, (path) => path !== '/a');
    expect(paths(views)).toEqual(['/b']);
  });

  it('at most ten pages are kept, and the least recently shown one is dropped', () => {
    let views: readonly View<string>[] = [];
    for (let n = 0; n < KEEPS_AT_MOST + 1; n++) views = show(views, `/${n}`);
    views = show(views, '/0');
    views = show(views, '/new');
    expect(views).toHaveLength(KEEPS_AT_MOST + 1);
    expect(paths(views)).toContain('/0');
    expect(paths(views)).not.toContain('/1');
  });
});
