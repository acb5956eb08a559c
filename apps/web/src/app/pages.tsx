import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react';
import { PageSkeleton } from '../shared/ui/page-skeleton.tsx';

type PageFile = { default: ComponentType };

/**
 * A page is found by the component name that the server's menu contains: `/asset/boxes` is
 * `asset-boxes.page.tsx` in the folder of its feature, or in `pages/` if it combines several features.
 */
const FILES = new Map(
  Object.entries(import.meta.glob<PageFile>('../{app,features}/**/*.page.tsx')).map(([path, load]) => [
    path.slice(path.lastIndexOf('/') + 1, -'.page.tsx'.length),
    load,
  ]),
);

interface Page {
  load: () => Promise<void>;
  element: ReactNode;
}
const pages = new Map<string, Page>();

/** Returns the page of a component name; null if this console has none. */
export function pageOf(component: string): Page | null {
  const known = pages.get(component);
  if (known) return known;
  const file = FILES.get(component.slice(1).replaceAll('/', '-'));
  if (!file) return null;
  const page = createPage(file);
  pages.set(component, page);
  return page;
}

function createPage(file: () => Promise<PageFile>): Page {
  let Loaded: ComponentType | null = null;
  const Later = lazy(file);
  // A page whose code is already loaded is rendered without Suspense, because React shows a fallback for at
  // least 300 ms. An open page keeps its first component: a new component would mount the page again and
  // lose the user's input.
  function LoadedPage() {
    const [Ready] = useState(() => Loaded);
    return Ready ? (
      <Ready />
    ) : (
      <Suspense fallback={<PageSkeleton />}>
        <Later />
      </Suspense>
    );
  }
  return {
    load: async () => {
      Loaded ??= (await file()).default;
    },
    element: <LoadedPage />,
  };
}

const SLOW_NETWORKS: ReadonlySet<string> = new Set(['slow-2g', '2g', '3g']);

const AFTER_FAILURE_MS = 30_000;

/** Loads the code of pages while the browser is idle, but not on a slow network. */
export function prefetchPages(components: readonly string[]): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
  if (connection?.saveData || SLOW_NETWORKS.has(connection?.effectiveType ?? '')) return () => undefined;
  // Safari does not support requestIdleCallback.
  const whenIdle = globalThis.requestIdleCallback ?? ((next: () => void) => setTimeout(next, 200));
  let stopped = false;
  const waiting = [...components];
  const next = () => {
    const component = waiting.shift();
    if (stopped || component === undefined) return;
    const loaded = pageOf(component)?.load() ?? Promise.resolve();
    loaded.then(
      () => whenIdle(next),
      // The connection is lost: the browser would not request any of the pages again (`shouldReload`).
      () => setTimeout(next, AFTER_FAILURE_MS),
    );
  };
  whenIdle(next);
  return () => {
    stopped = true;
  };
}
