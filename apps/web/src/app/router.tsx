import type { RouteObject } from '@isotherm/contracts/settings';
import { isExternalLink } from '@isotherm/domain/access/links';
import type { QueryClient } from '@tanstack/react-query';
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
import { useTabs } from '../shared/tabs/tabs-store.ts';
import { PageSkeleton } from '../shared/ui/page-skeleton.tsx';
import { shouldReload } from './page-reload.ts';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { pageOf } from './pages.tsx';
import { PageFault } from './shell/page-fault.tsx';
import { Shell } from './shell/shell.tsx';

const SKELETON_AFTER_MS = 400;
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Router = ReturnType<typeof createBrowserRouter>;
let current: { addresses: string; router: Router } | null = null;

/**
 * Creates the router. The routes come from the server, so that the menu and the accessible pages are the
 * same list (requirements §2). If a new menu has the same pages, the router is kept, because a new one would
 * mount every open page again and lose its input.
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
    const page = pageOf(route.component);
    if (!page || isExternalLink(route.path)) return [];
    return [
      {
        path,
        handle: { name: route.name },
        errorElement: <PageFault />,
        loader: guard(queries, route.name, menu, page.load),
        shouldRevalidate: ({ currentUrl, nextUrl }) => currentUrl.pathname !== nextUrl.pathname,
        element: page.element,
      },
    ];
  });
}

/**
 * Loader that runs before every navigation (requirements §2). It renews a token that expires soon and
 * requests the routes again. If the new routes lead elsewhere, the navigation starts again with them. It
 * requests the page's permissions but does not wait for them: buttons appear when the response arrives. It
 * waits a short time for the page's code while the previous page stays visible; after that a skeleton is
 * shown. If the code is lost, the console is loaded again.
 */
function guard(queries: QueryClient, name: string, menu: readonly RouteObject[], load: () => Promise<void>) {
  return async ({ request }: LoaderFunctionArgs) => {
    if (await renewIfDue()) {
      const fresh = await queries.fetchQuery({ ...routerInfoQuery, staleTime: 0 });
      if (addressesOf(fresh) !== addressesOf(menu)) return redirectDocument(request.url);
    }
    void queries.fetchQuery({ ...pagePermissionsQuery(name), staleTime: 0 }).catch(() => null);
    const isLost = await Promise.race([
      load().then(
        () => false,
        () => true,
      ),
      delay(SKELETON_AFTER_MS).then(() => false),
    ]);
    if (isLost && (await shouldReload(request.url, Date.now()))) return redirectDocument(request.url);
    // Another failed load is reported when the page is rendered.
    return null;
  };
}

/**
 * Address `/redirect/<path>` reloads a page (requirements §2): its state is dropped and its data is fetched
 * again.
 */
function reopen(queries: QueryClient) {
  return ({ request }: LoaderFunctionArgs) => {
    const target = redirectTarget(new URL(request.url));
    useTabs.getState().refresh(new URL(target, location.origin).pathname);
    void queries.invalidateQueries();
    return redirect(target);
  };
}
