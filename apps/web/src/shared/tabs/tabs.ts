/** A page that was visited, by its path (requirements §2); what stands behind the `?` is the page's own state. */
export interface Tab {
  path: string;
  /** The whole address it was left with, so that going back shows what was there. */
  address: string;
  /** Route name. */
  name: string;
  /** The thing's own name where the page is about one thing; null: the page's title in the menu. */
  title: string | null;
  /** Pinned: survives close-others and close-all. */
  affix: boolean;
  /** Not kept alive: made anew each time it is opened. */
  noCache: boolean;
}

export type VisitedPage = Pick<Tab, 'path' | 'address' | 'name' | 'affix' | 'noCache'>;

/** A bar of more tabs than this helps nobody: the one visited longest ago gives way. */
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

/** Pinned pages stand first, in the menu's order, whether visited or not. */
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

/** A pinned tab cannot be closed. */
export function withClosed(tabs: readonly Tab[], path: string): readonly Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path !== path);
}

export function withOthersClosed(tabs: readonly Tab[], path: string): readonly Tab[] {
  return tabs.filter((tab) => tab.affix || tab.path === path);
}

export function withAllClosed(tabs: readonly Tab[]): readonly Tab[] {
  return tabs.filter((tab) => tab.affix);
}

/** Where to go when the open page was closed: the neighbour on its right, else on its left, else nowhere. */
export function nextAfterClosing(before: readonly Tab[], after: readonly Tab[], open: string): string | null {
  if (after.some(({ path }) => path === open)) return null;
  const place = before.findIndex(({ path }) => path === open);
  const left = new Set(after.map(({ path }) => path));
  const right = before.slice(place + 1).find(({ path }) => left.has(path));
  const neighbour = right ?? before.slice(0, Math.max(place, 0)).findLast(({ path }) => left.has(path));
  return neighbour?.address ?? '/';
}
