import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { useTabs } from '../tabs/tabs-store.ts';
import { useUnsavedStore } from '../tabs/unsaved-store.ts';
import { dismissToasts } from '../ui/toast.tsx';

/** What is awaited comes at once on a machine with nothing else to do, and a little later on a busy one. */
configure({ asyncUtilTimeout: 5_000 });

/** All files of a worker share a document and the modules of the console: each test leaves them as it found them. */
beforeEach(() => {
  completeBrowser();
  // Styles of pseudo-elements are not there, and asking for them is noise.
  const styleOf = window.getComputedStyle.bind(window);
  const styles = vi.spyOn(window, 'getComputedStyle').mockImplementation((element) => styleOf(element));
  return () => styles.mockRestore();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  dismissToasts();
  useTabs.setState({ tabs: [], generations: {} });
  useUnsavedStore.setState({ works: new Map(), question: null });
  localStorage.clear();
  sessionStorage.clear();
});
afterAll(() => void vi.unstubAllGlobals());

/** What jsdom lacks of a browser and the parts of pages ask for: nothing is laid out, so nothing scrolls or resizes. */
function completeBrowser(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  );
  Object.assign(Element.prototype, { scrollTo: () => undefined, scrollIntoView: () => undefined });
  Object.assign(HTMLElement.prototype, { setPointerCapture: () => undefined });
}
