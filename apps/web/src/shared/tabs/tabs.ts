/**
 * Tab of a visited page. Its path identifies it (requirements §2); the query string is the page's own state.
 */
export interface Tab {
  path: string;
  /** The full address at which the page was left, to return to it. */
  address: string;
  /** Route name of the page. */
  name: string;
  /** Name of the record that the page shows; null to use the page's title in the menu. */
  title: string | null;
  /** True for a pinned tab, which "close others" and "close all" keep open. */
  affix: boolean;
  /** True for a page that is not kept alive but created each time it is opened. */
  noCache: boolean;
}

export type VisitedPage = Pick<Tab, 'path' | 'address' | 'name' | 'affix' | 'noCache'>;

/** Largest number of tabs. With more tabs, the least recently visited one is closed. */
const AT_MOST = 30;

export function withVisited(tabs: readonly Tab[], page: VisitedPage): readonly Tab[] {
  const known = tabs.find(({ path }) => path === page.path);
  if (!known) return trimmed([...tabs, { ...page, title: null }], page.path);
  if (known.address === page.address && known.affix === page.affix && known.noCache === page.noCache)
    return tabs;
  return tabs.map((tab) => (tab === known ? { ...tab, ...page } : tab));
}

function trimmed(tabs: readonly Tab[], keep: string): readonly Tab[] {
  if (tabs.length <= AT_MOST) return tabs;
  const gives = tabs.find((tab) => !tab.affix && tab.path !== keep);
  return tabs.filter((tab) => tab !== gives);
}

/** Returns the tabs with the pinned pages first, in the order of the menu, even if they were not visited. */
export function withPinned(tabs: readonly Tab[], pinned: readonly VisitedPage[]): readonly Tab[] {
  const known = new Map(tabs.map((tab) => [tab.path, tab]));
  const first = pinned.map((page) => {
    const { title = null, address = page.address } = known.get(page.path) ?? {};
    return { ...page, title, address };
  });
  const paths = new Set(first.map(({ path }) => path));
  return [...first, ...tabs.filter((tab) => !paths.has(tab.path)).map((tab) => ({ ...tab, affix: false }))];
}

export function withTitle(tabs: readonly Tab[], path: string, title: string): readonly Tab[] {
  const known = tabs.find((tab) => tab.path === path);
  if (!known || known.title === title) return tabs;
  return tabs.map((tab) => (tab === known ? { ...tab, title } : tab));
}

export function withAddress(tabs: readonly Tab[], path: string, address: string): readonly Tab[] {
  return tabs.map((tab) => (tab.path === path ? { ...tab, address } : tab));
}

/** Returns the tabs without the one at the path; a pinned tab cannot be closed. */
export function withClosed(tabs: readonly Tab[], path: string): readonly Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path !== path);
}

export function withOthersClosed(tabs: readonly Tab[], path: string): readonly Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path === path);
}

export function withAllClosed(tabs: readonly Tab[]): readonly Tab[] {
  return tabs.filter((tab) => tab.affix);
}

/** Returns the page to open after the open one was closed: the right neighbour, otherwise the left one. */
export function nextAfterClosing(before: readonly Tab[], after: readonly Tab[], open: string): string | null {
  if (after.some(({ path }) => path === open)) return null;
  const place = before.findIndex(({ path }) => path === open);
  const left = new Set(after.map(({ path }) => path));
  const right = before.slice(place + 1).find(({ path }) => left.has(path));
  const neighbour = right ?? before.slice(0, Math.max(place, 0)).findLast(({ path }) => left.has(path));
  return neighbour?.address ?? '/';
}
