import type { RouteObject } from '@isotherm/contracts/settings';
import { isExternalLink } from '@isotherm/domain/access/links';
import type { QueryClient } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense } from 'react';
import {
  createBrowserRouter,
  type LoaderFunctionArgs,
  Navigate,
  type RouteObject as Route,
  redirect,
  redirectDocument,
} from 'react-router';
import { addressesOf, firstPage, groupRedirects, menuPages } from '../features/settings/menu.ts';
import { routerInfoQuery, useMenu } from '../features/settings/settings.queries.ts';
import { pagePermissionsQuery } from '../shared/access/permissions.ts';
import { renewIfDue } from '../shared/api/client.ts';
import { redirectTarget } from '../shared/api/redirect.ts';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PageFault } from './shell/page-fault.tsx';
import { PageSkeleton } from './shell/page-skeleton.tsx';
import { Shell } from './shell/shell.tsx';
import { useTabs } from './tabs/tabs-store.ts';

/** The pages that this console can draw, by the component names that the server's menu uses. */
const COMPONENTS: Record<string, ComponentType> = {
  '/monitor/wall': lazy(() => import('./pages/monitor-page.tsx')),
  '/monitor/records': lazy(() => import('./pages/monitor-records-page.tsx')),
  '/asset/detail': lazy(() => import('./pages/asset-page.tsx')),
  '/asset/boxes': lazy(() => import('./pages/asset-boxes-page.tsx')),
  '/asset/cold-stores': lazy(() => import('./pages/asset-cold-stores-page.tsx')),
  '/asset/containers': lazy(() => import('./pages/asset-containers-page.tsx')),
  '/asset/files': lazy(() => import('./pages/asset-files-page.tsx')),
  '/asset/floor-plans': lazy(() => import('./pages/asset-floor-plans-page.tsx')),
  '/asset/group': lazy(() => import('./pages/asset-group-page.tsx')),
  '/asset/groups': lazy(() => import('./pages/asset-groups-page.tsx')),
  '/asset/history': lazy(() => import('./pages/asset-history-page.tsx')),
  '/asset/nfc': lazy(() => import('./pages/asset-nfc-page.tsx')),
  '/asset/refrigerators': lazy(() => import('./pages/asset-refrigerators-page.tsx')),
  '/asset/webcams': lazy(() => import('./pages/asset-webcams-page.tsx')),
  '/asset/vehicles': lazy(() => import('./pages/asset-vehicles-page.tsx')),
  '/alarm/current': lazy(() => import('./pages/current-alarms-page.tsx')),
  '/device/list': lazy(() => import('./pages/device-list-page.tsx')),
  '/device/expired': lazy(() => import('./pages/device-expired-page.tsx')),
  '/device/upgrade': lazy(() => import('./pages/device-upgrade-page.tsx')),
  '/device/rollout': lazy(() => import('./pages/device-rollout-page.tsx')),
  '/device/stats': lazy(() => import('./pages/device-stats-page.tsx')),
  '/device/detail': lazy(() => import('./pages/device-page.tsx')),
  '/device/commands': lazy(() => import('./pages/device-commands-page.tsx')),
  '/asset/maintenance': lazy(() => import('./pages/asset-maintenance-page.tsx')),
  '/asset/validation': lazy(() => import('./pages/asset-validation-page.tsx')),
  '/device/calibration': lazy(() => import('./pages/device-calibration-page.tsx')),
  '/device/mappings': lazy(() => import('./pages/device-mappings-page.tsx')),
  '/management/account': lazy(() => import('./pages/management-account-page.tsx')),
  '/management/authorizations': lazy(() => import('./pages/management-authorizations-page.tsx')),
  '/management/logs': lazy(() => import('./pages/management-logs-page.tsx')),
  '/management/packets': lazy(() => import('./pages/management-packets-page.tsx')),
  '/management/organizations': lazy(() => import('./pages/management-organizations-page.tsx')),
  '/management/roles': lazy(() => import('./pages/management-roles-page.tsx')),
  '/management/user': lazy(() => import('./pages/management-user-page.tsx')),
  '/management/users': lazy(() => import('./pages/management-users-page.tsx')),
  '/mailbox': lazy(() => import('./pages/mailbox-page.tsx')),
  '/management/dictionary': lazy(() => import('./pages/management-dictionary-page.tsx')),
  '/management/menus': lazy(() => import('./pages/management-menus-page.tsx')),
  '/recharge/reminders': lazy(() => import('./pages/recharge-reminders-page.tsx')),
  '/setting/registration': lazy(() => import('./pages/setting-registration-page.tsx')),
  '/setting/timezone': lazy(() => import('./pages/setting-timezone-page.tsx')),
  '/setting/website': lazy(() => import('./pages/setting-website-page.tsx')),
};

type Router = ReturnType<typeof createBrowserRouter>;
let current: { addresses: string; router: Router } | null = null;

/**
 * Routes come from the server, so that a menu and what may be opened are one list (requirements §2). A menu with the
 * same pages keeps its router: another would draw every open page anew, and lose what is typed there.
 */
export function routerFor(menu: readonly RouteObject[], queries: QueryClient): Router {
  const addresses = addressesOf(menu);
  if (current?.addresses === addresses) return current.router;
  current?.router.dispose();
  current = { addresses, router: buildRouter(menu, queries) };
  return current.router;
}

function buildRouter(menu: readonly RouteObject[], queries: QueryClient): Router {
  return createBrowserRouter([
    {
      element: <Shell />,
      hydrateFallbackElement: <PageSkeleton />,
      children: [
        { index: true, element: <Home /> },
        ...pageRoutes(menu, queries),
        ...groupRedirects(menu).map(({ path }) => ({ path, element: <FirstOfGroup path={path} /> })),
        { path: '/redirect/*', loader: reopen(queries), element: <PageSkeleton /> },
        { path: '/404', element: <NotFoundPage /> },
        { path: '*', element: <Navigate to="/404" replace /> },
      ],
    },
  ]);
}

function Home() {
  const home = firstPage(useMenu());
  return home ? <Navigate to={home} replace /> : <NotFoundPage />;
}

function FirstOfGroup({ path }: { path: string }) {
  const group = groupRedirects(useMenu()).find((each) => each.path === path);
  return <Navigate to={group?.target ?? '/404'} replace />;
}

function pageRoutes(menu: readonly RouteObject[], queries: QueryClient): Route[] {
  return menuPages(menu).flatMap(({ route, path }) => {
    const Page = COMPONENTS[route.component];
    if (!Page || isExternalLink(route.path)) return [];
    return [
      {
        path,
        handle: { name: route.name },
        errorElement: <PageFault />,
        loader: guard(queries, route.name, menu),
        shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
        element: (
          <Suspense fallback={<PageSkeleton />}>
            <Page />
          </Suspense>
        ),
      },
    ];
  });
}

/**
 * Runs before every navigation (requirements §2): a token near its end is renewed, the routes are asked for
 * again, and if they lead elsewhere the navigation starts over with them. The page's permissions are asked and not
 * waited for: buttons appear when the answer is there.
 */
function guard(queries: QueryClient, name: string, menu: readonly RouteObject[]) {
  return async ({ request }: LoaderFunctionArgs) => {
    if (await renewIfDue()) {
      const fresh = await queries.fetchQuery({ ...routerInfoQuery, staleTime: 0 });
      if (addressesOf(fresh) !== addressesOf(menu)) return redirectDocument(request.url);
    }
    void queries.fetchQuery({ ...pagePermissionsQuery(name), staleTime: 0 }).catch(() => null);
    return null;
  };
}

/** `/redirect/<path>` opens a page anew (requirements §2): what it kept is forgotten, its data asked again. */
function reopen(queries: QueryClient) {
  return ({ request }: LoaderFunctionArgs) => {
    const target = redirectTarget(new URL(request.url));
    useTabs.getState().refresh(new URL(target, location.origin).pathname);
    void queries.invalidateQueries();
    return redirect(target);
  };
}
