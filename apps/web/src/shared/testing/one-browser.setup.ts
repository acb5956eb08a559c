import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { useTabs } from '../tabs/tabs-store.ts';
import { useUnsavedStore } from '../tabs/unsaved-store.ts';
import { dismissToasts } from '../ui/toast.tsx';

/** A longer timeout, because tests take longer on a busy machine. */
configure({ asyncUtilTimeout: 5_000 });

/**
 * All test files of a worker share one document and the same instances of the console's modules, so their
 * state is reset before each test.
 */
beforeEach(() => {
  completeBrowser();
  // jsdom cannot compute styles of pseudo-elements and logs a warning for them.
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

/**
 * Adds browser functions that jsdom lacks and components use. There is no layout, so nothing scrolls or
 * resizes.
 */
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
