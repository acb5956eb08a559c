import { create } from 'zustand';
import { readStoredTabs, storeTabs } from '../api/stored-tabs.ts';
import { type Tab, type VisitedPage, withAddress, withPinned, withTitle, withVisited } from './tabs.ts';

interface TabsStore {
  tabs: readonly Tab[];
  /** Number of refreshes by path. A page with another number is created again. */
  generations: Readonly<Record<string, number>>;
  /** Keeps the pinned pages open. `names` are the pages in the menu; tabs of other pages are removed. */
  pin: (pages: readonly VisitedPage[], names: ReadonlySet<string>) => void;
  visit: (page: VisitedPage) => void;
  entitle: (path: string, title: string) => void;
  /** Changes the address of a tab. */
  readdress: (path: string, address: string) => void;
  refresh: (path: string) => void;
  replace: (tabs: readonly Tab[]) => void;
}

function isTab(value: unknown): value is Tab {
  const { path, address, name } = (value ?? {}) as Partial<Tab>;
  return [path, address, name].every((text) => typeof text === 'string') && path?.startsWith('/') === true;
}

/**
 * The open pages (tabs of the console) in this browser tab. They are kept after a reload and end with the
 * session (requirements §4).
 */
export const useTabs = create<TabsStore>((set) => {
  const change = (next: (tabs: readonly Tab[]) => readonly Tab[]) =>
    set(({ tabs }) => {
      const after = next(tabs);
      if (after !== tabs) storeTabs(after);
      return { tabs: after };
    });
  return {
    tabs: readStoredTabs().filter(isTab),
    generations: {},
    pin: (pages, names) =>
      change((tabs) =>
        withPinned(
          tabs.filter(({ name }) => names.has(name)),
          pages,
        ),
      ),
    visit: (page) => change((tabs) => withVisited(tabs, page)),
    entitle: (path, title) => change((tabs) => withTitle(tabs, path, title)),
    readdress: (path, address) => change((tabs) => withAddress(tabs, path, address)),
    refresh: (path) =>
      set(({ generations }) => ({
        generations: { ...generations, [path]: (generations[path] ?? 0) + 1 },
      })),
    replace: (tabs) => change(() => tabs),
  };
});
