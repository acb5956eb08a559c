import type { RouteObject } from '@isotherm/contracts/settings';
import type { QueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense } from 'react';
import { createBrowserRouter, Navigate, type RouteObject as Route } from 'react-router';
import { firstPage, menuPages } from '../features/settings/menu.ts';
import { pagePermissionsQuery } from '../shared/access/permissions.ts';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PageFault } from './shell/page-fault.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Shell } from './shell/shell.tsx';

/** The pages that this console can draw, by the component names that the server's menu uses. */
const COMPONENTS: Record<string, ComponentType> = {
  '/monitor/wall': lazy(() => import('./pages/monitor-page.tsx')),
  '/asset/detail': lazy(() => import('./pages/asset-page.tsx')),
  '/alarm/current': lazy(() => import('./pages/current-alarms-page.tsx')),
};

/** Routes come from the server, so that a menu and what may be opened are one list (requirements §2). */
export function buildRouter(menu: readonly RouteObject[], queries: QueryClient) {
  const pages: Route[] = menuPages(menu).flatMap(({ route, path }) => {
    const Page = COMPONENTS[route.component];
    if (!Page) return [];
    return [
      {
        path,
        handle: { name: route.name },
        errorElement: <PageFault />,
        // Asked on every navigation and not waited for: buttons appear when the answer is there.
        loader: () => {
          void queries.fetchQuery({ ...pagePermissionsQuery(route.name), staleTime: 0 }).catch(() => null);
          return null;
        },
        shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
        element: (
          <Suspense fallback={<PageSkeleton />}>
            <Page />
          </Suspense>
        ),
      },
    ];
  });
  const home = firstPage(menu);
  return createBrowserRouter([
    {
      element: <Shell menu={menu} />,
      hydrateFallbackElement: <PageSkeleton />,
      children: [
        { index: true, element: home ? <Navigate to={home} replace /> : <NotFoundPage /> },
        ...pages,
        { path: '/404', element: <NotFoundPage /> },
        { path: '*', element: <Navigate to="/404" replace /> },
      ],
    },
  ]);
}
