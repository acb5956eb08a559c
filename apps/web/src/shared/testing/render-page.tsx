import { getPagePermissions } from '@isotherm/contracts/settings';
import type { Language } from '@isotherm/i18n/languages';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { type ReactNode, useEffect } from 'react';
import { createMemoryRouter, RouterProvider, useLocation } from 'react-router';
import { onTestFinished, vi } from 'vitest';
import { configureClient } from '../api/client.ts';
import { writeSession } from '../api/session.ts';
import { startLanguage } from '../i18n/language.ts';
import { KeptPages } from '../tabs/kept-pages.tsx';
import { useTabs } from '../tabs/tabs-store.ts';
import { UnsavedGuard } from '../tabs/unsaved-guard.tsx';
import { Toasts } from '../ui/toast.tsx';
import type { fakeServer } from './fake-server.ts';

/** Simulates a screen with the width of a desktop or a phone. */
function stubScreen(narrow: boolean): void {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: narrow && query.includes('max-width'),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
  }));
}

/** Gives every element this size until the end of the test, because jsdom computes no layout. */
export function stubFrame(width: number, height: number): void {
  const stubs = [
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(width),
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(height),
  ];
  onTestFinished(() => {
    for (const stub of stubs) stub.mockRestore();
  });
}

/** Sets the user's permissions, page by page. */
export function holding(fake: ReturnType<typeof fakeServer>, ...permissions: string[]): void {
  fake.answer(getPagePermissions, ({ query }) => ({
    permissions: permissions.filter((each) => each.startsWith(`${query.get('menuname')}:`)),
    unreadAnnouncements: 0,
  }));
}

/** Behaves like the frame of the console: every visited page gets a tab and is kept alive. */
function Frame() {
  const { pathname, search, hash } = useLocation();
  const visit = useTabs((state) => state.visit);
  useEffect(() => {
    visit({
      path: pathname,
      address: pathname + search + hash,
      name: pathname,
      affix: false,
      noCache: false,
    });
  }, [visit, pathname, search, hash]);
  return (
    <>
      <KeptPages />
      <UnsavedGuard />
    </>
  );
}

/**
 * Renders a page at an address inside the console's frame with tabs. It is kept alive when another address
 * is opened, and unsaved input is guarded.
 *
 * @param options.others further pages by path, to switch to
 */
export async function renderPage(
  page: ReactNode,
  options: {
    at?: string;
    path?: string;
    narrow?: boolean;
    language?: Language;
    others?: Readonly<Record<string, ReactNode>>;
  } = {},
) {
  const { at = '/', path = '*', narrow = false, language = 'en', others = {} } = options;
  stubScreen(narrow);
  writeSession('demo.admin', 'token', 7200, Date.now());
  await startLanguage(language);
  configureClient({
    salt: 's',
    language: () => language,
    describe: (failure) => failure,
    onFailure: vi.fn(),
    onSessionOver: vi.fn(),
    onEntryDue: vi.fn(),
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const router = createMemoryRouter(
    [
      {
        element: <Frame />,
        children: [
          { path, element: page },
          ...Object.entries(others).map(([otherPath, element]) => ({ path: otherPath, element })),
          { path: '*', element: null },
        ],
      },
    ],
    { initialEntries: [at] },
  );
  const drawn = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>,
  );
  return { ...drawn, router, queries, search: () => new URLSearchParams(router.state.location.search) };
}
