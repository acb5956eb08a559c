import { describe, expect, it } from 'vitest';
import {
  nextAfterClosing,
  type Tab,
  withAllClosed,
  withClosed,
  withOthersClosed,
  withPinned,
  withTitle,
  withVisited,
} from './tabs.ts';

function tab(path: string, changes: Partial<Tab> = {}): Tab {
  return {
    path,
    address: path,
    name: path.slice(1),
    title: null,
    affix: false,
    noCache: false,
    ...changes,
  };
}
const paths = (tabs: readonly Tab[]) => tabs.map(({ path }) => path);
const home = tab('/dashboard', { affix: true });
const bar = [home, tab('/a'), tab('/b'), tab('/c')];

describe('the tabs of visited pages by path (requirements §2)', () => {
  it('visiting a page again keeps its tab and stores the latest address', () => {
    const again = withVisited(bar, { ...tab('/b'), address: '/b?page=2' });
    expect(paths(again)).toEqual(paths(bar));
    expect(again[2]?.address).toBe('/b?page=2');
  });

  it('a page at another path gets a new tab at the end', () => {
    expect(paths(withVisited(bar, tab('/d')))).toEqual(['/dashboard', '/a', '/b', '/c', '/d']);
  });

  it('the state object stays the same if nothing changed', () => {
    expect(withVisited(bar, tab('/a'))).toBe(bar);
    expect(withTitle(withTitle(bar, '/a', 'Fridge'), '/a', 'Fridge')[1]?.title).toBe('Fridge');
    expect(withTitle(bar, '/none', 'x')).toBe(bar);
  });

  it('the number of tabs is limited, and pinned tabs and the open page stay', () => {
    let tabs: readonly Tab[] = [home];
    for (let n = 0; n < 40; n++) tabs = withVisited(tabs, tab(`/${n}`));
    expect(tabs).toHaveLength(30);
    expect(tabs[0]).toBe(home);
    expect(tabs.at(-1)?.path).toBe('/39');
  });

  it.each([
    ['close', withClosed(bar, '/b'), ['/dashboard', '/a', '/c']],
    ['closing a pinned tab', withClosed(bar, '/dashboard'), ['/dashboard', '/a', '/b', '/c']],
    ['closing other tabs', withOthersClosed(bar, '/b'), ['/dashboard', '/b']],
    ['closing all tabs', withAllClosed(bar), ['/dashboard']],
  ])('pinned (affix) tabs stay open: %s', (_, after, left) => {
    expect(paths(after)).toEqual(left);
  });

  it('pinned pages come first even if they were not visited, and keep their address', () => {
    const visited = [tab('/a'), tab('/monitor', { address: '/monitor?q=x', title: 'M' })];
    const pinned = [tab('/dashboard', { affix: true }), tab('/monitor', { affix: true })];
    const all = withPinned(visited, pinned);
    expect(paths(all)).toEqual(['/dashboard', '/monitor', '/a']);
    expect(all[1]).toMatchObject({ address: '/monitor?q=x', title: 'M', affix: true });
    expect(withPinned(all, []).every((each) => !each.affix)).toBe(true);
  });

  it.each([
    ['a page whose tab stays', '/a', withClosed(bar, '/b'), null],
    ['its right neighbour', '/b', withClosed(bar, '/b'), '/c'],
    ['its left neighbour at the end', '/c', withClosed(bar, '/c'), '/b'],
    ['a pinned page', '/b', withAllClosed(bar), '/dashboard'],
    ['the first page if no tab is left', '/b', [], '/'],
  ])('after a tab was closed, the open page is %s', (_, open, after, wanted) => {
    expect(nextAfterClosing(bar, after, open)).toBe(wanted);
  });
});
